#include "tensor/tensor.h"

#include <cstring>
#include <limits>
#include <numeric>

namespace suanzi {
namespace {

Dims strides_for_order(const Dims& shape, const Dims& order) {
  Dims strides(shape.size());
  int64_t step = 1;
  for (int64_t axis : order) {
    strides[static_cast<int>(axis)] = step;
    (void)__builtin_mul_overflow(step, std::max<int64_t>(shape[static_cast<int>(axis)], 1), &step);
  }
  return strides;
}

bool is_contiguous(const Dims& shape, const Dims& strides, int64_t size) {
  if (size == 0) return true;
  int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

void check_order(const char* op, const Dims& order, int rank) {
  uint64_t seen = 0;
  for (int64_t axis : order)
    if (axis >= 0 && axis < rank) seen |= uint64_t{1} << axis;
  if (order.size() != rank || (rank > 0 && seen != (~uint64_t{0} >> (64 - rank))))
    fail(Status::invalid_argument, op, ": order ", order, " is not a permutation of ", rank, " dimensions");
}

Dims default_order(int rank) {
  Dims order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  return order;
}

uint64_t magnitude(int64_t stride) {
  return stride < 0 ? uint64_t{0} - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
}

// Returns the order that shape and strides imply. If two dimensions have the same stride, the dimension of size 1
// counts as the faster dimension, as in the strides of `strides_for_order`; if neither dimension has size 1, the
// dimension further right counts as the faster dimension.
Dims order_told(const Tensor& x) {
  Dims order = default_order(x.rank());
  if (x.contiguous) return order;
  const auto is_faster = [&](int64_t a, int64_t b) {
    const int i = static_cast<int>(a), j = static_cast<int>(b);
    const uint64_t first = magnitude(x.strides[i]), second = magnitude(x.strides[j]);
    return first != second ? first < second : x.shape[i] == 1 && x.shape[j] != 1;
  };
  for (int64_t* next = order.begin() + 1; next < order.end(); ++next)
    for (int64_t* at = next; at > order.begin() && is_faster(at[0], at[-1]); --at) std::swap(at[0], at[-1]);
  return order;
}

void keep_order(Tensor& x, const Dims& order) {
  x.order = order_told(x) == order ? nullptr : std::make_shared<const Dims>(order);
}

}  // namespace

int64_t checked_size(const char* op, const Dims& shape, DType dtype) {
  bool zero = false;
  for (int64_t n : shape) {
    if (n < 0) fail(Status::invalid_argument, op, ": shape ", shape, " has a negative size");
    zero |= n == 0;
  }
  if (zero) return 0;
  int64_t bytes = size_of(dtype);
  for (int64_t n : shape)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      fail(Status::alloc_failed, op, ": shape ", shape, " of ", name(dtype), " has more bytes than can be addressed");
  return bytes / size_of(dtype);
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides(shape.size());
  int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    // the product exceeds 2^63 only if the tensor is empty
    (void)__builtin_mul_overflow(step, std::max<int64_t>(shape[i], 1), &step);
  }
  return strides;
}

void check_alive(const char* op, const Tensor& x) {
  if (!x.storage) [[unlikely]]
    fail(Status::uninitialized_object, op, ": the tensor has been destroyed");
}

void check_writable(const char* op, const Tensor& x) {
  if (!x.storage->writable()) fail(Status::invalid_argument, op, ": the tensor refers to read-only memory");
}

int checked_axis(const char* op, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    fail(Status::out_of_range, op, ": axis ", axis, " is outside [", -rank, ", ", rank, ")");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Tensor make_empty(const char* op, const Dims& shape, DType dtype, const Dims* order) {
  Tensor result;
  result.size = checked_size(op, shape, dtype);
  result.dtype = dtype;
  result.shape = shape;
  if (order) {
    check_order(op, *order, shape.size());
    result.strides = strides_for_order(shape, *order);
    result.contiguous = is_contiguous(shape, result.strides, result.size);
    keep_order(result, *order);
  } else {
    result.strides = contiguous_strides(shape);
  }
  try {
    result.storage = StoragePtr::allocate(static_cast<size_t>(result.nbytes()));
  } catch (const StatusError& error) {
    fail_as(op, error);
  }
  result.data = result.storage->data();
  if (dtype == DType::string) std::memset(result.data, 0, static_cast<size_t>(result.nbytes()));
  return result;
}

Tensor make_empty_like(const char* op, const Dims& shape, DType dtype, const Tensor& layout_of) {
  if (layout_of.contiguous && !layout_of.order) return make_empty(op, shape, dtype);
  if (layout_of.shape != shape || !is_dense(layout_of)) return make_empty(op, shape, dtype);
  const Dims order = logical_order(layout_of);
  return make_empty(op, shape, dtype, &order);
}

Dims logical_order(const Tensor& x) { return x.order ? *x.order : order_told(x); }

bool is_dense(const Tensor& x) {
  if (x.contiguous) return true;
  int64_t step = 1;
  for (int64_t axis : order_told(x)) {
    const int i = static_cast<int>(axis);
    if (x.shape[i] == 1) continue;
    if (x.strides[i] != step) return false;
    step *= x.shape[i];
  }
  return true;
}

bool repeats_elements(const Tensor& x) {
  if (x.contiguous || x.size == 0) return false;
  uint64_t reach = 0;  // the distance between elements that differ only in the faster dimensions
  for (int64_t axis : order_told(x)) {
    const int i = static_cast<int>(axis);
    if (x.shape[i] == 1) continue;
    if (magnitude(x.strides[i]) <= reach) return true;
    reach += magnitude(x.strides[i]) * static_cast<uint64_t>(x.shape[i] - 1);
  }
  return false;
}

Tensor in_memory(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (!is_dense(x)) fail(Status::invalid_argument, op, ": strides ", x.strides, " of shape ", x.shape, " leave gaps");
  return make_view(x, {x.size}, {1});
}

Tensor laid_out(const char* op, const Tensor& x, const Dims& shape, const Dims& order) {
  check_alive(op, x);
  check_order(op, order, shape.size());
  if (!x.contiguous || checked_size(op, shape, x.dtype) != x.size)
    fail(Status::dimensions_mismatch, op, ": shape ", shape, " does not hold the ", x.size, " elements of ", x.shape);
  Tensor view = make_view(x, shape, strides_for_order(shape, order));
  keep_order(view, order);
  return view;
}

std::optional<Tensor> in_order(const char* op, const Tensor& x, const Dims& order) {
  check_alive(op, x);
  check_order(op, order, x.rank());
  uint64_t faster = 0;
  for (int64_t axis : order) {
    const int i = static_cast<int>(axis);
    if (x.shape[i] == 1 || x.size == 0) continue;
    if (magnitude(x.strides[i]) < faster) return std::nullopt;
    faster = magnitude(x.strides[i]);
  }
  Tensor view = make_view(x, x.shape, x.strides);
  keep_order(view, order);
  return view;
}

Tensor make_view(const Tensor& x, Dims shape, Dims strides, int64_t offset) {
  Tensor view;
  view.storage = x.storage;
  view.size = product(shape);
  // An empty view may start anywhere, so its address is kept inside the storage.
  view.data = view.size ? x.data + offset * size_of(x.dtype) : x.data;
  view.dtype = x.dtype;
  view.contiguous = is_contiguous(shape, strides, view.size);
  if (x.order && shape == x.shape && strides == x.strides) view.order = x.order;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view;
}

namespace {

// Returns the position to which a permutation moves an axis; entries of the permutation may count from the end.
int64_t place_of(int64_t axis, const Dims& axes, int rank) {
  return std::find_if(axes.begin(), axes.end(), [&](int64_t a) { return (a < 0 ? a + rank : a) == axis; }) -
         axes.begin();
}

}  // namespace

Tensor permute(const char* op, const Tensor& x, const Dims& axes) {
  check_alive(op, x);
  if (axes.size() != x.rank())
    fail(Status::dimensions_mismatch, op, ": axes ", axes, " do not name the ", x.rank(), " dimensions of ", x.shape);
  Dims shape(x.rank()), strides(x.rank());
  uint64_t seen = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const int axis = checked_axis(op, axes[i], x.rank());
    if (seen >> axis & 1) fail(Status::invalid_argument, op, ": axes ", axes, " name axis ", axis, " twice");
    seen |= uint64_t{1} << axis;
    shape[i] = x.shape[axis];
    strides[i] = x.strides[axis];
  }
  Tensor view = make_view(x, std::move(shape), std::move(strides));
  if (x.order) {
    Dims order = *x.order;
    for (int64_t& axis : order) axis = place_of(axis, axes, x.rank());
    keep_order(view, order);
  }
  return view;
}

Tensor expand(const char* op, const Tensor& x, const Dims& shape) {
  check_alive(op, x);
  const int extra = shape.size() - x.rank();
  Dims strides(shape.size(), 0);
  bool fits = extra >= 0;
  for (int i = 0; fits && i < x.rank(); ++i) {
    if (x.shape[i] == shape[i + extra]) {
      strides[i + extra] = x.strides[i];
    } else {
      fits = x.shape[i] == 1;
    }
  }
  if (!fits) fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " does not broadcast to ", shape);
  checked_size(op, shape, x.dtype);
  return make_view(x, shape, std::move(strides));
}

