// One matrix product: by our kernels, or by BLAS.
#pragma once

#include <functional>
#include <optional>

#include "ops/product/gemm.kernels.h"
#include "ops/product/matrix.h"
#include "runtime/library.h"

namespace suanzi::products {

using blas::Session;

// C = A B by the kernels of ops/product/gemm.kernels.cpp; the rows of C are contiguous. `start`, if given, is a row
// that is added to each of C. On the calling thread, but for products with a vector (ops/product/gemv.h). Scratch
// memory: 32 KiB of stack.
void multiply(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start = nullptr);

// The call of the block kernel that such a product is where nothing is to be packed: for products that differ in where
// their operands lie alone.
std::optional<GemmBlock> as_block(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c,
                                  const std::byte* start = nullptr);

const GemmKernels& kernels_for(DType dtype);

// C = A B for one panel of B, `width` columns wide, of which C takes as many as it has: the first rows of B, with a row
// to be added to each of C or null, or the next ones, whose products are added to C.
GemmBlock block_of_panel(const GemmKernels& kernel, const Matrix& a, const std::byte* panel, int64_t width,
                         const Matrix& c, const std::byte* start, bool first);

// Packs B by rows, with a step of `width` elements, as the block kernel takes it.
void copy_panel(std::byte* panel, const Matrix& b, int64_t width, int size);

// The product on several threads, for large products. Scratch memory: 4 MiB, and 400 KiB for each thread.
void multiply_shared(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start = nullptr);

// Such a product with a B of which panels are made as they are needed: terms from `term` on of as many columns as a
// panel has, or as are left, from `column` on.
using PackPanel = std::function<void(std::byte* panel, int64_t column, int64_t term, int64_t terms)>;
void multiply_panels_shared(DType dtype, const Matrix& a, const Matrix& c, const std::byte* start,
                            const PackPanel& pack_panel);

// Multiply-adds up to which a product takes less time by our kernels than by the library, which is loaded if it must be
// known; and whether factors that are made of products do (runtime/costs.h).
int64_t own_product();
bool own_factors();

// True if BLAS takes the matrix as it is: one dimension contiguous, the other not overlapping.
bool fits_blas(const Matrix& x);

// The product by BLAS, for matrices that fit it and have elements.
void multiply_by_blas(const Session& session, DType dtype, const Matrix& a, const Matrix& b, const Matrix& c,
                      const std::byte* start = nullptr);

}  // namespace suanzi::products
