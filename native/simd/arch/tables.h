// AVX2 with the algorithms of AVX-512. The kernels use some algorithms for instruction sets that hold small tables in
// registers, and for the set Tables, whose tables are in memory. The results equal the results of AVX-512, so tests can
// check these results on machines without AVX-512.
#pragma once

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Tables : Avx2 {
  static constexpr bool looks_up_in_registers = true;
  static constexpr int float_table = 32;
};

}  // namespace suanzi::SUANZI_LEVEL::arch
