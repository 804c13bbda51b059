// One matrix product, computed by our kernels or by BLAS.
#pragma once

#include <functional>
#include <optional>

#include "ops/product/gemm.kernels.h"
#include "ops/product/matrix.h"
#include "runtime/library.h"

namespace suanzi::products {

using blas::Session;

// Computes C = A B with the kernels of ops/product/gemm.kernels.cpp. The rows of C are contiguous. `start`, if given,
// is a row that the function adds to each row of C. Products with a vector (ops/product/gemv.h) may use several
// threads. All other products run on the calling thread. The scratch memory is 32 KiB of stack.
void multiply(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start = nullptr);

// Returns the operands of the block kernel for C = A B. Returns nothing if the code must pack B or if the product has
// no terms. If products differ only in the addresses of their operands, the caller can change the addresses in the
// GemmBlock.
std::optional<GemmBlock> as_block(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c,
                                  const std::byte* start = nullptr);

const GemmKernels& kernels_for(DType dtype);

// Returns the operands of the block kernel for the product of A and one panel of B. `c` consists of the columns of C
// for this panel, and the panel has `width` columns. If `first` is true, the kernel adds `start`, a row or null, to the
// products. Otherwise, the kernel adds the products to C.
GemmBlock block_of_panel(const GemmKernels& kernel, const Matrix& a, const std::byte* panel, int64_t width,
                         const Matrix& c, const std::byte* start, bool first);

// Computes C = A B for the packed panels of B that contain the columns of C. The start of the sums in row i of C, if
// `start` is not null, is i * start_row elements behind `start`.
void multiply_by_panels(const GemmKernels& kernel, int size, const Matrix& a, const std::byte* panels, const Matrix& c,
                        const std::byte* start, int64_t start_row);

// Packs B by rows, with a step of `width` elements, for the block kernel.
void copy_panel(std::byte* panel, const Matrix& b, int64_t width, int size);

// Computes a large product on several threads. The scratch memory is 4 MiB, and 400 KiB for each thread.
void multiply_shared(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start = nullptr);

// Computes the product in the same way as multiply_shared, but `pack_panel` makes each panel of B when the product
// needs the panel. A panel holds the terms [term, term + terms) and begins with column `column`.
using PackPanel = std::function<void(std::byte* panel, int64_t column, int64_t term, int64_t terms)>;
void multiply_panels_shared(DType dtype, const Matrix& a, const Matrix& c, const std::byte* start,
                            const PackPanel& pack_panel);

// own_product returns the greatest number of multiply-adds for which our kernels are faster than BLAS. own_product
// loads the BLAS library if the answer depends on the BLAS library. owns_products returns true if our kernels are
// faster for products of any size. own_factors returns true if factorisations that consist of products are faster with
// our kernels (runtime/costs.h).
int64_t own_product();
bool owns_products();
bool own_factors();

// Returns true if BLAS accepts the matrix without a copy. BLAS requires that one dimension is contiguous and that the
// other dimension does not overlap.
bool fits_blas(const Matrix& x);

// Computes the product with BLAS. fits_blas must accept the matrices, and the matrices must have elements.
void multiply_by_blas(const Session& session, DType dtype, const Matrix& a, const Matrix& b, const Matrix& c,
                      const std::byte* start = nullptr);

}  // namespace suanzi::products
