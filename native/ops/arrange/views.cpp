#include "ops/arrange/views.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tensor/axes.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

// Swaps two dimensions of a view under construction.
void exchange(Tensor& x, int i, int j) {
  std::swap(x.shape[i], x.shape[j]);
  std::swap(x.strides[i], x.strides[j]);
}

// Returns a list with room for `count` views. Fails with ALLOC_FAILED for a count that only a tensor without elements
// can have.
std::vector<Tensor> room_for(const char* op, int64_t count) {
  constexpr int64_t most = int64_t{1} << 26;
  if (count > most)
    fail(Status::alloc_failed, op, ": ", count, " parts are more than the ", most, " that can be listed");
  std::vector<Tensor> views;
  views.reserve(static_cast<size_t>(count));
  return views;
}

// Returns `count` views like `first`. Each view begins `step` elements after the previous view.
std::vector<Tensor> equal_parts(const char* op, const Tensor& first, int64_t count, int64_t step) {
  std::vector<Tensor> parts = room_for(op, count);
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(first);
    // Empty parts start where the tensor starts, because the offset of an empty part may overflow.
    if (first.size != 0) parts.back().data += i * step * size_of(first.dtype);
  }
  return parts;
}

Tensor finished(const Tensor& x) { return make_view(x, x.shape, x.strides); }

// Changes the dimensions of a tensor so that the dimensions describe the same bytes as elements of another size. Sizes
// of elements are powers of two, so one size divides the other.
void resize_elements(const char* op, Tensor& x, int64_t from, int64_t to) {
  if (x.rank() == 0)
    fail(Status::invalid_argument, op, ": a tensor of shape () is one element of ", from,
         " bytes and cannot be viewed as elements of ", to);
  int64_t& last = x.shape.back();
  if (x.size != 0 && last != 1 && x.strides.back() != 1)
    fail(Status::invalid_argument, op, ": elements of ", from, " bytes with strides ", x.strides,
         " cannot be viewed as elements of ", to, " bytes: the last dimension is not contiguous");
  if (from < to) {
    if (last % (to / from) != 0)
      fail(Status::invalid_argument, op, ": ", last, " elements of ", from,
           " bytes, the size of the last dimension, are not a whole number of elements of ", to);
    last /= to / from;
  } else if (__builtin_mul_overflow(last, from / to, &last)) {  // the size of a tensor without elements may overflow
    fail(Status::out_of_range, op, ": the last dimension has too many elements of ", to, " bytes");
  }
  if (x.size == 0) {
    x.strides = contiguous_strides(x.shape);
    return;
  }
  for (int i = 0; i + 1 < x.rank(); ++i) {
    if (x.shape[i] != 1 && x.strides[i] * from % to != 0)
      fail(Status::invalid_argument, op, ": a stride of ", x.strides[i], " elements of ", from,
           " bytes is not a multiple of ", to);
    x.strides[i] = x.strides[i] * from / to;
  }
  x.strides.back() = 1;
}

}  // namespace

Tensor reinterpret(const char* op, const Tensor& x, DType dtype) {
  if (x.dtype != dtype && (x.dtype == DType::string || dtype == DType::string))
    fail(Status::type_mismatch, op, ": ", name(x.dtype), " elements cannot be viewed as ", name(dtype),
         ": a string refers to bytes elsewhere");
  Tensor view = x;
  view.dtype = dtype;
  if (size_of(dtype) != size_of(x.dtype)) resize_elements(op, view, size_of(x.dtype), size_of(dtype));
  // Complex numbers need only the alignment of their parts.
  const auto part = static_cast<uintptr_t>(size_of(real_part(dtype)));
  if (x.size != 0 && reinterpret_cast<uintptr_t>(x.data) % part != 0)
    fail(Status::invalid_argument, op, ": the elements do not begin at a multiple of ", part,
         " bytes; the elements of suanzi.clone(x) do");
  return finished(view);
}

Tensor narrow(const Tensor& x, int axis, const Stretch& stretch) {
  Dims shape = x.shape, strides = x.strides;
  shape[axis] = stretch.count;
  if (x.size == 0 || stretch.count == 0) return make_view(x, std::move(shape), std::move(strides));
  if (stretch.count > 1) strides[axis] *= stretch.step;
  return make_view(x, std::move(shape), std::move(strides), stretch.start * x.strides[axis]);
}

