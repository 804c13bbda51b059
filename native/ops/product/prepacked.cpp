#include "ops/product/prepacked.h"

#include <algorithm>
#include <optional>

#include "kernels/kernel.h"
#include "ops/product/gemm.h"
#include "ops/product/gemv.kernels.h"
#include "ops/product/packed.kernels.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

int64_t last(const Tensor& x) { return x.rank() == 0 ? -1 : x.shape[x.rank() - 1]; }

bool is_code(DType dtype) { return dtype == DType::int8 || dtype == DType::uint8; }
// Returns the type of the numbers in panels, or of the numbers that the codes in panels represent.
DType numbers_of(DType dtype) { return is_code(dtype) ? DType::float32 : dtype; }

void check_type(const char* op, const Tensor& x, bool may_be_codes) {
  check_alive(op, x);
  if (x.dtype == DType::float32 || x.dtype == DType::float64 || (may_be_codes && is_code(x.dtype))) return;
  fail(Status::type_mismatch, op, ": elements are ", name(x.dtype), ", not float32",
       may_be_codes ? ", float64, int8 or uint8" : " or float64");
}

void check_vector(const char* op, const Tensor& x, int64_t columns, DType dtype) {
  check_alive(op, x);
  if (x.dtype != dtype || x.rank() != 1 || x.shape[0] != columns)
    fail(Status::dimensions_mismatch, op, ": a vector of shape ", x.shape, " and type ", name(x.dtype),
         " is not one of ", columns, " elements of ", name(dtype));
}

// Decodes panels of codes.
class Decoder {
 public:
  Decoder(const char* op, const Tensor& panels, int64_t columns, const Scaling& scaling)
      : panels_(panels), count_(panels.shape[0] * panels.shape[2]), scales_(count_), zeros_(count_) {
    check_vector(op, scaling.scales, columns, DType::float32);
    if (scaling.zeros) check_vector(op, *scaling.zeros, columns, panels.dtype);
    const Tensor scales = to_contiguous(op, scaling.scales);
    std::fill(std::copy_n(scales.as<float>(), columns, scales_.data()), scales_.data() + count_, 0.0f);
    std::fill_n(zeros_.data(), count_, 0.0f);
    if (!scaling.zeros) return;
    const Tensor zeros = to_contiguous(op, *scaling.zeros);
    if (is_signed())
      std::copy_n(zeros.as<int8_t>(), columns, zeros_.data());
    else
      std::copy_n(zeros.as<uint8_t>(), columns, zeros_.data());
  }

  // Writes the numbers that the rows [row, row + rows) of a panel represent.
  void decode(float* out, int64_t panel, int64_t row, int64_t rows) const {
    const int64_t depth = panels_.shape[1], width = panels_.shape[2];
    kernels().gemv[static_cast<int>(DType::uint8)].packed->decode_panel(
        out, {panels_.data + (panel * depth + row) * width, is_signed(), rows, width, scales_.data() + panel * width,
              zeros_.data() + panel * width});
  }

 private:
  bool is_signed() const { return panels_.dtype == DType::int8; }

  const Tensor& panels_;
  const int64_t count_;  // the number of columns, including the columns that fill up the last panel
  ScratchArray<float> scales_, zeros_;
};

// Computes C = A B for a B in panels, on several threads.
struct PanelProduct {
  const Tensor& panels;
  // The pointer is null for panels of numbers.
  const Decoder* decoder;
  Matrix a, c;
  const std::byte* start;  // a row that is added to each row of C, or null
  DType dtype;
  const GemmKernels& kernel;

  void multiply() const {
    const int64_t strip = kernel.rows, size = size_of(dtype), depth = a.columns, count = panels.shape[0];
    // The number of rows of A that stay in the L2 cache during the products with all panels, so that the code reads
    // each row from memory once.
    const int64_t together = std::max<int64_t>(costs::slice_bytes() / (depth * strip * size), 1) * strip;
    const int64_t slices = ceiling(a.rows, together), work = std::min(a.rows, together) * depth * width();
    // The work of each task is at least costs::product_task, and all tasks multiply about the same number of panels.
    const int64_t groups = ceiling(count, std::max<int64_t>(1, costs::product_task / work)),
                  group = ceiling(count, groups);
    const Length length = work_of(a.rows, depth, c.columns) < costs::brief_product ? Length::brief : Length::any;
    parallel_for(slices * groups, length, [&](int64_t task) {
      const int64_t row = task / groups * together, first = task % groups * group;
      multiply_rows(row, std::min(together, a.rows - row), first, std::min(first + group, count));
    });
  }

