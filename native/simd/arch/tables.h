// AVX2 with the algorithms of AVX-512. Some algorithms are chosen only if a set has small tables in registers. This set
// has small tables in memory. The set returns the same results as AVX-512, so tests can check these results on machines
// without AVX-512.
#pragma once

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Tables : Avx2 {
  static constexpr bool looks_up_in_registers = true;
  static constexpr int float_table = 32;
};

}  // namespace suanzi::SUANZI_LEVEL::arch
