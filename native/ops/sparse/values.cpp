#include "ops/sparse/values.h"

#include <cstring>

#include "ops/sparse/blocks.h"
#include "ops/sparse/numbers.h"
#include "ops/sparse/ranges.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

Tensor gather(const char* op, const Tensor& x, const Tensor& from) {
  const int64_t n = from.size;
  const Dims shape = block_shape(x, n);
  checked_size(op, shape, x.dtype);
  const Tensor result = make_empty(op, shape, x.dtype);
  const int64_t bytes = block_size(x) * size_of(x.dtype);
  const auto* source = from.as<int64_t>();
  if (bytes == 0) return result;
  with_block_copy(bytes, [&](const auto& copy) {
    share_elements(n, n, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) copy(result.data + i * bytes, x.data + source[i] * bytes);
    });
  });
  return result;
}

Tensor sum_runs(const char* op, const Tensor& x, const Origin& origin) {
  const int64_t n = origin.runs.size - 1, size = block_size(x);
  const Tensor result = make_empty(op, block_shape(x, n), x.dtype);
  const auto *from = origin.moves() ? origin.from.as<int64_t>() : nullptr, *runs = origin.runs.as<int64_t>();
  // The code sums the parts of complex numbers separately.
  with_number(real_part(x.dtype), [&]<class Number>() {
    using T = typename Number::type;
    const int64_t block = is_complex(x.dtype) ? 2 * size : size;
    share_elements(n, x.size, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        T* const out = result.as<T>() + k * block;
        std::fill_n(out, block, T{});
        for (int64_t i = runs[k]; i < runs[k + 1]; ++i) {
          const T* in = x.as<T>() + (from ? from[i] : i) * block;
          if (i == runs[k]) {
            // The code copies the first element of a run, because a copy keeps the sign of a zero.
            std::copy_n(in, block, out);
          } else {
            for (int64_t j = 0; j < block; ++j) out[j] = Number::add(out[j], in[j]);
          }
        }
      }
    });
  });
  return result;
}

}  // namespace

Tensor copy_spans(const char* op, const Tensor& x, const Tensor& spans, const Tensor& starts) {
  const int64_t rows = spans.size;
  const auto *from = spans.as<int64_t>(), *to = starts.as<int64_t>();
  const Dims shape = block_shape(x, to[rows]);
  checked_size(op, shape, x.dtype);
  const Tensor result = make_empty(op, shape, x.dtype);
  const int64_t bytes = block_size(x) * size_of(x.dtype);
  share_rows(to, rows, result.size, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last;) {
      const int64_t begin = row++;
      while (row < last && from[row] - from[begin] == to[row] - to[begin]) ++row;  // The loop joins consecutive spans.
      std::memcpy(result.data + to[begin] * bytes, x.data + from[begin] * bytes,
                  static_cast<size_t>((to[row] - to[begin]) * bytes));
    }
  });
  return result;
}

Tensor carry(const char* op, const Tensor& values, const Origin& origin) {
  if (!origin.moves() && !origin.sums() && !origin.spanned()) return values;
  const Tensor x = to_contiguous(op, values);
  if (origin.spanned()) return copy_spans(op, x, origin.spans, origin.starts);
  if (!origin.sums()) return gather(op, x, origin.from);
  if (!is_half(x.dtype)) return sum_runs(op, x, origin);
  return cast(op, sum_runs(op, cast(op, x, DType::float32), origin), x.dtype);
}

void check_values(const char* op, const Pattern& p, const Tensor& values) {
  if (values.dtype == DType::string) fail(Status::type_mismatch, op, ": a sparse tensor cannot hold strings");
  if (values.rank() == 0 || values.shape[0] != p.count())
    fail(Status::dimensions_mismatch, op, ": values of shape ", values.shape, " do not fit ", p.count(), " elements");
}

Tensor to_dense(const char* op, const Pattern& p, const Tensor& values) {
  Dims shape = p.shape;
  for (int axis = 1; axis < values.rank(); ++axis) shape.push_back(values.shape[axis]);
  if (shape.size() > max_rank)
    fail(Status::invalid_argument, op, ": ", shape.size(), " dimensions are more than the ", max_rank, " supported");
  checked_size(op, shape, values.dtype);
  const Tensor result = make_empty(op, shape, values.dtype);
  fill(op, result, Scalar::of(false));
  const int64_t bytes = block_size(values) * size_of(values.dtype), n = p.count();
  if (bytes == 0 || n == 0) return result;
  const Tensor x = to_contiguous(op, values);
  with_block_copy(bytes, [&](const auto& copy) {
    if (p.format == Format::coo) {
      const Tensor places = linear_places(op, p, 0, p.rank());
      const auto* place = places.as<int64_t>();
      share_elements(n, n, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) copy(result.data + place[i] * bytes, x.data + i * bytes);
      });
      return;
    }
    with_index(p, [&]<class Index>() {
      const Index* column = p.row<Index>(0);
      const auto* starts = p.starts.as<int64_t>();
      share_rows(starts, p.shape[0], n, [&](int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row)
          for (int64_t i = starts[row]; i < starts[row + 1]; ++i)
            copy(result.data + (row * p.shape[1] + column[i]) * bytes, x.data + i * bytes);
      });
    });
  });
  return result;
}

Tensor from_dense(const char* op, const Pattern& p, const Tensor& dense) {
  const Pattern coordinates = to_coordinates(op, p);
  Dims shape{coordinates.count()}, strides;
  int64_t bytes = size_of(dense.dtype);
  for (int axis = p.rank(); axis < dense.rank(); ++axis) shape.push_back(dense.shape[axis]);
  // Blocks are contiguous. The axes of the pattern may have any strides.
  Tensor x = dense;
  Dims inner;
  for (int axis = p.rank(); axis < dense.rank(); ++axis) inner.push_back(dense.shape[axis]);
  if (inner.size() > 0) x = to_contiguous(op, dense);
  bytes *= product(inner);
  checked_size(op, shape, dense.dtype);
  const Tensor result = make_empty(op, shape, dense.dtype);
  if (bytes == 0) return result;
  const int64_t n = coordinates.count();
  with_index(coordinates, [&]<class Index>() {
    with_block_copy(bytes, [&](const auto& copy) {
      share_elements(n, n, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          int64_t offset = 0;
          for (int axis = 0; axis < p.rank(); ++axis) offset += coordinates.row<Index>(axis)[i] * x.strides[axis];
          copy(result.data + i * bytes, x.data + offset * size_of(x.dtype));
        }
      });
    });
  });
  return result;
}

}  // namespace suanzi::sparse
