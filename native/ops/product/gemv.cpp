#include "ops/product/gemv.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/product/gemm.kernels.h"
#include "ops/product/gemv.kernels.h"
#include "ops/product/matmul.h"
#include "ops/reduce/reduce.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"
#include "walk/movement.kernels.h"

namespace suanzi::products {
namespace {

constexpr int64_t task_bytes = costs::vector_product_bytes;

// Writes the sum of the parts x[0], x[1], … to `out`, in the type of x.
void add_up(const Tensor& x, std::byte* out) {
  const Reduction combine = x.dtype == DType::boolean ? Reduction::any : Reduction::sum;
  const Tensor sums = reduce("matmul", combine, x, 1, false, x.dtype);
  std::memcpy(out, sums.data, static_cast<size_t>(sums.nbytes()));
}

// Copies the elements of a vector to contiguous memory.
void gather(std::byte* to, Vector x, int64_t count, int size) {
  kernels().move[std::countr_zero(static_cast<unsigned>(size))].stride(to, x.data,
                                                                       {count, 1, size, 0, x.step * size, 0});
}

// Computes inner products of the rows of A with x. Tasks share the rows. The division into tasks does not affect any
// bit of the result.
void multiply_rows(DType dtype, const Matrix& a, Vector x, Vector y, const std::byte* start) {
  const GemvKernels& of_type = kernels().gemv[static_cast<int>(dtype)];
  const int64_t size = size_of(dtype), number = size_of(working_type(dtype)), bytes = a.rows * a.columns * size;
  const bool in_memory = of_type.products_in_memory && costs::is_in_memory(static_cast<double>(bytes));
  const GemvKernel multiply = in_memory ? of_type.products_in_memory : of_type.products;
  if (x.step != 1 && a.columns > 1) {
    Scratch memory;
    const Vector copy{memory.take<std::byte>(a.columns * number), 1};
    gather(copy.data, x, a.columns, static_cast<int>(number));
    return multiply_rows(dtype, a, copy, y, start);
  }
  if (bytes < 2 * task_bytes)
    return multiply({a.rows, a.columns, a.data, a.row_step, x.data, 1, y.data, y.step, start});
  const int64_t tasks = std::clamp<int64_t>(bytes / task_bytes, 1, range_count(2 * bytes, a.rows));
  for_ranges(tasks, bytes, a.rows, [=](int64_t, int64_t row, int64_t last) {
    const int64_t rows = last - row;
    multiply({rows, a.columns, a.data + row * a.row_step * size, a.row_step, x.data, 1, y.data + row * y.step * number,
              y.step, start ? start + row * number : nullptr});
  });
}

// Sums the products of the contiguous columns of A and the elements of x. Each task sums a stripe of all columns. The
// division into stripes does not affect any bit of the result. If the columns are short and many, each task sums some
// of the columns instead. The number of these tasks is constant, so the bits do not depend on the number of threads.
void multiply_columns(DType dtype, const Matrix& a, Vector x, Vector y, const std::byte* start) {
  constexpr int64_t parts = 8;
  const GemvKernels& of_type = kernels().gemv[static_cast<int>(dtype)];
  const int64_t size = size_of(dtype), number = size_of(working_type(dtype));
  const int64_t length = a.rows * size, bytes = length * a.columns;
  const bool in_memory = of_type.sums_in_memory && costs::is_in_memory(static_cast<double>(bytes));
  const GemvKernel multiply = in_memory ? of_type.sums_in_memory : of_type.sums;
  if (bytes < 2 * task_bytes)
    return multiply({a.columns, a.rows, a.data, a.column_step, x.data, x.step, y.data, 1, start});
  if (length < 2 * costs::column_stripe && bytes >= parts * task_bytes) {
    const Tensor sums = make_empty("matmul", {parts, a.rows}, working_type(dtype));
    parallel_for(parts, length_of(bytes), [&](int64_t part) {
      const int64_t column = a.columns * part / parts, columns = a.columns * (part + 1) / parts - column;
      multiply({columns, a.rows, a.data + column * a.column_step * size, a.column_step,
                x.data + column * x.step * number, x.step, sums.data + part * a.rows * number, 1,
                part == 0 ? start : nullptr});
    });
    return add_up(sums, y.data);
  }
  const int64_t most = std::min<int64_t>(length / costs::column_stripe, num_threads());
  const int64_t stripes = std::clamp<int64_t>(bytes / task_bytes, 1, std::max<int64_t>(most, 1));
  const int64_t lines = ceiling(length, cache_line), in_line = cache_line / size;
  parallel_for(stripes, length_of(bytes), [=](int64_t stripe) {
    const int64_t row = lines * stripe / stripes * in_line;
    const int64_t rows = std::min(lines * (stripe + 1) / stripes * in_line, a.rows) - row;
    multiply({a.columns, rows, a.data + row * size, a.column_step, x.data, x.step, y.data + row * number, 1,
              start ? start + row * number : nullptr});
  });
}

}  // namespace

bool multiply_vector(DType dtype, const Matrix& a, Vector x, Vector y, const std::byte* start) {
  if (a.column_step == 1 || a.columns == 1) {
    multiply_rows(dtype, a, x, y, start);
  } else if (a.rows == 1 || (a.row_step == 1 && y.step == 1)) {
    multiply_columns(dtype, a, x, y, start);
  } else {
    return false;
  }
  return true;
}

void inner_product(const char* op, const Tensor& a, const Tensor& b, std::byte* out, bool conjugate) {
  // The number of elements that one call of the kernel sums. This number is constant, so the bits do not depend on the
  // number of threads.
  constexpr int64_t chunk = 32768;
  const Tensor x = to_contiguous(op, a), y = to_contiguous(op, b);
  const DType number = working_type(x.dtype);
  const int size = size_of(x.dtype);
  const GemmKernels& kernel = kernels().gemm[static_cast<int>(x.dtype)];
  const DotKernel dot = conjugate ? kernel.conjugate_dot : kernel.dot;
  if (x.size <= chunk) return dot(out, x.data, y.data, x.size);
  const int64_t chunks = (x.size + chunk - 1) / chunk;
  const Tensor sums = make_empty(op, {chunks}, number);
  parallel_for(chunks, chunks < costs::shared_chunks ? 1 : max_threads, [&](int64_t i) {
    dot(sums.data + i * size_of(number), x.data + i * chunk * size, y.data + i * chunk * size,
        std::min(chunk, x.size - i * chunk));
  });
  add_up(sums, out);
}

}  // namespace suanzi::products
