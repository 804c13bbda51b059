// The kernel table of one level, which consists of the tables of the kernel families.
#include "kernels/families.h"
#include "ops/indexing/indexed.kernels.h"
#include "ops/linalg/small_matrix.kernels.h"
#include "ops/product/gemm.kernels.h"
#include "ops/product/gemv.kernels.h"
#include "ops/random/random.kernels.h"
#include "ops/scan/scan.kernels.h"
#include "ops/search/compact.kernels.h"
#include "ops/search/search.kernels.h"
#include "ops/sort/sort.kernels.h"
#include "ops/text/strings.h"
#include "walk/movement.kernels.h"

#define SUANZI_TEXT_OF(name) #name
#define SUANZI_TEXT(name) SUANZI_TEXT_OF(name)

namespace suanzi::SUANZI_LEVEL {
namespace {

// The tables of kernels whose types only one family uses.
struct Families {
  CompactKernels compact;
  GemmKernels gemm[dtype_count];
  GemvKernels gemv[dtype_count];
  IndexedKernels indexed;
  MoveKernels move[move_sizes];
  RandomKernels random;
  ScanTable scan;
  SearchTable search;
  SmallMatrixKernels small_matrix[dtype_count];
  SortingKernels sorting;
};

KernelTable build_table() {
  static Families own;
  KernelTable table{.level = SUANZI_TEXT(SUANZI_LEVEL)};
  fill_arithmetic(table);
  fill_chain(table);
  fill_integer_division(table);
  fill_compare(table);
  fill_bitwise(table);
  fill_rounding(table);
  fill_select(table);
  fill_math(table);
  fill_floating_functions(table);
  fill_complex(table);
  fill_convert(table);
  fill_reduce(table);
  fill_compact(own.compact);
  fill_convolve(table);
  fill_search(own.search);
  fill_indexed(own.indexed);
  fill_random(own.random);
  fill_movement(own.move);
  fill_statistics(table);
  fill_scan(own.scan);
  fill_gemm(own.gemm);
  fill_gemv(own.gemv);
  fill_sort(own.sorting);
  fill_sparse(table);
  fill_small_eigen(own.small_matrix);
  fill_small_matrix(own.small_matrix);
  fill_small_qr(own.small_matrix);
  fill_small_svd(own.small_matrix);
  fill_interpolation(table);
  fill_pooling(table);
  fill_sampling(table);
  fill_quantized(table);
  fill_fft(table);
  fill_text(table, own.compact, own.search);
  table.compact = &own.compact;
  table.gemm = own.gemm;
  table.gemv = own.gemv;
  table.indexed = &own.indexed;
  table.move = own.move;
  table.random = &own.random;
  table.scan = &own.scan;
  table.search = &own.search;
  table.small_matrix = own.small_matrix;
  table.sorting = &own.sorting;
  return table;
}

}  // namespace

const KernelTable& table() {
  static const KernelTable built = build_table();
  return built;
}

}  // namespace suanzi::SUANZI_LEVEL
