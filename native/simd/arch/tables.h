// AVX2 with the algorithms of AVX-512: if the choice of an algorithm depends on small tables in registers, this set has
// such tables, in memory. The set's results are those of AVX-512, so machines without AVX-512 can check them.
#pragma once

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Tables : Avx2 {
  static constexpr bool looks_up_in_registers = true;
  static constexpr int float_table = 32;
};

}  // namespace suanzi::SUANZI_LEVEL::arch
