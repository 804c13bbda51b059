#include "ops/product/prepacked.h"

#include <algorithm>
#include <optional>

#include "ops/product/gemm.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

int64_t last(const Tensor& x) { return x.rank() == 0 ? -1 : x.shape[x.rank() - 1]; }

void check_type(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (x.dtype != DType::float32 && x.dtype != DType::float64)
    fail(Status::type_mismatch, op, ": elements are ", name(x.dtype), ", not float32 or float64");
}

}  // namespace

Tensor to_panels(const char* op, const Tensor& matrix) {
  check_type(op, matrix);
  if (matrix.rank() != 2 || matrix.size == 0)
    fail(Status::dimensions_mismatch, op, ": shape ", matrix.shape, " is not that of a matrix with elements");
  const Matrix b = Matrix::of(matrix);
  const int size = size_of(matrix.dtype);
  const int64_t width = kernels_for(matrix.dtype).panel, count = ceiling(b.columns, width);
  Tensor result = make_empty(op, {count, b.rows, width}, matrix.dtype);
  const int64_t bytes = b.rows * width * size;
  if (b.columns % width) std::fill_n(result.data + (count - 1) * bytes, bytes, std::byte{0});
  const int64_t together = std::max<int64_t>(1, costs::panel_copy_bytes / bytes);
  parallel_for(ceiling(count, together), [&](int64_t task) {
    for (int64_t i = task * together; i < std::min((task + 1) * together, count); ++i) {
      const int64_t column = i * width;
      copy_panel(result.data + i * bytes, b.block(0, column, b.rows, std::min(width, b.columns - column), size), width,
                 size);
    }
  });
  return result;
}

Tensor multiply_panels(const char* op, const Tensor& given, const Tensor& panels, int64_t columns, const Tensor* bias) {
  check_type(op, given);
  check_alive(op, panels);
  const DType dtype = given.dtype;
  const GemmKernels& kernel = kernels_for(dtype);
  const int64_t width = kernel.panel, strip = kernel.rows;
  if (panels.dtype != dtype || panels.rank() != 3 || panels.size == 0 || panels.shape[2] != width ||
      !panels.contiguous || columns > panels.shape[0] * width || columns <= (panels.shape[0] - 1) * width)
    fail(Status::invalid_argument, op, ": shape ", panels.shape, " of ", name(panels.dtype), " is not that of ",
         columns, " columns of ", name(dtype), " in panels");
  const int64_t depth = panels.shape[1];
  if (last(given) != depth)
    fail(Status::dimensions_mismatch, op, ": shapes ", given.shape, " and (", depth, ", ", columns, ") do not fit");
  std::optional<Tensor> added;
  if (bias) {
    check_alive(op, *bias);
    if (bias->dtype != dtype || bias->rank() != 1 || bias->shape[0] != columns)
      fail(Status::dimensions_mismatch, op, ": a vector of shape ", bias->shape, " and type ", name(bias->dtype),
           " is not one of ", columns, " elements of ", name(dtype));
    added = to_contiguous(op, *bias);
  }
  Dims shape = given.shape;
  shape.back() = columns;
  Tensor result = make_empty(op, shape, dtype);
  if (result.size == 0) return result;
  const Tensor x = to_contiguous(op, given);
  const int size = size_of(dtype);
  const int64_t rows = result.size / columns;
  const Matrix a{x.data, rows, depth, depth, 1}, c{result.data, rows, columns, columns, 1};
  const std::byte* const start = added ? added->data : nullptr;
  // The number of rows of A that stay in the L2 cache while the panels pass, so that each row is read from memory once.
  const int64_t together = std::max<int64_t>(costs::slice_bytes() / (depth * strip * size), 1) * strip;
  const int64_t slices = ceiling(rows, together), count = panels.shape[0];
  const int64_t work = std::min(rows, together) * depth * width;
  // Each task multiplies enough panels to be worth a task, and all tasks multiply about as many.
  const int64_t groups = ceiling(count, std::max<int64_t>(1, costs::product_task / work)),
                group = ceiling(count, groups);
  const Length length = work_of(rows, depth, columns) < costs::brief_product ? Length::brief : Length::any;
  parallel_for(slices * groups, length, [&](int64_t task) {
    const int64_t row = task / groups * together;
    const Matrix x_rows = a.block(row, 0, std::min(together, rows - row), depth, size);
    for (int64_t i = task % groups * group; i < std::min((task % groups + 1) * group, count); ++i) {
      const int64_t column = i * width;
      const Matrix target = c.block(row, column, x_rows.rows, std::min(width, columns - column), size);
      for (int64_t p = 0; p < depth; p += costs::panel_depth) {
        const int64_t height = std::min(costs::panel_depth, depth - p);
        kernel.block(block_of_panel(kernel, x_rows.block(0, p, x_rows.rows, height, size),
                                    panels.data + (i * depth + p) * width * size, width, target,
                                    start ? start + column * size : nullptr, p == 0));
      }
    }
  });
  return result;
}

}  // namespace suanzi::products
