// What a kernel is, and the table of them that each instruction-set level fills.
//
// A kernel works on contiguous elements of one type and knows nothing of strides, broadcasting or casts: the tile
// engine brings operands into that form.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"
#include "ops/indexing/indexed.kernels.h"
#include "ops/linalg/small_matrix.kernels.h"
#include "ops/product/gemm.kernels.h"
#include "ops/product/gemv.kernels.h"
#include "ops/random/random.kernels.h"
#include "ops/scan/scan.kernels.h"
#include "ops/search/compact.kernels.h"
#include "ops/search/search.kernels.h"
#include "ops/sort/sort.kernels.h"
#include "walk/movement.kernels.h"

namespace suanzi {

// Bytes that a processor fetches at a time.
inline constexpr int64_t cache_line = 64;

// Families with tables of their own: fft, interpolation, quantized and sparse.kernels.h in their rooms say what is in
// them.
struct FftKernels;
struct InterpolationKernels;
struct QuantizedKernels;
struct SparseKernels;

// The constants that some operations take besides their operands (tolerances, decimals, a rounding mode).
struct KernelParams {
  double real[2] = {0, 0};
  int64_t integer[2] = {0, 0};
  // Write past the caches: what is written will not be read soon. A hint; `out` must then be none of the inputs.
  bool stream = false;
};

// Reads n elements at each of in[0..arity), writes n elements at out. out may be one of the inputs exactly, never
// overlap one partially.
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

// What else an accumulator of float64 numbers needs.
struct AccumulatorKernels {
  MergeKernel merge = nullptr;    // of pairs; other accumulators merge as elements
  FinishKernel finish = nullptr;  // null where the accumulator is the result
};

struct KernelTable {
  const char* level;
  // Indexed by operation and by the type in which the kernel computes (its inputs' type).
  Kernel elementwise[operation_count][dtype_count] = {};
  Kernel convert[dtype_count][dtype_count] = {};  // [from][to]; null where a cast is not defined
  // Indexed by reduction and by input type; the accumulator type is accumulator_type(reduction, input type).
  ReduceKernels reduce[reduction_count][dtype_count] = {};
  CompactKernels compact = {};
  GemmKernels gemm[dtype_count] = {};  // null for the 16-bit floating types
  GemvKernels gemv[dtype_count] = {};
  SmallMatrixKernels small_matrix[dtype_count] = {};     // of float32, float64 and their complex types
  SearchKernels search[search_count][dtype_count] = {};  // null where the elements have no order
  IndexedKernels indexed = {};
  RandomKernels random = {};
  MoveKernels move[move_sizes] = {};
  AccumulatorKernels accumulator[reduction_count] = {};
  ScanKernels scan[scan_count][dtype_count] = {};  // by the type that is scanned
  SortingKernels sorting = {};
  const FftKernels* fft = nullptr;
  const InterpolationKernels* interpolation = nullptr;
  const QuantizedKernels* quantized = nullptr;
  const SparseKernels* sparse = nullptr;
};

// The table of the level chosen at load (the best that the machine has, or what SUANZI_SIMD names).
const KernelTable& kernels();

// The kernel that casts; null where there is nothing to cast, or no such cast.
Kernel converter(DType from, DType to);

// The levels that were built and that this machine can run, best last.
struct Level {
  const char* name;
  const KernelTable* table;
};
const Level* available_levels(int& count);

}  // namespace suanzi
