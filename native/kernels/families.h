// The families of kernels of one level: each fills its part of the level's table.
//
// A family has the rows of its operations for every type but the complex ones, all of which are in complex.kernels.cpp,
// and strings, which are in strings.cpp; only what merely moves elements (where, positive, and conj of real types) is
// in select.kernels.cpp for every type of a size.
#pragma once

#include "kernels/kernel.h"
#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

void fill_arithmetic(KernelTable& table);
void fill_integer_division(KernelTable& table);
void fill_compare(KernelTable& table);
void fill_bitwise(KernelTable& table);
void fill_rounding(KernelTable& table);
void fill_select(KernelTable& table);
void fill_math(KernelTable& table);
void fill_complex(KernelTable& table);
void fill_convert(KernelTable& table);
void fill_reduce(KernelTable& table);
void fill_compact(KernelTable& table);
void fill_search(KernelTable& table);
void fill_indexed(KernelTable& table);
void fill_random(KernelTable& table);
void fill_movement(KernelTable& table);
void fill_statistics(KernelTable& table);
void fill_scan(KernelTable& table);
void fill_gemm(KernelTable& table);
void fill_gemv(KernelTable& table);
void fill_sort(KernelTable& table);
void fill_small_eigen(KernelTable& table);
void fill_small_matrix(KernelTable& table);
void fill_small_qr(KernelTable& table);
void fill_small_svd(KernelTable& table);
void fill_fft(KernelTable& table);
void fill_interpolation(KernelTable& table);
void fill_quantized(KernelTable& table);
void fill_sparse(KernelTable& table);

// The level's table, built on first use.
const KernelTable& table();

}  // namespace suanzi::SUANZI_LEVEL
