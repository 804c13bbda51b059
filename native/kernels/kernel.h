// Kernels, and the table of kernels that each level fills. A kernel works on contiguous elements of one type, without
// strides, broadcasting or casts. The tile engine converts operands to this form.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// The number of bytes that a processor fetches at a time.
inline constexpr int64_t cache_line = 64;

// Kernels of families that have their own types. <family>.kernels.h in the family's folder declares each type.
struct Bfloat16Gemm;
struct ByteKernels;
struct CompactKernels;
struct ConvolveKernels;
struct FftKernels;
struct GemmKernels;
struct GemvKernels;
struct IndexedKernels;
struct InterpolationKernels;
struct MoveKernels;
struct PoolingKernels;
struct QuantizedKernels;
struct RandomKernels;
struct SamplingKernels;
struct ScanTable;
struct SearchTable;
struct SmallMatrixKernels;
struct SortingKernels;
struct SparseKernels;

// The parameters of a call of a kernel. Some operations have parameters of their own (tolerances, decimals, a rounding
// mode). The other members state facts about the call.
struct KernelParams {
  double real[2] = {0, 0};
  int64_t integer[2] = {0, 0};
  const void* more = nullptr;  // further parameters that a family passes to its kernels
  // Bit k is set if in[k] is one element for all n results.
  uint8_t constants = 0;
  // A hint to write past the caches, because no code reads the results soon. If `stream` is true, `out` must differ
  // from all inputs.
  bool stream = false;

  constexpr bool is_constant(int k) const { return (constants >> k & 1) != 0; }
  // Returns the step between elements of operand k. The step is 0 if the operand is one element for all results, and 1
  // otherwise.
  constexpr int64_t step(int k) const { return is_constant(k) ? 0 : 1; }
};

// Reads n elements at each of in[0..arity), or one element of an operand that `params` marks as constant, and writes n
// elements at out. `out` may be the address of an input, but must not overlap an input partially.
using Kernel = void (*)(void* out, const void* const* in, int64_t n, const KernelParams& params);

// Folds `rows` rows of n contiguous elements, `step` bytes apart, into accumulators at `acc`. Each accumulator already
// holds `before` elements. Each row, or each column, has its own accumulator.
using FoldKernel = void (*)(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before);
// Combines n accumulators at `acc` with n accumulators at `other`. Each accumulator at `acc` holds `before` elements,
// and each accumulator at `other` holds `more` elements.
using MergeKernel = void (*)(void* acc, const void* other, int64_t n, int64_t before, int64_t more);
// Computes n float64 results from n accumulators.
using FinishKernel = void (*)(double* out, const void* acc, int64_t n, double divisor);

struct ReduceKernels {
  FoldKernel along = nullptr;   // folds each row into its own accumulator
  FoldKernel across = nullptr;  // folds each column into its own accumulator
};

// Further kernels for an accumulator of float64 numbers.
struct AccumulatorKernels {
  // The kernel merges accumulators that are pairs. The pointer is null for other accumulators, which merge as elements.
  MergeKernel merge = nullptr;
  // The kernel computes results from accumulators. The pointer is null if the accumulator is the result.
  FinishKernel finish = nullptr;
};

struct KernelTable {
  const char* level;
  // The elementwise kernels are indexed by operation and by the type in which the kernel computes (the type of its
  // inputs).
  Kernel elementwise[operation_count][dtype_count] = {};
  // This kernel computes several operations in one pass (ops/elementwise/chain.h). The entry is null if the type has no
  // kernel for several operations.
  Kernel chain[dtype_count] = {};
  // The indices are [from][to]. The entry is null if the cast is not defined.
  Kernel convert[dtype_count][dtype_count] = {};
  // The folds are indexed by reduction and by input type. The accumulator type is accumulator_type(reduction, input
  // type).
  ReduceKernels reduce[reduction_count][dtype_count] = {};
  AccumulatorKernels accumulator[reduction_count] = {};
  const CompactKernels* compact = nullptr;
  const FftKernels* fft = nullptr;
  // The kernels are indexed by element type. The 16-bit floating types have only the kernel for inner products.
  const GemmKernels* gemm = nullptr;
  const GemvKernels* gemv = nullptr;  // kernels by element type
  const IndexedKernels* indexed = nullptr;
  const InterpolationKernels* interpolation = nullptr;
  const MoveKernels* move = nullptr;  // kernels by the exponent k of an element's size 2^k
  const PoolingKernels* pooling = nullptr;
  const QuantizedKernels* quantized = nullptr;
  const RandomKernels* random = nullptr;
  const SamplingKernels* sampling = nullptr;
  const ScanTable* scan = nullptr;
  const SearchTable* search = nullptr;
  // The kernels are indexed by element type, which is float32, float64 or one of their complex types.
  const SmallMatrixKernels* small_matrix = nullptr;
  const SortingKernels* sorting = nullptr;
  const SparseKernels* sparse = nullptr;
  const ConvolveKernels* convolve = nullptr;
};

// Returns the table of the level in use. This level is the best level that the machine has, or the level that
// SUANZI_SIMD names.
const KernelTable& kernels();

// Returns the kernel of a cast, or null if the types are equal or the cast is not defined.
Kernel converter(DType from, DType to);

// bfloat16_gemm returns the kernels for products of bfloat16. The result is null if the machine has no instruction for
// these products, or if the level does not use the instruction. byte_kernels returns the kernels for products of 8-bit
// integers. These kernels are the level's own kernels, or kernels with an instruction for bytes. The other two
// functions return the name of the instruction, or null if the kernels use no special instruction.
const Bfloat16Gemm* bfloat16_gemm();
const ByteKernels& byte_kernels();
const char* bfloat16_instruction();
const char* byte_instruction();

// available_levels returns the built levels that this machine can run. The best level is the last level.
struct Level {
  const char* name;
  const KernelTable* table;
};
const Level* available_levels(int& count);

}  // namespace suanzi