namespace {

// Returns a bound of a slice as a position in [least, least + size]. If the stride is negative (`backwards`), `least`
// is -1, the position before the first element. Otherwise, `least` is 0.
int64_t place_of(int64_t bound, int64_t size, bool backwards) {
  const int64_t least = backwards ? -1 : 0;
  if (bound < 0) bound = bound < -size ? least : bound + size;
  return std::clamp(bound, least, size + least);
}

Stretch stretch_of(int64_t begin, int64_t end, int64_t stride, int64_t size) {
  if (stride == 0) fail(Status::invalid_argument, "slice: a stride must not be 0");
  const bool backwards = stride < 0;
  const int64_t step = std::max(stride, -INT64_MAX);
  const int64_t start = place_of(begin, size, backwards), stop = place_of(end, size, backwards);
  const int64_t span = backwards ? start - stop : stop - start;
  return {start, span <= 0 ? 0 : (span - 1) / std::abs(step) + 1, step};
}

}  // namespace

Tensor slice(const Tensor& x, const Dims& axes, const Dims& begin, const Dims& end, const Dims& stride) {
  if (axes.size() > x.rank())
    fail(Status::dimensions_mismatch, "slice: there are bounds for ", axes.size(), " axes, but only ", x.rank(),
         " axes");
  Dims shape = x.shape, strides = x.strides;
  int64_t offset = 0;
  uint64_t seen = 0;
  for (int i = 0; i < axes.size(); ++i) {
    const int along = checked_axis("slice", axes[i], x.rank());
    if (seen >> along & 1) fail(Status::invalid_argument, "slice: axis ", along, " is named twice");
    seen |= uint64_t{1} << along;
    const Stretch s = stretch_of(begin[i], end[i], stride[i], shape[along]);
    shape[along] = s.count;
    if (x.size == 0 || s.count == 0) continue;
    offset += s.start * strides[along];
    if (s.count > 1) strides[along] *= s.step;
  }
  return make_view(x, std::move(shape), std::move(strides), offset);
}

Tensor expand_dims(const Tensor& x, const Dims& added_axes) {
  const int rank = x.rank() + added_axes.size();
  if (rank > max_rank)
    fail(Status::invalid_argument, "expand_dims: ", rank, " dimensions are more than the ", max_rank, " supported");
  const uint64_t axes = axis_bits("expand_dims", added_axes, rank);
  Dims shape, strides;
  for (int i = 0, from = 0; i < rank; ++i) {
    const bool added = axes >> i & 1;
    int64_t stride = 1;
    // The stride of a new dimension is the product of the next dimension's size and stride, so a contiguous tensor
    // stays contiguous.
    if (from < x.rank()) {
      stride = x.strides[from];
      if (added) (void)__builtin_mul_overflow(stride, std::max<int64_t>(x.shape[from], 1), &stride);
    }
    shape.push_back(added ? 1 : x.shape[from]);
    strides.push_back(stride);
    from += !added;
  }
  return make_view(x, std::move(shape), std::move(strides));
}

Tensor squeeze(const Tensor& x, uint64_t axes) {
  Dims shape, strides;
  for (int i = 0; i < x.rank(); ++i) {
    if (!(axes >> i & 1)) {
      shape.push_back(x.shape[i]);
      strides.push_back(x.strides[i]);
    } else if (x.shape[i] != 1) {
      fail(Status::dimensions_mismatch, "squeeze: axis ", i, " of shape ", x.shape, " has size ", x.shape[i],
           ", not 1");
    }
  }
  return make_view(x, std::move(shape), std::move(strides));
}

Tensor flatten(const Tensor& x, int64_t start_axis, int64_t stop_axis) {
  const int rank = std::max(x.rank(), 1);  // a tensor without dimensions becomes a vector
  const int first = checked_axis("flatten", start_axis, rank), last = checked_axis("flatten", stop_axis, rank);
  if (first > last)
    fail(Status::dimensions_mismatch, "flatten: start_axis ", start_axis, " is after stop_axis ", stop_axis);
  Dims shape;
  for (int i = 0; i < first; ++i) shape.push_back(x.shape[i]);
  int64_t run = 1;
  for (int i = first; i <= std::min(last, x.rank() - 1); ++i)
    if (__builtin_mul_overflow(run, x.shape[i], &run))
      fail(Status::dimensions_mismatch, "flatten: the sizes of ", x.shape, " multiply past 64 bits");
  shape.push_back(run);
  for (int i = last + 1; i < x.rank(); ++i) shape.push_back(x.shape[i]);
  return reshape("flatten", x, shape);
}

