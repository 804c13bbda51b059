// AVX2 on the ways that AVX-512 goes: where the choice of an algorithm depends on small tables in registers, this set
// has them, by memory. The results are those of AVX-512, so that they can be checked on machines without it.
#pragma once

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Tables : Avx2 {
  static constexpr bool looks_up_in_registers = true;
  static constexpr int float_table = 32;
};

}  // namespace suanzi::SUANZI_LEVEL::arch
