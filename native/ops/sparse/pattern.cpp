#include "ops/sparse/pattern.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ops/elementwise/fits.h"
#include "ops/sparse/ranges.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

void check_integers(const char* op, const char* what, const Tensor& x) {
  check_alive(op, x);
  if (!is_integer(x.dtype))
    fail(Status::type_mismatch, op, ": ", what, " of type ", name(x.dtype), " are not integers");
}

// Returns a contiguous copy of integers as int64, or the tensor itself. Fails with OUT_OF_RANGE for an integer beyond
// int64.
Tensor as_int64(const char* op, const Tensor& x) {
  if (x.dtype == DType::int64) return to_contiguous(op, x);
  if (x.dtype == DType::uint64) check_fits(op, x, DType::int64);
  return to_contiguous(op, cast(op, x, DType::int64));
}

void check_range(const char* op, const int64_t* index, int64_t n, int64_t size, int axis) {
  int64_t outside = 0;  // a number whose sign bit is set if an index is out of range
  for (int64_t i = 0; i < n; ++i)
    outside |= index[i] | static_cast<int64_t>(static_cast<uint64_t>(size - 1) - static_cast<uint64_t>(index[i]));
  if (outside >= 0) return;
  for (int64_t i = 0; i < n; ++i)
    if (index[i] < 0 || index[i] >= size)
      fail(Status::out_of_range, op, ": index ", index[i], " is outside [0, ", size, ") along axis ", axis);
}

// Copies rows of indices to the type of the pattern's indices, and checks the copies. Each row holds the coordinates
// along one axis of the shape. The function works tile by tile and checks copies, because another thread may write to
// the indices meanwhile.
Tensor take_checked(const char* op, const Tensor& int64s, const Dims& shape, int first_axis) {
  constexpr int64_t tile = 1024;
  const Tensor kept = make_empty(op, int64s.shape, index_type_for(shape));
  const int64_t n = int64s.shape[int64s.rank() - 1];
  const auto take = [&](auto* out) {
    int64_t copy[tile];
    for (int axis = 0; axis < shape.size(); ++axis) {
      for (int64_t at = axis * n, end = at + n; at < end; at += tile) {
        const int64_t count = std::min(tile, end - at);
        std::memcpy(copy, int64s.as<int64_t>() + at, static_cast<size_t>(count) * sizeof(int64_t));
        check_range(op, copy, count, shape[axis], first_axis + axis);
        for (int64_t i = 0; i < count; ++i) out[at + i] = static_cast<std::remove_pointer_t<decltype(out)>>(copy[i]);
      }
    }
  };
  if (kept.dtype == DType::int32) {
    take(kept.as<int32_t>());
  } else {
    take(kept.as<int64_t>());
  }
  return kept;
}

// Returns the type in which users receive indices if a caller passed indices of type t.
DType shown_type(DType t, const Dims& shape, int64_t count) {
  int64_t largest = count;
  for (int64_t size : shape) largest = std::max(largest, size - 1);
  if (t == DType::int16 && largest <= std::numeric_limits<int16_t>::max()) return t;
  if ((t == DType::int16 || t == DType::int32) && largest <= std::numeric_limits<int32_t>::max()) return DType::int32;
  return DType::int64;
}

template <class Index>
bool in_order(const Pattern& p) {
  const int64_t n = p.count();
  for (int64_t i = 1; i < n; ++i) {
    int axis = 0;
    while (axis < p.rank() && p.row<Index>(axis)[i - 1] == p.row<Index>(axis)[i]) ++axis;
    if (axis == p.rank() || p.row<Index>(axis)[i - 1] > p.row<Index>(axis)[i]) return false;
  }
  return true;
}

template <class Index>
bool rows_in_order(const Pattern& p) {
  const auto *starts = p.starts.as<int64_t>(), *end = starts + p.shape[0];
  const Index* columns = p.row<Index>(0);
  for (; starts < end; ++starts)
    for (int64_t i = starts[0] + 1; i < starts[1]; ++i)
      if (columns[i - 1] >= columns[i]) return false;
  return true;
}

}  // namespace

DType index_type_for(const Dims& shape) {
  const auto needs = [](int64_t size) { return size - 1 > std::numeric_limits<int32_t>::max(); };
  return std::any_of(shape.begin(), shape.end(), needs) ? DType::int64 : DType::int32;
}

Pattern make_coordinates(const Dims& shape, Tensor indices, DType index_type, bool canonical) {
  const DType shown = shown_type(index_type, shape, 0);
  return {Format::coo, shape, std::move(indices), {}, shown, DType::int64, canonical};
}

