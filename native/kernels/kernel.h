// Kernels, and the table of them that each instruction-set level fills. A kernel works on contiguous elements of one
// type and knows nothing of strides, broadcasting or casts: the tile engine brings operands into that form.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// Bytes that a processor fetches at a time.
inline constexpr int64_t cache_line = 64;

// The kernels of the families that have some of their own: <family>.kernels.h in their rooms say what they are.
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
  const void* more = nullptr;  // further parameters that a family shares with its kernels
  // Bit k: in[k] is one element that stands for all n.
  uint8_t constants = 0;
  // Write past the caches: the results will not be read soon. A hint; `out` must then be none of the inputs.
  bool stream = false;

  constexpr bool is_constant(int k) const { return (constants >> k & 1) != 0; }
  // Steps from an element of operand k to the next: 1, or 0 if one stands for all.
  constexpr int64_t step(int k) const { return is_constant(k) ? 0 : 1; }
};

// Reads n elements at each of in[0..arity), or one where `params` calls it constant, and writes n elements at out. out
// may be one of the inputs exactly, never overlap one partially.
using Kernel = void (*)(void* out, const void* const* in, int64_t n, const KernelParams& params);

// Folds `rows` rows of n contiguous elements, `step` bytes apart, into accumulators at `acc` that have `before`
// elements in them: one for each row, or one for each column.
using FoldKernel = void (*)(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before);
// Combines n accumulators at `acc`, each of `before` elements, with n others of `more` elements.
using MergeKernel = void (*)(void* acc, const void* other, int64_t n, int64_t before, int64_t more);
// Makes n float64 results of n accumulators.
using FinishKernel = void (*)(double* out, const void* acc, int64_t n, double divisor);

struct ReduceKernels {
  FoldKernel along = nullptr;   // row by row
  FoldKernel across = nullptr;  // column by column
};

// Further kernels for an accumulator of float64 numbers.
struct AccumulatorKernels {
  MergeKernel merge = nullptr;    // merges pairs; other accumulators merge as elements
  FinishKernel finish = nullptr;  // null where the accumulator is the result
};

struct KernelTable {
  const char* level;
  // Indexed by operation and by the type in which the kernel computes (its inputs' type).
  Kernel elementwise[operation_count][dtype_count] = {};
  Kernel chain[dtype_count] = {};  // several operations in one (ops/elementwise/chain.h); null where there is none
  Kernel convert[dtype_count][dtype_count] = {};  // [from][to]; null where a cast is not defined
  // Indexed by reduction and by input type; the accumulator type is accumulator_type(reduction, input type).
  ReduceKernels reduce[reduction_count][dtype_count] = {};
  AccumulatorKernels accumulator[reduction_count] = {};
  const CompactKernels* compact = nullptr;
  const FftKernels* fft = nullptr;
  const GemmKernels* gemm = nullptr;  // by element type; none for the 16-bit floating types
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

// The table of the level chosen at load (the best that the machine has, or what SUANZI_SIMD names).
const KernelTable& kernels();

// The kernel that casts; null where there is nothing to cast, or no such cast.
Kernel converter(DType from, DType to);

// Products of bfloat16, null where the machine has no instruction for them or the level takes none; products of 8-bit
// integers, the level's or those of an instruction for bytes; and the instructions' names, null where there is none.
const Bfloat16Gemm* bfloat16_gemm();
const ByteKernels& byte_kernels();
const char* bfloat16_instruction();
const char* byte_instruction();

// The levels that were built and that this machine can run, best last.
struct Level {
  const char* name;
  const KernelTable* table;
};
const Level* available_levels(int& count);

}  // namespace suanzi
