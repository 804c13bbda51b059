// What of machine.h depends on the kind of processor. For kernels, simd/arch has what does.
#include "runtime/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace suanzi {

#if defined(__x86_64__)
namespace {

// What belongs to x86-64-v3, but has no name for clang's __builtin_cpu_supports.
bool runs_unnamed_instructions() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C) || !(c & bit_MOVBE)) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

}  // namespace

bool runs_x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && runs_unnamed_instructions();
}
bool runs_x86_64_v4() {
  return runs_x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
Maker cpu_maker() {
  return __builtin_cpu_is("amd") ? Maker::amd : __builtin_cpu_is("intel") ? Maker::intel : Maker::other;
}
void relax() { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
bool runs_x86_64_v3() { return false; }
bool runs_x86_64_v4() { return false; }
Maker cpu_maker() { return Maker::other; }
void relax() { asm volatile("yield"); }
#else
bool runs_x86_64_v3() { return false; }
bool runs_x86_64_v4() { return false; }
Maker cpu_maker() { return Maker::other; }
void relax() {}
#endif

}  // namespace suanzi