std::vector<Tensor> split(const Tensor& x, std::span<const int64_t> sizes, int64_t axis) {
  const int along = checked_axis("split", axis, x.rank());
  int64_t total = 0;
  for (int64_t n : sizes) {
    if (n < 0) fail(Status::invalid_argument, "split: size ", n, " is negative");
    if (__builtin_add_overflow(total, n, &total)) fail(Status::dimensions_mismatch, "split: sizes add up past 64 bits");
  }
  if (total != x.shape[along])
    fail(Status::dimensions_mismatch, "split: sizes add up to ", total, ", not to the ", x.shape[along], " along axis ",
         along, " of shape ", x.shape);
  std::vector<Tensor> parts = room_for("split", static_cast<int64_t>(sizes.size()));
  int64_t start = 0;
  for (int64_t n : sizes) {
    parts.push_back(narrow(x, along, {start, n, 1}));
    start += n;
  }
  return parts;
}

std::vector<Tensor> split_equally(const Tensor& x, int64_t sections, int64_t axis) {
  const int along = checked_axis("split", axis, x.rank());
  const int64_t n = x.shape[along];
  if (sections <= 0) fail(Status::invalid_argument, "split: ", sections, " is not a positive number of parts");
  if (n % sections != 0)
    fail(Status::dimensions_mismatch, "split: ", n, " along axis ", axis, " of shape ", x.shape,
         " does not divide into ", sections, " equal parts");
  const int64_t size = n / sections;
  return equal_parts("split", narrow(x, along, {0, size, 1}), sections, x.size == 0 ? 0 : size * x.strides[along]);
}

std::vector<Tensor> split_unevenly(const Tensor& x, int64_t sections, int64_t axis) {
  const int along = checked_axis("split", axis, x.rank());
  if (sections <= 0) fail(Status::invalid_argument, "split: ", sections, " is not a positive number of parts");
  const int64_t size = x.shape[along] / sections, longer = x.shape[along] % sections;
  std::vector<Tensor> parts = room_for("split", sections);
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t count = size + (i < longer);
    parts.push_back(narrow(x, along, {start, count, 1}));
    start += count;
  }
  return parts;
}

std::vector<Tensor> unstack(const Tensor& x, int64_t axis) {
  const int along = checked_axis("unstack", axis, x.rank());
  Dims shape, strides;
  for (int i = 0; i < x.rank(); ++i) {
    if (i == along) continue;
    shape.push_back(x.shape[i]);
    strides.push_back(x.strides[i]);
  }
  return equal_parts("unstack", make_view(x, std::move(shape), std::move(strides)), x.shape[along], x.strides[along]);
}

Tensor crop(const Tensor& x, const Dims& offsets, const Dims& shape) {
  if (offsets.size() != x.rank() || shape.size() != x.rank())
    fail(Status::dimensions_mismatch, "crop: offsets ", offsets, " and shape ", shape, " do not name the ", x.rank(),
         " dimensions of ", x.shape);
  int64_t offset = 0;
  Dims sizes = shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (offsets[i] < 0 || offsets[i] > x.shape[i])
      fail(Status::out_of_range, "crop: offset ", offsets[i], " is outside [0, ", x.shape[i], "] along axis ", i);
    const int64_t left = x.shape[i] - offsets[i];
    if (sizes[i] == -1) sizes[i] = left;
    if (sizes[i] < 0) fail(Status::invalid_argument, "crop: shape ", shape, " has a negative size other than -1");
    if (sizes[i] > left)
      fail(Status::out_of_range, "crop: size ", sizes[i], " at offset ", offsets[i], " reaches past the ", x.shape[i],
           " along axis ", i);
    if (x.size != 0) offset += offsets[i] * x.strides[i];
  }
  return make_view(x, std::move(sizes), x.strides, offset);
}

Tensor flip(const Tensor& x, uint64_t axes) {
  Dims strides = x.strides;
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (!(axes >> i & 1) || x.shape[i] == 1) continue;
    if (x.size != 0) offset += (x.shape[i] - 1) * x.strides[i];
    strides[i] = -x.strides[i];
  }
  return make_view(x, x.shape, std::move(strides), offset);
}

Tensor rot90(const Tensor& x, int64_t k, const Dims& axes) {
  if (axes.size() != 2) fail(Status::dimensions_mismatch, "rot90: axes ", axes, " are not two");
  const int first = checked_axis("rot90", axes[0], x.rank()), second = checked_axis("rot90", axes[1], x.rank());
  if (first == second) fail(Status::invalid_argument, "rot90: axes ", axes, " name one axis twice");
  const int64_t turns = (k % 4 + 4) % 4;
  const uint64_t flips[] = {0, uint64_t{1} << second, uint64_t{1} << first | uint64_t{1} << second,
                            uint64_t{1} << first};
  Tensor turned = flip(x, flips[turns]);
  if (turns % 2 == 1) exchange(turned, first, second);
  return finished(turned);
}

