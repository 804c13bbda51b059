// A Matrix is a view of two dimensions of a tensor. A Matrix does not own its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"

namespace suanzi::products {

constexpr int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Estimates the work of a product of an a × b matrix and a b × c matrix.
inline double work_of(int64_t a, int64_t b, int64_t c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

struct Matrix {
  std::byte* data;
  int64_t rows, columns;
  int64_t row_step, column_step;  // the steps in elements

  // Returns the matrix in the last two dimensions of x, at index 0 of the other dimensions.
  static Matrix of(const Tensor& x) {
    const int r = x.rank();
    return {x.data, x.shape[r - 2], x.shape[r - 1], x.strides[r - 2], x.strides[r - 1]};
  }
  Matrix transposed() const { return {data, columns, rows, column_step, row_step}; }
  Matrix at(std::byte* other) const { return {other, rows, columns, row_step, column_step}; }
  Matrix block(int64_t row, int64_t column, int64_t height, int64_t width, int element_size) const {
    return {data + (row * row_step + column * column_step) * element_size, height, width, row_step, column_step};
  }
};

}  // namespace suanzi::products
