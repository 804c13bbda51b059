// The functions of machine.h that depend on the processor's architecture. Kernels use simd/arch instead.
#include "runtime/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace suanzi {

#if defined(__x86_64__)
// The functions below execute cpuid, because __builtin_cpu_supports has no name for some of the required instructions.
// In programs that clang links without GCC's or clang's run-time library, __builtin_cpu_supports always returns false.
namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};
Registers cpuid(unsigned leaf, unsigned part = 0) {
  Registers r;
  // All registers are 0 for a leaf that the processor lacks.
  __get_cpuid_count(leaf, part, &r.a, &r.b, &r.c, &r.d);
  return r;
}
bool has(unsigned flags, unsigned wanted) { return (flags & wanted) == wanted; }

// The registers that the system keeps for each thread, as bits of XCR0.
constexpr unsigned wide_registers = 0x6, avx512_registers = 0xe6, tile_registers = 0x60000;
bool system_keeps(unsigned registers) {
  if (!has(cpuid(1).c, bit_OSXSAVE)) return false;
  unsigned low, high;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return has(low, registers);
}

// The system keeps tiles only for processes that have requested tiles, because tiles make a thread's state 8 KiB
// larger. An old system refuses this request. Every system refuses the request while a thread has too small a stack for
// signals.
bool may_use_tiles() {
#if defined(__linux__)
  // The values of ARCH_REQ_XCOMP_PERM and XFEATURE_XTILEDATA.
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

}  // namespace

bool runs_x86_64_v3() {
  return system_keeps(wide_registers) && has(cpuid(1).c, bit_FMA | bit_F16C | bit_MOVBE) &&
         has(cpuid(7).b, bit_AVX2 | bit_BMI | bit_BMI2) && has(cpuid(0x80000001).c, bit_LZCNT);
}
bool runs_x86_64_v4() {
  return runs_x86_64_v3() && system_keeps(avx512_registers) &&
         has(cpuid(7).b, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL);
}
bool runs_avx512_bf16() {
  constexpr unsigned bf16 = 1u << 5;
  return runs_x86_64_v4() && has(cpuid(7, 1).a, bf16);
}
bool runs_avx512_vnni() {
  constexpr unsigned vnni = 1u << 11;
  return runs_x86_64_v4() && has(cpuid(7).c, vnni);
}
bool runs_avx_vnni() {
  constexpr unsigned vnni = 1u << 4;
  return runs_x86_64_v3() && has(cpuid(7, 1).a, vnni);
}
bool runs_avx512_amx() {
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25;
  return runs_avx512_vnni() && has(cpuid(7).d, bf16 | tile | int8) && system_keeps(tile_registers) && may_use_tiles();
}
Maker cpu_maker() {
  // The function keeps the result, because cpuid takes microseconds on a virtual machine, and each shared product reads
  // the result.
  static const Maker maker = [] {
    const unsigned name = cpuid(0).b;
    return name == signature_AMD_ebx ? Maker::amd : name == signature_INTEL_ebx ? Maker::intel : Maker::other;
  }();
  return maker;
}
void relax() { __builtin_ia32_pause(); }
#else
bool runs_x86_64_v3() { return false; }
bool runs_x86_64_v4() { return false; }
bool runs_avx512_bf16() { return false; }
bool runs_avx512_vnni() { return false; }
bool runs_avx_vnni() { return false; }
bool runs_avx512_amx() { return false; }
Maker cpu_maker() { return Maker::other; }
#if defined(__aarch64__)
void relax() { asm volatile("yield"); }
#else
void relax() {}
#endif
#endif

#if defined(__aarch64__) && defined(__linux__)
bool runs_neon_dot() { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
bool runs_neon_mmla() {
  // The headers of old systems have no names for these two bits of AT_HWCAP2.
  constexpr unsigned long i8mm = 1ul << 13, bf16 = 1ul << 14;
  return runs_neon_dot() && (getauxval(AT_HWCAP2) & (i8mm | bf16)) == (i8mm | bf16);
}
#else
bool runs_neon_dot() { return false; }
bool runs_neon_mmla() { return false; }
#endif

}  // namespace suanzi