Pattern from_coordinates(const char* op, const Dims& shape, const Tensor& coordinates) {
  check_integers(op, "indices", coordinates);
  for (int64_t size : shape)
    if (size < 0) fail(Status::invalid_argument, op, ": shape ", shape, " has a negative size");
  if (coordinates.rank() != 2 || coordinates.shape[1] != shape.size())
    fail(Status::dimensions_mismatch, op, ": indices have shape ", coordinates.shape, ", not (nnz, ", shape.size(),
         "), as shape ", shape, " needs");
  const Tensor rows = as_int64(op, permute(op, coordinates, {1, 0}));
  Pattern p = make_coordinates(shape, take_checked(op, rows, shape, 0), coordinates.dtype, true);
  p.canonical = with_index(p, [&]<class Index>() { return in_order<Index>(p); });
  return p;
}

Pattern from_rows(const char* op, const Dims& shape, const Tensor& starts, const Tensor& columns) {
  check_integers(op, "indptr", starts);
  check_integers(op, "indices", columns);
  if (shape.size() != 2)
    fail(Status::dimensions_mismatch, op, ": compressed rows need two dimensions, not shape ", shape);
  if (shape[0] < 0 || shape[1] < 0) fail(Status::invalid_argument, op, ": shape ", shape, " has a negative size");
  if (columns.rank() != 1)
    fail(Status::dimensions_mismatch, op, ": indices have shape ", columns.shape, ", not (nnz,)");
  if (starts.rank() != 1 || starts.shape[0] - 1 != shape[0])
    fail(Status::dimensions_mismatch, op, ": indptr of shape ", starts.shape, " does not fit ", shape[0],
         " rows: indptr needs one element more than the tensor has rows");
  // The code checks the copy, because another thread may write to `starts`.
  const Tensor from = cast(op, as_int64(op, starts), DType::int64);
  const auto* at = from.as<int64_t>();
  for (int64_t row = 0; row < shape[0]; ++row)
    if (at[row] > at[row + 1])
      fail(Status::invalid_argument, op, ": indptr falls from ", at[row], " to ", at[row + 1], " at row ", row);
  if (at[0] != 0) fail(Status::invalid_argument, op, ": indptr starts row 0 at ", at[0], ", not at 0");
  const int64_t n = columns.shape[0];
  if (at[shape[0]] != n) {
    if (shape[0] == 0)
      fail(Status::invalid_argument, op, ": indptr ends at 0 after no rows, but there are ", n, " indices");
    fail(Status::invalid_argument, op, ": indptr ends at ", at[shape[0]], " after row ", shape[0] - 1,
         ", the last, but there are ", n, " indices");
  }
  const Dims across{shape[1]};
  Pattern p{Format::csr,
            shape,
            take_checked(op, as_int64(op, columns), across, 1),
            from,
            shown_type(columns.dtype, across, 0),
            shown_type(starts.dtype, {}, n),
            true};
  p.canonical = with_index(p, [&]<class Index>() { return rows_in_order<Index>(p); });
  return p;
}

Tensor shown_indices(const char* op, const Pattern& p) {
  const Tensor view = p.format == Format::coo ? permute(op, p.indices, {1, 0}) : p.indices;
  return cast(op, view, shown_type(p.index_type, p.format == Format::coo ? p.shape : Dims{p.shape[1]}, 0));
}

Tensor shown_starts(const char* op, const Pattern& p) {
  if (p.format != Format::csr)
    fail(Status::type_mismatch, op, ": a pattern of coordinates has no indptr; to_csr makes compressed rows");
  return cast(op, p.starts, shown_type(p.starts_type, {}, p.count()));
}

Pattern to_coordinates(const char* op, const Pattern& p) {
  if (p.format == Format::coo) return p;
  const int64_t n = p.count(), rows = p.shape[0];
  const DType wanted = index_type_for(p.shape);
  const Tensor indices = make_empty(op, {2, n}, wanted);
  copy_into(op, make_view(indices, {n}, {1}, n), p.indices);
  Pattern result = make_coordinates(p.shape, indices, p.index_type, p.canonical);
  with_index(result, [&]<class Index>() {
    auto* const out = indices.as<Index>();
    const auto* starts = p.starts.as<int64_t>();
    share_rows(starts, rows, n + rows, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row)
        std::fill(out + starts[row], out + starts[row + 1], static_cast<Index>(row));
    });
  });
  return result;
}

