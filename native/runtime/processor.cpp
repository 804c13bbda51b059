// What of machine.h depends on the kind of processor. For kernels, simd/arch has what does.
#include "runtime/machine.h"

namespace suanzi {

#if defined(__x86_64__)
CpuVendor cpu_vendor() {
  if (__builtin_cpu_is("amd")) return CpuVendor::amd;
  return __builtin_cpu_is("intel") ? CpuVendor::intel : CpuVendor::other;
}
void relax() { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
CpuVendor cpu_vendor() { return CpuVendor::other; }
void relax() { asm volatile("yield"); }
#else
CpuVendor cpu_vendor() { return CpuVendor::other; }
void relax() {}
#endif

}  // namespace suanzi
