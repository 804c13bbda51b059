// The choice of an instruction-set level: which were built, which of them the machine runs, which one is used.
//
// This file belongs to no level: it must not include what is compiled per level.
#if defined(SUANZI_HAVE_AVX2) || defined(SUANZI_HAVE_AVX512)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <string_view>

#include "base/status.h"
#include "kernels/kernel.h"

namespace suanzi {

namespace baseline {
const KernelTable& table();
}
#if defined(SUANZI_HAVE_GENERIC)
namespace generic {
const KernelTable& table();
}
#endif
#if defined(SUANZI_HAVE_AVX2)
namespace avx2 {
const KernelTable& table();
}
#endif
#if defined(SUANZI_HAVE_AVX512)
namespace avx512 {
const KernelTable& table();
}
namespace avx512_bf16 {
extern const Bfloat16Gemm gemm;
}
#endif

namespace {

#if defined(SUANZI_HAVE_AVX2) || defined(SUANZI_HAVE_AVX512)
// What belongs to x86-64-v3, but has no name for clang's __builtin_cpu_supports.
bool machine_has_unnamed() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C) || !(c & bit_MOVBE)) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

// x86-64-v3
bool machine_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && machine_has_unnamed();
}
#endif
#if defined(SUANZI_HAVE_AVX512)
// x86-64-v4
bool machine_has_avx512() {
  return machine_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

struct Levels {
  Level list[4];
  int count = 0;
  void add(const KernelTable& table) { list[count++] = {table.level, &table}; }
};

// A level's code is not touched unless the machine can run it. The generic one, for tests, comes before the baseline,
// which is always there: nobody gets it without asking.
Levels find_levels() {
  Levels levels;
#if defined(SUANZI_HAVE_GENERIC)
  levels.add(generic::table());
#endif
  levels.add(baseline::table());
#if defined(SUANZI_HAVE_AVX2)
  if (machine_has_avx2()) levels.add(avx2::table());
#endif
#if defined(SUANZI_HAVE_AVX512)
  if (machine_has_avx512()) levels.add(avx512::table());
#endif
  return levels;
}

const Levels& levels() {
  static const Levels found = find_levels();
  return found;
}

const KernelTable& choose_table() {
  const Levels& available = levels();
  const char* wanted = std::getenv("SUANZI_SIMD");
  if (!wanted || !*wanted) return *available.list[available.count - 1].table;
  std::string names;
  for (int i = 0; i < available.count; ++i) {
    if (std::string_view(available.list[i].name) == wanted) return *available.list[i].table;
    names.append(i ? ", " : "").append(available.list[i].name);
  }
  fail(Status::invalid_argument, "SUANZI_SIMD: '", wanted, "' is not a level that this machine has; those are ", names);
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable& chosen = choose_table();
  return chosen;
}

Kernel converter(DType from, DType to) {
  return from == to ? nullptr : kernels().convert[static_cast<int>(from)][static_cast<int>(to)];
}

const Bfloat16Gemm* bfloat16_gemm() {
#if defined(SUANZI_HAVE_AVX512)
  static const bool usable = std::string_view(kernels().level) == "avx512" && __builtin_cpu_supports("avx512bf16");
  if (usable) return &avx512_bf16::gemm;
#endif
  return nullptr;
}

const Level* available_levels(int& count) {
  count = levels().count;
  return levels().list;
}

}  // namespace suanzi