Tensor diagonal(const char* op, const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  check_alive(op, x);
  if (x.rank() < 2)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape,
         " has fewer than 2 dimensions, so that it has no diagonal");
  const int row = checked_axis(op, axis1, x.rank()), column = checked_axis(op, axis2, x.rank());
  if (row == column) fail(Status::invalid_argument, op, ": axes ", axis1, " and ", axis2, " are the same");
  const int64_t rows = x.shape[row], columns = x.shape[column];
  const int64_t first_row = offset < 0 ? (offset < -rows ? rows : -offset) : 0;
  const int64_t first_column = offset > 0 ? std::min(offset, columns) : 0;
  Dims shape, strides;
  for (int i = 0; i < x.rank(); ++i) {
    if (i == row || i == column) continue;
    shape.push_back(x.shape[i]);
    strides.push_back(x.strides[i]);
  }
  shape.push_back(std::min(rows - first_row, columns - first_column));
  strides.push_back(x.strides[row] + x.strides[column]);
  return make_view(x, std::move(shape), std::move(strides),
                   first_row * x.strides[row] + first_column * x.strides[column]);
}

Dims resolve_shape(const char* op, const Tensor& x, const Dims& shape) {
  Dims result = shape;
  int unknown = -1;
  int64_t known = 1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && unknown < 0) {
      unknown = i;
    } else if (shape[i] < 0) {
      fail(Status::invalid_argument, op, ": shape ", shape, " has more than one -1 or another negative size");
    } else if (__builtin_mul_overflow(known, shape[i], &known)) {
      fail(Status::dimensions_mismatch, op, ": shape ", shape, " does not hold the ", x.size, " elements of ", x.shape);
    }
  }
  if (unknown >= 0 && known != 0 && x.size % known == 0) {
    result[unknown] = x.size / known;
    known = x.size;
  }
  if (known != x.size || (unknown >= 0 && result[unknown] < 0))
    fail(Status::dimensions_mismatch, op, ": shape ", shape, " does not hold the ", x.size, " elements of ", x.shape);
  return result;
}

