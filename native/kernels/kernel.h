// Kernels, and the table of them that each instruction-set level fills. A kernel works on contiguous elements of one
// type and knows nothing of strides, broadcasting or casts: the tile engine brings operands into that form.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// The number of bytes that a processor fetches at a time.
inline constexpr int64_t cache_line = 64;

// Kernels of families that have their own types; <family>.kernels.h in the family's room declares each type.
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

// Further parameters of some operations (tolerances, decimals, a rounding mode), and facts about a call.
struct KernelParams {
  double real[2] = {0, 0};
  int64_t integer[2] = {0, 0};
  const void* more = nullptr;  // further parameters that a family passes to its kernels
  // Bit k is set if in[k] is one element that is used for all n results.
  uint8_t constants = 0;
  // A hint to write past the caches, because the results will not be read soon. `out` must then be none of the inputs.
  bool stream = false;

  constexpr bool is_constant(int k) const { return (constants >> k & 1) != 0; }
  // Returns the step between elements of operand k: 1, or 0 if one element is used for all results.
  constexpr int64_t step(int k) const { return is_constant(k) ? 0 : 1; }
};

// Reads n elements at each of in[0..arity), or one element of an operand that `params` calls constant, and writes n
// elements at out. out may be exactly one of the inputs, but must not overlap an input partially.
using Kernel = void (*)(void* out, const void* const* in, int64_t n, const KernelParams& params);

// Folds `rows` rows of n contiguous elements, `step` bytes apart, into accumulators at `acc`, which already hold
// `before` elements each. There is one accumulator for each row, or one for each column.
using FoldKernel = void (*)(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before);
// Combines n accumulators at `acc`, which hold `before` elements each, with n accumulators at `other`, which hold
// `more` elements each.
using MergeKernel = void (*)(void* acc, const void* other, int64_t n, int64_t before, int64_t more);
// Computes n float64 results from n accumulators.
using FinishKernel = void (*)(double* out, const void* acc, int64_t n, double divisor);

struct ReduceKernels {
  FoldKernel along = nullptr;   // an accumulator for each row
  FoldKernel across = nullptr;  // an accumulator for each column
};

// Further kernels for an accumulator of float64 numbers.
struct AccumulatorKernels {
  MergeKernel merge = nullptr;    // merges pairs; an accumulator that is not a pair merges as an element
  FinishKernel finish = nullptr;  // null if the accumulator is the result
};

struct KernelTable {
  const char* level;
  // Indexed by operation and by the type in which the kernel computes (the type of its inputs).
  Kernel elementwise[operation_count][dtype_count] = {};
  // computes several operations in one pass (ops/elementwise/chain.h); null if there is none for the type
  Kernel chain[dtype_count] = {};
  Kernel convert[dtype_count][dtype_count] = {};  // [from][to]; null if a cast is not defined
  // Indexed by reduction and by input type; the accumulator type is accumulator_type(reduction, input type).
  ReduceKernels reduce[reduction_count][dtype_count] = {};
  AccumulatorKernels accumulator[reduction_count] = {};
  const CompactKernels* compact = nullptr;
  const FftKernels* fft = nullptr;
  const GemmKernels* gemm = nullptr;  // by element type; the 16-bit floating types have none
  const GemvKernels* gemv = nullptr;  // by element type
  const IndexedKernels* indexed = nullptr;
  const InterpolationKernels* interpolation = nullptr;
  const MoveKernels* move = nullptr;  // by the exponent of an element's size
  const PoolingKernels* pooling = nullptr;
  const QuantizedKernels* quantized = nullptr;
  const RandomKernels* random = nullptr;
  const SamplingKernels* sampling = nullptr;
  const ScanTable* scan = nullptr;
  const SearchTable* search = nullptr;
  const SmallMatrixKernels* small_matrix = nullptr;  // by element type: float32, float64 and their complex types
  const SortingKernels* sorting = nullptr;
  const SparseKernels* sparse = nullptr;
  const ConvolveKernels* convolve = nullptr;
};

// Returns the table of the level in use: the best that the machine has, or the level that SUANZI_SIMD names.
const KernelTable& kernels();

// Returns the kernel that casts, or null if the types are equal or the cast is not defined.
Kernel converter(DType from, DType to);

// Functions that return the kernels of special products. Products of bfloat16 are null if the machine has no
// instruction for them or the level uses none. Kernels of products of 8-bit integers are the level's own, or kernels
// with an instruction for bytes. The name of an instruction is null if no instruction is used.
const Bfloat16Gemm* bfloat16_gemm();
const ByteKernels& byte_kernels();
const char* bfloat16_instruction();
const char* byte_instruction();

// Returns the levels that were built and that this machine can run, the best level last.
struct Level {
  const char* name;
  const KernelTable* table;
};
const Level* available_levels(int& count);

}  // namespace suanzi
