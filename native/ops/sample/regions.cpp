#include "ops/sample/regions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "ops/sample/sampling.kernels.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

// The greatest number of samples along one axis, and the greatest number of samples in a region whose samples are
// computed one by one. These limits are necessary because a region may have any position and size.
constexpr double most_along = 0x1p24, most_samples = 0x1p26;

// A sample along one axis, between two elements.
template <class T>
struct Sample {
  int64_t low, high;
  T beyond;  // the distance from the first element, relative to the distance between the two elements
  // `is_inside` is false for a sample that is more than one element before the first or behind the last element of the
  // axis. The value of such a sample is 0.
  bool is_inside;
};

// The samples of a region along one axis. Each result has `each` samples.
template <class T>
struct SampleAxis {
  int64_t results, each;
  std::vector<Sample<T>> samples;

  // Like torchvision and ONNX, the code computes in float32 unless the elements are float64, because another rounding
  // would lead to other numbers of samples.
  SampleAxis(const char* op, int64_t in, T from, T to, int64_t count, const RegionSampling& how) : results(count) {
    const T scale = static_cast<T>(how.scale), offset = how.aligned ? T(0.5) : T(0);
    const T start = from * scale - offset, end = to * scale - offset;
    const T size = how.aligned ? end - start : std::max(end - start, T(1)), part = size / static_cast<T>(count);
    const T wanted = how.samples > 0 ? static_cast<T>(how.samples) : std::max(std::ceil(part), T(0));
    if (!(static_cast<double>(wanted) * static_cast<double>(count) <= most_along))
      fail(Status::invalid_argument, op, ": a region from ", from, " to ", to, " has ", wanted, " samples in each of ",
           count, " results, more than 2^24");
    each = static_cast<int64_t>(wanted);
    samples.reserve(static_cast<size_t>(results * each));
    for (int64_t i = 0; i < results; ++i)
      for (int64_t k = 0; k < each; ++k) {
        const T at = start + static_cast<T>(i) * part + (static_cast<T>(k) + T(0.5)) * part / static_cast<T>(each);
        samples.push_back(sample(at, in));
      }
  }

  static Sample<T> sample(T at, int64_t in) {
    if (!(at >= T(-1) && at <= static_cast<T>(in))) return {0, 0, 0, false};
    at = std::max(at, T(0));
    const auto low = static_cast<int64_t>(at);
    if (low >= in - 1) return {in - 1, in - 1, 0, true};
    return {low, low + 1, at - static_cast<T>(low), true};
  }
};

// The mean of the samples of each result, as weights of elements.
template <class T>
struct MeanAxis {
  std::vector<int64_t> first, end, offset;
  std::vector<T> weights;
  SampledAxis axis;

  explicit MeanAxis(const SampleAxis<T>& samples) {
    std::vector<double> sums;
    for (int64_t i = 0; i < samples.results; ++i) {
      const Sample<T>* const some = samples.samples.data() + i * samples.each;
      int64_t low = std::numeric_limits<int64_t>::max(), high = 0;
      for (int64_t k = 0; k < samples.each; ++k)
        if (some[k].is_inside) low = std::min(low, some[k].low), high = std::max(high, some[k].high + 1);
      low = std::min(low, high);
      sums.assign(static_cast<size_t>(high - low), 0);
      for (int64_t k = 0; k < samples.each; ++k) {
        if (!some[k].is_inside) continue;
        sums[static_cast<size_t>(some[k].low - low)] += 1 - static_cast<double>(some[k].beyond);
        sums[static_cast<size_t>(some[k].high - low)] += static_cast<double>(some[k].beyond);
      }
      first.push_back(low);
      end.push_back(high);
      offset.push_back(static_cast<int64_t>(weights.size()));
      for (const double sum : sums) weights.push_back(static_cast<T>(sum / static_cast<double>(samples.each)));
    }
    axis = {samples.results, first.data(), end.data(), offset.data(), weights.data()};
  }
  MeanAxis(const MeanAxis&) = delete;
  MeanAxis& operator=(const MeanAxis&) = delete;
};

// Writes the greatest weighted element of each result's samples. A sample contributes four elements, each times the
// element's weight in the sample.
template <class T>
void take_greatest(T* out, const T* plane, int64_t width, const SampleAxis<T>& rows, const SampleAxis<T>& columns) {
  const auto greater = [](T a, T b) { return b > a || b != b ? (a != a ? a : b) : a; };
  for (int64_t i = 0; i < rows.results; ++i)
    for (int64_t j = 0; j < columns.results; ++j) {
      T best = rows.each * columns.each > 0 ? -std::numeric_limits<T>::infinity() : T(0);
      for (int64_t k = 0; k < rows.each; ++k)
        for (int64_t l = 0; l < columns.each; ++l) {
          const Sample<T>& y = rows.samples[static_cast<size_t>(i * rows.each + k)];
          const Sample<T>& x = columns.samples[static_cast<size_t>(j * columns.each + l)];
          if (!y.is_inside || !x.is_inside) {
            best = greater(best, T(0));
            continue;
          }
          const auto product = [&](T weight, int64_t row, int64_t column) {
            return weight == 0 ? T(0) : weight * plane[row * width + column];
          };
          best = greater(best, product((1 - y.beyond) * (1 - x.beyond), y.low, x.low));
          best = greater(best, product((1 - y.beyond) * x.beyond, y.low, x.high));
          best = greater(best, product(y.beyond * (1 - x.beyond), y.high, x.low));
          best = greater(best, product(y.beyond * x.beyond, y.high, x.high));
        }
      *out++ = best;
    }
}

