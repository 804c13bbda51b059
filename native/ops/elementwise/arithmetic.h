// The functors of arithmetic on real numbers, for kernels of one operation and for chains of operations.
#pragma once

#include "ops/elementwise/functors.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

struct Divide {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a / b;
  }
};
struct Maximum {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return maximum(a, b);
    } else {
      return max(a, b);
    }
  }
};
struct Minimum {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return minimum(a, b);
    } else {
      return min(a, b);
    }
  }
};

struct Negative {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return -a;
  }
};
struct Abs {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return abs(a);
    } else {
      return max(a, bit_cast<T>(-bit_cast<UintFor<T>>(a)));
    }
  }
};
struct Reciprocal {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return V(typename V::element(1)) / a;
  }
};
struct Square {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a * a;
  }
};
struct Sqrt {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return sqrt(a);
  }
};

}  // namespace suanzi::SUANZI_LEVEL
