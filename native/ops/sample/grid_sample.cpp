#include "ops/sample/grid_sample.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/kernel.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr int before_axes = 2;  // the dimensions of the batch and of the channels
constexpr int64_t most_numbered = int64_t{1} << std::numeric_limits<float>::digits;  // float32 holds smaller integers

void check(const char* op, const Tensor& x, const Tensor& grid, Sampling sampling) {
  check_alive(op, x);
  check_alive(op, grid);
  if (!is_floating(grid.dtype))
    fail(Status::type_mismatch, op, ": a grid of element type ", name(grid.dtype), " is not floating");
  if (sampling != Sampling::nearest && !is_floating(x.dtype))
    fail(Status::type_mismatch, op, ": element type ", name(x.dtype),
         " is not floating; only mode 'nearest' accepts other types");
  const int axes = x.rank() - before_axes;
  if (axes < 1 || axes > sampled_axes)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not (N, C) and 1 to ", sampled_axes,
         " spatial dimensions");
  if (grid.rank() != x.rank() || grid.shape[0] != x.shape[0] || grid.shape.back() != axes)
    fail(Status::dimensions_mismatch, op, ": a grid of shape ", grid.shape, " does not have ", x.shape[0], " batches, ",
         axes, " dimensions of points and ", axes, " coordinates each, for shape ", x.shape);
  for (int a = 0; a < axes; ++a) {
    const int64_t size = x.shape[before_axes + a];
    if (size == 0)
      fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has no elements along a spatial dimension");
    if (size > std::numeric_limits<int32_t>::max())
      fail(Status::dimensions_mismatch, op, ": an axis of ", size, " elements is too long");
  }
}

// Writes the samples of x at the points of `grid` to `result`. All tensors are contiguous, and T is the type of
// coordinates and weights.
template <class T>
void run(const Tensor& x, const Tensor& grid, const Tensor& result, GridPoints points) {
  int64_t taps = 1, plane = 1;
  for (int a = 0; a < points.axes; ++a) {
    taps *= taps_along(points.sampling);
    plane *= points.size[a] = x.shape[before_axes + a];
  }
  const int64_t channels = x.shape[1], count = grid.size / std::max<int64_t>(1, grid.shape[0] * points.axes);
  const int64_t entry = static_cast<int64_t>(sizeof(int64_t) + sizeof(T));
  const int64_t block = std::max<int64_t>(1, costs::sampled_table / (taps * entry) / sampled_vector) * sampled_vector;
  const int64_t blocks = (count + block - 1) / block;
  const bool moves = points.sampling == Sampling::nearest;
  const WeighKernel weigh =
      moves ? kernels().sampling->move[std::countr_zero(static_cast<unsigned>(size_of(x.dtype)))][sizeof(T) == 8]
            : kernels().sampling->of<T>().weigh;
  const LocateGridKernel locate = kernels().sampling->of<T>().locate;
  share(result.size * taps * costs::bytes_per_tap, x.shape[0] * blocks, [&](int64_t first, int64_t last) {
    Scratch places, weights, scratch;
    SampledTable table{0, block, taps, places.take<int64_t>(block * taps), weights.take<T>(block * taps)};
    const int64_t along = points.axes * taps_along(points.sampling);
    void* const memory = scratch.take<std::byte>(block * (static_cast<int64_t>(sizeof(T)) + along * entry));
    GridPoints some = points;
    for (int64_t unit = first; unit < last; ++unit) {
      const int64_t batch = unit / blocks, start = unit % blocks * block;
      some.count = table.results = std::min(block, count - start);
      some.coordinates = grid.as<T>() + (batch * count + start) * points.axes;
      locate(table, some, memory);
      weigh(result.data + (batch * channels * count + start) * size_of(result.dtype),
            x.data + batch * channels * plane * size_of(x.dtype), table, channels, plane, count);
    }
  });
}

}  // namespace

Tensor grid_sample(const char* op, const Tensor& x, const Tensor& grid, Sampling sampling, Outside outside,
                   bool align_corners, const Tensor* out) {
  check(op, x, grid, sampling);
  Dims shape{x.shape[0], x.shape[1]};
  for (int d = 1; d + 1 < grid.rank(); ++d) shape.push_back(grid.shape[d]);
  if (out) check_out(op, *out, shape, x.dtype);
  const Tensor result = out ? *out : make_empty(op, shape, x.dtype);
  if (result.size == 0) return result;
  // The code computes places and weighted sums in float64 if the grid is float64, if x is float64 and its elements are
  // summed, or if an axis has more elements than float32 can number. Otherwise, the code computes in float32.
  const bool moves = sampling == Sampling::nearest;
  bool in_double = grid.dtype == DType::float64 || (!moves && x.dtype == DType::float64);
  for (int d = before_axes; d < x.rank(); ++d) in_double |= x.shape[d] > most_numbered;
  const DType wide = in_double ? DType::float64 : DType::float32;
  const auto in = [&](const Tensor& t, DType type) {
    return to_contiguous(op, t.dtype == type ? t : cast(op, t, type));
  };
  const Tensor from = moves ? to_contiguous(op, x) : in(x, wide), at = in(grid, wide);
  const bool in_place = !out && from.dtype == x.dtype;
  const Tensor to = in_place ? result : make_empty(op, shape, from.dtype);
  const GridPoints points{sampling, outside, align_corners, x.rank() - before_axes, {}, nullptr, 0};
  if (wide == DType::float64) {
    run<double>(from, at, to, points);
  } else {
    run<float>(from, at, to, points);
  }
  keep_referents(to, x);
  if (!in_place) copy_into(op, result, to);
  return result;
}

}  // namespace suanzi