Tensor move_axes(const Tensor& x, const Dims& source, const Dims& destination) {
  if (source.size() != destination.size())
    fail(Status::dimensions_mismatch, "moveaxis: source ", source, " and destination ", destination,
         " differ in length");
  if (source.size() > x.rank())
    fail(Status::invalid_argument, "moveaxis: source ", source, " names an axis of shape ", x.shape, " twice");
  Dims order(x.rank(), -1);
  uint64_t moved = 0;
  for (int i = 0; i < source.size(); ++i) {
    const int from = checked_axis("moveaxis", source[i], x.rank());
    const int to = checked_axis("moveaxis", destination[i], x.rank());
    if ((moved >> from & 1) || order[to] >= 0)
      fail(Status::invalid_argument, "moveaxis: ", source, " to ", destination, " names one axis twice");
    moved |= uint64_t{1} << from;
    order[to] = from;
  }
  int next = 0;
  for (int64_t& axis : order) {
    if (axis >= 0) continue;
    while (moved >> next & 1) ++next;
    axis = next++;
  }
  return permute("moveaxis", x, order);
}

Tensor swap_axes(const Tensor& x, int64_t axis1, int64_t axis2) {
  const int i = checked_axis("swapaxes", axis1, x.rank()), j = checked_axis("swapaxes", axis2, x.rank());
  Dims shape = x.shape, strides = x.strides;
  std::swap(shape[i], shape[j]);
  std::swap(strides[i], strides[j]);
  return make_view(x, std::move(shape), std::move(strides));
}

Tensor reverse_axes(const char* op, const Tensor& x) {
  Dims axes(x.rank());
  for (int i = 0; i < x.rank(); ++i) axes[i] = x.rank() - 1 - i;
  return permute(op, x, axes);
}

Tensor matrix_transpose(const char* op, const Tensor& x) {
  if (x.rank() < 2) fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has fewer than 2 dimensions");
  Dims axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[x.rank() - 1], axes[x.rank() - 2]);
  return permute(op, x, axes);
}

Tensor expand_keeping(const char* op, const Tensor& x, const Dims& shape) {
  const int extra = shape.size() - x.rank();
  Dims sizes = shape;
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < -1) fail(Status::invalid_argument, op, ": shape ", shape, " has a size outside [-1, 2**63)");
    if (sizes[i] != -1) continue;
    if (i < extra)
      fail(Status::invalid_argument, op, ": shape ", shape, " has -1 for a dimension that shape ", x.shape, " lacks");
    if (i >= extra && extra >= 0) sizes[i] = x.shape[i - extra];
  }
  return expand(op, x, sizes);
}

std::vector<Tensor> broadcast_all(const char* op, std::span<const Tensor> tensors) {
  Dims shape;
  for (const Tensor& x : tensors) shape = broadcast(op, shape, x.shape);
  std::vector<Tensor> views;
  for (const Tensor& x : tensors) views.push_back(expand(op, x, shape));
  return views;
}

std::vector<Tensor> meshgrid(std::span<const Tensor> tensors, bool cartesian) {
  const int rank = static_cast<int>(tensors.size());
  if (tensors.size() > max_rank)
    fail(Status::invalid_argument, "meshgrid: ", tensors.size(), " axes are more than the ", max_rank, " supported");
  Dims place(rank), shape(rank);
  std::iota(place.begin(), place.end(), 0);
  if (cartesian && rank > 1) std::swap(place[0], place[1]);
  for (int i = 0; i < rank; ++i) {
    const Tensor& x = tensors[static_cast<size_t>(i)];
    if (x.rank() > 1) fail(Status::dimensions_mismatch, "meshgrid: shape ", x.shape, " has more than one dimension");
    shape[static_cast<int>(place[i])] = x.size;
  }
  std::vector<Tensor> grids;
  for (int i = 0; i < rank; ++i) {
    const Tensor& x = tensors[static_cast<size_t>(i)];
    checked_size("meshgrid", shape, x.dtype);
    Dims strides(rank, 0);
    strides[static_cast<int>(place[i])] = x.rank() == 1 ? x.strides[0] : 0;
    grids.push_back(make_view(x, shape, std::move(strides)));
  }
  return grids;
}

}  // namespace suanzi
