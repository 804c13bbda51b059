// What of machine.h depends on the kind of processor. For kernels, simd/arch has what does.
#include "runtime/machine.h"

namespace suanzi {

#if defined(__x86_64__)
bool is_amd_cpu() { return __builtin_cpu_is("amd"); }
void relax() { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
bool is_amd_cpu() { return false; }
void relax() { asm volatile("yield"); }
#else
bool is_amd_cpu() { return false; }
void relax() {}
#endif

}  // namespace suanzi
