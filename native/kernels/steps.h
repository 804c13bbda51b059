// Runs kernels whose loops compute only whole steps, and computes any number of elements with these kernels. A step is
// a fixed number of elements. Elements at either end that do not fill a step are copied to a buffer of one step, and
// the kernel computes the elements in this buffer. Without the buffer, the kernel would need a second copy of the
// loop's body for parts of a step. For a long step, the second copy would be larger than the first copy.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/kernel.h"
#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

// The number of elements of a step, and the bytes of an element of the result and of each operand.
struct StepLayout {
  static constexpr int most_operands = 5, most_bytes = 256;
  int elements, result, operands, operand[most_operands];
};

// Calls the kernel for the elements [start, start + n). n is a multiple of the number of elements of a step, or less
// than this number.
[[gnu::noinline]] inline void run_part(Kernel kernel, const StepLayout& step, void* out, const void* const* in,
                                       int64_t start, int64_t n, KernelParams params) {
  alignas(64) char copies[StepLayout::most_operands][StepLayout::most_bytes], result[StepLayout::most_bytes];
  const void* operands[StepLayout::most_operands];
  const bool is_whole = n >= step.elements;
  for (int k = 0; k < step.operands; ++k) {
    operands[k] = static_cast<const char*>(in[k]) + start * step.operand[k] * params.step(k);
    if (is_whole || params.is_constant(k)) continue;
    std::memset(copies[k], 0, static_cast<size_t>(step.elements * step.operand[k]));
    std::memcpy(copies[k], operands[k], static_cast<size_t>(n * step.operand[k]));
    operands[k] = copies[k];
  }
  void* const target = static_cast<char*>(out) + start * step.result;
  if (is_whole) return kernel(target, operands, n, params);
  params.stream = false;
  kernel(result, operands, step.elements, params);
  std::memcpy(target, result, static_cast<size_t>(n * step.result));
}

// Runs a kernel on n elements. If the kernel writes past the caches, its writes begin at a multiple of the bytes that a
// step writes.
[[gnu::noinline]] inline void run_in_parts(Kernel kernel, const StepLayout& step, void* out, const void* const* in,
                                           int64_t n, const KernelParams& params) {
  int64_t start = 0;
  if (params.stream) {
    const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out)) / step.result % step.elements;
    start = past == 0 ? 0 : step.elements - past;
    if (start > n) start = n;
  }
  const int64_t end = n - (n - start) % step.elements;
  if (start > 0) run_part(kernel, step, out, in, 0, start, params);
  if (start < end) run_part(kernel, step, out, in, start, end - start, params);
  if (end < n) run_part(kernel, step, out, in, end, n - end, params);
}

template <Kernel of_steps, int elements, class Result, class... Operand>
void in_steps(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr StepLayout step = {elements, sizeof(Result), sizeof...(Operand), {sizeof(Operand)...}};
  static_assert(((elements * sizeof(Operand) <= StepLayout::most_bytes) && ...));
  run_in_parts(of_steps, step, out, in, n, params);
}

}  // namespace suanzi::SUANZI_LEVEL
