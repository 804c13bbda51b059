// The kernel table of one level, from its families.
#include "kernels/families.h"
#include "ops/elementwise/strings.h"

#define SUANZI_TEXT_OF(name) #name
#define SUANZI_TEXT(name) SUANZI_TEXT_OF(name)

namespace suanzi::SUANZI_LEVEL {
namespace {

KernelTable build_table() {
  KernelTable table{.level = SUANZI_TEXT(SUANZI_LEVEL)};
  fill_arithmetic(table);
  fill_integer_division(table);
  fill_compare(table);
  fill_bitwise(table);
  fill_rounding(table);
  fill_select(table);
  fill_math(table);
  fill_complex(table);
  fill_convert(table);
  fill_reduce(table);
  fill_compact(table);
  fill_search(table);
  fill_indexed(table);
  fill_random(table);
  fill_movement(table);
  fill_statistics(table);
  fill_scan(table);
  fill_gemm(table);
  fill_gemv(table);
  fill_sort(table);
  fill_sparse(table);
  fill_small_eigen(table);
  fill_small_matrix(table);
  fill_small_qr(table);
  fill_small_svd(table);
  fill_interpolation(table);
  fill_quantized(table);
  fill_fft(table);
  fill_text(table);
  return table;
}

}  // namespace

const KernelTable& table() {
  static const KernelTable built = build_table();
  return built;
}

}  // namespace suanzi::SUANZI_LEVEL