 private:
  int64_t width() const { return panels.shape[2]; }

  // Multiplies the rows [row, row + rows) of A by the panels [first, end).
  void multiply_rows(int64_t row, int64_t rows, int64_t first, int64_t end) const {
    const int size = size_of(dtype);
    const int64_t depth = a.columns, column = first * width();
    const Matrix left = a.block(row, 0, rows, depth, size),
                 target = c.block(row, column, rows, std::min(end * width(), c.columns) - column, size);
    const std::byte* const added = start ? start + column * size : nullptr;
    if (!decoder) return multiply_by_panels(kernel, size, left, panels.data + column * depth * size, target, added, 0);
    const ScratchArray<float> numbers(std::min(depth, costs::panel_depth) * width());
    for (int64_t j = 0; j < target.columns; j += width()) {
      for (int64_t p = 0; p < depth; p += costs::panel_depth) {
        const int64_t height = std::min(costs::panel_depth, depth - p);
        decoder->decode(numbers.data(), first + j / width(), p, height);
        kernel.block(block_of_panel(kernel, left.block(0, p, rows, height, size),
                                    reinterpret_cast<const std::byte*>(numbers.data()), width(),
                                    target.block(0, j, rows, std::min(width(), target.columns - j), size),
                                    added ? added + j * size : nullptr, p == 0));
      }
    }
  }
};

}  // namespace

Tensor to_panels(const char* op, const Tensor& matrix) {
  check_type(op, matrix, true);
  if (matrix.rank() != 2 || matrix.size == 0)
    fail(Status::dimensions_mismatch, op, ": an operand of shape ", matrix.shape, " is not a matrix with elements");
  const Matrix b = Matrix::of(matrix);
  const int size = size_of(matrix.dtype);
  const int64_t width = kernels_for(numbers_of(matrix.dtype)).panel, count = ceiling(b.columns, width);
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

Tensor multiply_panels(const char* op, const Tensor& given, const Tensor& panels, int64_t columns, const Tensor* bias,
                       const Scaling* scaling) {
  check_type(op, given, false);
  check_alive(op, panels);
  const DType dtype = given.dtype;
  const GemmKernels& kernel = kernels_for(dtype);
  const int64_t width = kernel.panel;
  if (numbers_of(panels.dtype) != dtype || is_code(panels.dtype) != (scaling != nullptr) || panels.rank() != 3 ||
      panels.size == 0 || panels.shape[2] != width || !panels.contiguous || columns > panels.shape[0] * width ||
      columns <= (panels.shape[0] - 1) * width)
    fail(Status::invalid_argument, op, ": panels of shape ", panels.shape, " and type ", name(panels.dtype),
         " do not hold ", columns, " columns of ", name(dtype), " in panels", scaling ? " of codes" : "");
  const int64_t depth = panels.shape[1];
  if (last(given) != depth)
    fail(Status::dimensions_mismatch, op, ": shapes ", given.shape, " and (", depth, ", ", columns, ") do not fit");
  std::optional<Tensor> added;
  if (bias) {
    check_vector(op, *bias, columns, dtype);
    added = to_contiguous(op, *bias);
  }
  std::optional<Decoder> decoder;
  if (scaling) decoder.emplace(op, panels, columns, *scaling);
  Dims shape = given.shape;
  shape.back() = columns;
  Tensor result = make_empty(op, shape, dtype);
  if (result.size == 0) return result;
  const Tensor x = to_contiguous(op, given);
  const int64_t rows = result.size / columns;
  PanelProduct{panels,
               decoder ? &*decoder : nullptr,
               {x.data, rows, depth, depth, 1},
               {result.data, rows, columns, columns, 1},
               added ? added->data : nullptr,
               dtype,
               kernel}
      .multiply();
  return result;
}

}  // namespace suanzi::products