Tensor linear_places(const char* op, const Pattern& p, uint64_t axes) {
  const int64_t n = p.count();
  const Tensor result = make_empty(op, {n}, DType::int64);
  auto* const place = result.as<int64_t>();
  std::fill_n(place, n, 0);
  with_index(p, [&]<class Index>() {
    for (int axis = 0; axis < p.rank(); ++axis) {
      if (!(axes >> axis & 1)) continue;
      const Index* index = p.row<Index>(axis);
      const int64_t size = p.shape[axis];
      for (int64_t i = 0; i < n; ++i) place[i] = place[i] * size + index[i];
    }
  });
  return result;
}

Tensor linear_places(const char* op, const Pattern& p, int first, int last) {
  const auto below = [](int axis) { return axis == 64 ? ~uint64_t{0} : (uint64_t{1} << axis) - 1; };
  return linear_places(op, p, below(last) & ~below(first));
}

namespace {

// Returns the sizes other than 1.
Dims proper_sizes(const Dims& shape) {
  Dims sizes;
  for (const int64_t size : shape)
    if (size != 1) sizes.push_back(size);
  return sizes;
}

// Copies the coordinates of a pattern to another shape, which differs only by axes of size 1.
template <class From, class To>
void copy_proper(const Pattern& from, const Dims& shape, To* out) {
  const int64_t n = from.count();
  int axis = 0;
  for (const int64_t size : shape) {
    if (size == 1) {
      std::fill_n(out, n, To{0});
    } else {
      while (from.shape[axis] == 1) ++axis;
      const From* in = from.row<From>(axis++);
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<To>(in[i]);
    }
    out += n;
  }
}

// Returns the integer quotient. Division in float64 is faster, and is exact for numbers below 2^53. No quotient is so
// close below an integer that rounding would move the quotient up to the integer.
template <bool Small>
int64_t quotient(int64_t a, int64_t b) {
  if constexpr (Small) return static_cast<int64_t>(static_cast<double>(a) / static_cast<double>(b));
  return a / b;
}

// Computes the coordinates of the elements in another shape. The row-major numbers of the elements do not change. The
// function handles a chunk of elements at a time, so that the chunk stays in the cache.
template <bool Small, class From, class To>
void renumber(const Pattern& from, const Dims& shape, To* out) {
  constexpr int64_t chunk = 1024;
  const int64_t n = from.count();
  share_elements((n + chunk - 1) / chunk, n, [&](int64_t first, int64_t last) {
    int64_t place[chunk];
    for (int64_t begin = first * chunk, end = std::min(n, last * chunk); begin < end; begin += chunk) {
      const int64_t count = std::min(chunk, end - begin);
      std::fill_n(place, count, 0);
      for (int axis = 0; axis < from.rank(); ++axis) {
        const From* in = from.row<From>(axis) + begin;
        for (int64_t i = 0; i < count; ++i) place[i] = place[i] * from.shape[axis] + in[i];
      }
      for (int axis = shape.size() - 1; axis > 0; --axis) {
        To* const to = out + axis * n + begin;
        for (int64_t i = 0; i < count; ++i) {
          const int64_t rest = quotient<Small>(place[i], shape[axis]);
          to[i] = static_cast<To>(place[i] - rest * shape[axis]);
          place[i] = rest;
        }
      }
      if (shape.size() > 0)
        for (int64_t i = 0; i < count; ++i) out[begin + i] = static_cast<To>(place[i]);
    }
  });
}

}  // namespace

bool differ_by_ones(const Dims& a, const Dims& b) { return proper_sizes(a) == proper_sizes(b); }

Pattern reshape(const char* op, const Pattern& p, const Dims& shape) {
  const Pattern from = to_coordinates(op, p);
  const bool is_plain = differ_by_ones(from.shape, shape);
  // checked_size fails if int64 cannot number the places.
  const int64_t places = is_plain ? 0 : checked_size(op, from.shape, DType::uint8);
  const Tensor indices = make_empty(op, {shape.size(), from.count()}, index_type_for(shape));
  with_index(from, [&]<class From>() {
    const auto fill = [&](auto* out) {
      if (is_plain) return copy_proper<From>(from, shape, out);
      if (places <= int64_t{1} << 53) return renumber<true, From>(from, shape, out);
      renumber<false, From>(from, shape, out);
    };
    if (indices.dtype == DType::int32) {
      fill(indices.as<int32_t>());
    } else {
      fill(indices.as<int64_t>());
    }
  });
  return make_coordinates(shape, indices, from.index_type, from.canonical);
}

}  // namespace suanzi::sparse
