// The families of kernels of one level. Each function fills its family's part of the level's table, or a separate
// table.
//
// A family's functions fill the rows of its operations for all types except complex types and strings. Kernels of
// complex types are in complex.kernels.cpp, and functions of strings are in ops/text/strings.cpp. For operations that
// only move elements (where, positive, and conj of real types), select.kernels.cpp contains one kernel for each element
// size. The kernel serves all types of this size.
#pragma once

#include "kernels/kernel.h"
#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

void fill_arithmetic(KernelTable& table);
void fill_chain(KernelTable& table);
void fill_integer_division(KernelTable& table);
void fill_compare(KernelTable& table);
void fill_bitwise(KernelTable& table);
void fill_rounding(KernelTable& table);
void fill_select(KernelTable& table);
void fill_math(KernelTable& table);
void fill_floating_functions(KernelTable& table);
void fill_complex(KernelTable& table);
void fill_convert(KernelTable& table);
void fill_reduce(KernelTable& table);
void fill_compact(CompactKernels& kernels);
void fill_convolve(KernelTable& table);
void fill_search(SearchTable& table);
void fill_indexed(IndexedKernels& kernels);
void fill_random(RandomKernels& kernels);
void fill_movement(MoveKernels* of_size);
void fill_statistics(KernelTable& table);
void fill_scan(ScanTable& table);
void fill_gemm(GemmKernels* of_type);
void fill_gemv(GemvKernels* of_type);
void fill_sort(SortingKernels& kernels);
void fill_small_eigen(SmallMatrixKernels* of_type);
void fill_small_matrix(SmallMatrixKernels* of_type);
void fill_small_qr(SmallMatrixKernels* of_type);
void fill_small_svd(SmallMatrixKernels* of_type);
void fill_fft(KernelTable& table);
void fill_interpolation(KernelTable& table);
void fill_pooling(KernelTable& table);
void fill_quantized(KernelTable& table);
void fill_sampling(KernelTable& table);
void fill_sparse(KernelTable& table);

// Returns the level's table, which the first call builds.
const KernelTable& table();

}  // namespace suanzi::SUANZI_LEVEL