std::optional<Tensor> reshape_view(const Tensor& x, const Dims& shape) {
  if (x.contiguous) return make_view(x, shape, contiguous_strides(shape));
  Dims sizes, steps;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape[i] == 1) continue;
    sizes.push_back(x.shape[i]);
    steps.push_back(x.strides[i]);
  }
  // The loop begins at the last dimension: a run of old dimensions that are evenly spaced in memory may be cut into new
  // ones.
  Dims strides(shape.size(), 1);
  int next = shape.size() - 1;
  for (int last = sizes.size() - 1; last >= 0;) {
    int64_t run = sizes[last];
    int first = last;
    for (; first > 0 && steps[first - 1] == steps[first] * sizes[first]; --first) run *= sizes[first - 1];
    int64_t taken = 1;
    for (; next >= 0 && taken < run; taken *= shape[next--]) strides[next] = steps[last] * taken;
    if (taken != run) return std::nullopt;
    last = first - 1;
  }
  return make_view(x, shape, std::move(strides));
}

Tensor complex_part(const Tensor& x, int part) {
  Tensor view = x;
  view.dtype = real_part(x.dtype);
  for (int64_t& s : view.strides) s *= 2;
  view.data += part * size_of(view.dtype);
  view.contiguous = is_contiguous(view.shape, view.strides, view.size);
  return view;
}

Dims broadcast(const char* op, const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims result = longer;
  const int extra = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    const int64_t m = longer[i + extra], n = shorter[i];
    if (m != n && m != 1 && n != 1)
      fail(Status::dimensions_mismatch, op, ": shapes ", a, " and ", b, " do not broadcast");
    result[i + extra] = m == 1 ? n : m;
  }
  return result;
}

}  // namespace suanzi
