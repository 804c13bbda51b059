// The functors that several families of kernels share, on vectors of real or complex numbers. Functors of a single
// family are in the family's files.
#pragma once

#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

struct Add {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a + b;
  }
};

struct Subtract {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a - b;
  }
};

struct Multiply {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a * b;
  }
};

}  // namespace suanzi::SUANZI_LEVEL