template <class T>
void align_region(const char* op, T* out, const T* image, const Dims& shape, const T* corners,
                  const RegionSampling& how, Scratch& scratch) {
  const int64_t channels = shape[1], height = shape[2], width = shape[3], results = how.height * how.width;
  for (int k = 0; k < 4; ++k)
    if (!std::isfinite(corners[k])) {
      std::fill_n(out, channels * results, std::numeric_limits<T>::quiet_NaN());
      return;
    }
  const SampleAxis<T> rows(op, height, corners[1], corners[3], how.height, how);
  const SampleAxis<T> columns(op, width, corners[0], corners[2], how.width, how);
  if (how.greatest) {
    if (static_cast<double>(rows.samples.size()) * static_cast<double>(columns.samples.size()) > most_samples)
      fail(Status::invalid_argument, op, ": a region of ", rows.samples.size(), " x ", columns.samples.size(),
           " samples has more than 2^26");
    for (int64_t c = 0; c < channels; ++c)
      take_greatest(out + c * results, image + c * height * width, width, rows, columns);
    return;
  }
  const MeanAxis<T> down(rows), across(columns);
  auto* const sums = scratch.take<T>(width);
  const auto weigh = kernels().sampling->of<T>().weigh_separably;
  for (int64_t c = 0; c < channels; ++c)
    weigh(out + c * results, image + c * height * width, width, down.axis, across.axis, sums);
}

template <class T>
void run(const char* op, const Tensor& x, const Tensor& boxes, const int64_t* images, const Tensor& result,
         const RegionSampling& how) {
  const int64_t image = x.shape[1] * x.shape[2] * x.shape[3], size = result.size / result.shape[0];
  share(result.size * costs::bytes_per_tap * 4, result.shape[0], [&](int64_t first, int64_t last) {
    Scratch scratch;
    for (int64_t k = first; k < last; ++k)
      align_region(op, result.as<T>() + k * size, x.as<T>() + images[k] * image, x.shape, boxes.as<T>() + 4 * k, how,
                   scratch);
  });
}

void check(const char* op, const Tensor& x, const Tensor& boxes, const Tensor& images, const RegionSampling& how) {
  for (const Tensor* each : {&x, &boxes, &images}) check_alive(op, *each);
  for (const Tensor* each : {&x, &boxes})
    if (!is_floating(each->dtype))
      fail(Status::type_mismatch, op, ": element type ", name(each->dtype), " is not floating");
  if (!is_integer(images.dtype))
    fail(Status::type_mismatch, op, ": numbers of images of type ", name(images.dtype), " are not integers");
  if (x.rank() != 4) fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not (N, C, height, width)");
  if (x.shape[2] == 0 || x.shape[3] == 0)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has no elements along a spatial dimension");
  if (boxes.rank() != 2 || boxes.shape[1] != 4 || images.rank() != 1 || images.shape[0] != boxes.shape[0])
    fail(Status::dimensions_mismatch, op, ": boxes of shape ", boxes.shape, " and numbers of images of shape ",
         images.shape, " are not (K, 4) and (K,)");
  if (how.height < 1 || how.width < 1)
    fail(Status::invalid_argument, op, ": an output size of ", how.height, " x ", how.width, " is not positive");
  if (!std::isfinite(how.scale)) fail(Status::invalid_argument, op, ": spatial_scale ", how.scale, " is not finite");
}

}  // namespace

Tensor align_regions(const char* op, const Tensor& x, const Tensor& boxes, const Tensor& images,
                     const RegionSampling& how) {
  check(op, x, boxes, images, how);
  const Dims shape{boxes.shape[0], x.shape[1], how.height, how.width};
  const Tensor result = make_empty(op, shape, x.dtype);
  // The code copies `boxes` and `images`, because other threads could change these tensors after the check.
  const DType wide = x.dtype == DType::float64 ? DType::float64 : DType::float32;
  const Tensor corners = make_empty(op, boxes.shape, wide), numbers = make_empty(op, images.shape, DType::int64);
  copy_into(op, corners, boxes);
  copy_into(op, numbers, images);
  for (int64_t k = 0; k < numbers.size; ++k)
    if (numbers.as<int64_t>()[k] < 0 || numbers.as<int64_t>()[k] >= x.shape[0])
      fail(Status::out_of_range, op, ": image ", numbers.as<int64_t>()[k], " of box ", k, " is not in [0, ", x.shape[0],
           ")");
  if (result.size == 0) return result;
  const Tensor from = to_contiguous(op, x.dtype == wide ? x : cast(op, x, wide));
  const Tensor to = wide == x.dtype ? result : make_empty(op, shape, wide);
  if (wide == DType::float64) {
    run<double>(op, from, corners, numbers.as<int64_t>(), to, how);
  } else {
    run<float>(op, from, corners, numbers.as<int64_t>(), to, how);
  }
  if (to.dtype != x.dtype) copy_into(op, result, to);
  return result;
}

}  // namespace suanzi
