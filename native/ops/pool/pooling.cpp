#include "ops/pool/pooling.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernel.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

// The windows along an axis, which are regular windows or a list of spans.
struct PlannedAxis {
  int64_t in = 1, out = 1, step = 1;
  std::optional<Windows> windows;
  // `is_even` is true if the windows are the parts of an evenly divided axis.
  bool is_even = false;
  std::vector<Span> spans = {{0, 1}};
  std::vector<double> divisors = {1.0};  // one divisor for each span
};

// The divisor of an average along one axis. The divisor of a window is the product over all axes.
class Divisors {
 public:
  Divisors(bool counts_padding, std::optional<double> divisor, bool is_last)
      : counts_padding_(counts_padding), fixed_(divisor), is_last_(is_last) {}

  double of(const Span& span, const Windows* windows, int64_t result) const {
    if (fixed_) return is_last_ ? *fixed_ : 1;
    const int64_t count = counts_padding_ && windows ? windows->padded_count(result) : span.count;
    // A window without elements has the sum 0 and the divisor 1.
    return static_cast<double>(std::max<int64_t>(count, 1));
  }

 private:
  bool counts_padding_;
  std::optional<double> fixed_;
  bool is_last_;
};

// The plan of a call: the kind of pool, the windows of each axis, and the options.
struct Plan {
  Pool pool = Pool::max;
  PlannedAxis axis[pooled_axes];
  bool counts_padding = false;
  std::optional<double> divisor = {};
  double order = 2;

  PlannedAxis& last() { return axis[pooled_axes - 1]; }
  const PlannedAxis& last() const { return axis[pooled_axes - 1]; }
  int64_t rows() const { return axis[0].out * axis[1].out; }  // the number of rows of results in a plane
  Divisors divisors(int a) const { return {counts_padding, divisor, a + 1 == pooled_axes}; }
  void list(int a);
  void merge_rows();
  void merge_whole();
};

// Lists the windows of axis `a` as spans, with a divisor for each span.
void Plan::list(int a) {
  PlannedAxis& planned = axis[a];
  if (planned.is_even) planned.spans = even_parts(planned.in, planned.out);
  if (planned.windows) {
    planned.spans.resize(static_cast<size_t>(planned.out));
    for (int64_t i = 0; i < planned.out; ++i) planned.spans[static_cast<size_t>(i)] = planned.windows->span(i);
  }
  planned.divisors.resize(static_cast<size_t>(planned.out));
  for (int64_t i = 0; i < planned.out; ++i)
    planned.divisors[static_cast<size_t>(i)] =
        divisors(a).of(planned.spans[static_cast<size_t>(i)], planned.windows ? &*planned.windows : nullptr, i);
}

// Merges the rows into one row if each window is in a single row and windows fill the rows without gaps.
void Plan::merge_rows() {
  const auto fills = [](const PlannedAxis& a) {
    return a.windows && a.windows->before == 0 && a.windows->stride == a.windows->kernel && a.windows->dilation == 1 &&
           a.in == a.out * a.windows->kernel;
  };
  for (int merged = 1; merged < pooled_axes; ++merged) {
    const PlannedAxis& above = axis[1];
    const bool is_plain = above.windows ? fills(above) && above.windows->kernel == 1 : above.in == 1 && above.out == 1;
    if (!is_plain || !fills(last())) return;
    last().in = last().windows->in *= axis[1].in;
    last().out = last().windows->out *= axis[1].out;
    axis[1] = axis[0];
    axis[0] = PlannedAxis{};
  }
}

// Merges the last axes into one axis if a window contains all elements along these axes, so that a plane becomes a row.
void Plan::merge_whole() {
  const auto is_whole = [](const PlannedAxis& a) {
    return a.out == 1 && a.spans[0].first == 0 && a.spans[0].count == a.in && (a.step == 1 || a.in == 1);
  };
  for (int merged = 1; merged < pooled_axes && is_whole(axis[1]) && is_whole(axis[2]); ++merged) {
    divisor = axis[1].divisors[0] * axis[2].divisors[0];
    PlannedAxis whole;
    whole.in = axis[1].in * axis[2].in;
    whole.spans = {{0, whole.in}};
    whole.divisors = {*divisor};
    axis[2] = whole;
    axis[1] = axis[0];
    axis[0] = PlannedAxis{};
  }
}

// The results [first, last) of each row, with the tables that the kernel reads for these results.
template <class W>
class Part {
 public:
  Part(const Plan& plan, int64_t first, int64_t last) {
    const PlannedAxis& row = plan.last();
    for (int a = 0; a < pooled_axes; ++a) {
      const PlannedAxis& planned = plan.axis[a];
      pooling_.axis[a] = {planned.in, planned.out, planned.step, planned.spans.data(), planned.divisors.data()};
    }
    pooling_.pitch = row.in;
    pooling_.result_pitch = row.out;
    pooling_.start = first;
    pooling_.order = plan.order;
    pooling_.scale = sizeof(W) == 8 ? 0x1p-64 : 1;
    list(plan, first, last);
    pooling_.scratch = pooling_.axis[2].in + pooled_vector;
    if (row.windows) arrange(*row.windows, first);
  }
  const Pooling& pooling() const { return pooling_; }

 private:
  // Lists the spans and divisors of the part, and determines the elements that the windows read.
  void list(const Plan& plan, int64_t first, int64_t last) {
    const PlannedAxis& row = plan.last();
    const int64_t count = last - first;
    spans_.resize(static_cast<size_t>(count));
    divisors_.resize(static_cast<size_t>(count));
    narrow_.assign(static_cast<size_t>(count + pooled_vector), W(1));
    int64_t from = row.in, end = 0;
    for (int64_t i = 0; i < count; ++i) {
      Span& span = spans_[static_cast<size_t>(i)];
      span = row.windows ? row.windows->span(first + i) : row.spans[static_cast<size_t>(first + i)];
      const double divisor = plan.divisors(2).of(span, row.windows ? &*row.windows : nullptr, first + i);
      divisors_[static_cast<size_t>(i)] = divisor;
      narrow_[static_cast<size_t>(i)] = static_cast<W>(divisor);
      if (span.count <= 0) continue;
      from = std::min(from, span.first);
      end = std::max(end, span.first + (span.count - 1) * row.step + 1);
    }
    from = std::min(from, end);
    for (Span& span : spans_) span.first -= span.count > 0 ? from : span.first;
    pooling_.from = from;
    pooling_.axis[2] = {end - from, count, row.step, spans_.data(), divisors_.data()};
    pooling_.divisors = narrow_.data();
  }

  // Plans the line of regular windows, unless most elements of the line would be padding.
  void arrange(const Windows& windows, int64_t first) {
    const PooledAxis& axis = pooling_.axis[2];
    RegularWindows& r = pooling_.regular;
    const int64_t start = windows.start(first), before = pooling_.from - start;
    const int64_t length = std::max((axis.out - 1) * windows.stride + windows.reach(), before + axis.in);
    const bool is_padding =
        before < 0 ||
        length > costs::padded_row_times * (axis.in + axis.out * std::min(windows.stride, axis.in) + pooled_vector);
    if (is_padding || axis.in == 0 || std::min(windows.stride, windows.kernel) > pooled_vector) return;
    r.stride = windows.stride;
    r.taps = windows.kernel;
    r.before = before;
    r.in_pairs = r.stride == 2 && windows.dilation == 1;
    r.line = length + (r.in_pairs ? 2 : 1) * pooled_vector;
    pooling_.scratch = r.line;
    if (r.in_pairs) return;
    r.run = (r.line - 1) / r.stride + 1 + pooled_vector;
    for (int64_t k = 0; k < r.taps; ++k) {
      const int64_t offset = k * windows.dilation, remainder = offset % r.stride;
      if (r.stride == 1) {
        offsets_.push_back(offset);
        continue;
      }
      const auto found = std::find(remainders_.begin(), remainders_.end(), remainder);
      offsets_.push_back((found - remainders_.begin()) * r.run + offset / r.stride);
      if (found == remainders_.end()) remainders_.push_back(remainder);
    }
    r.runs = static_cast<int64_t>(remainders_.size());
    r.remainders = remainders_.data();
    r.offsets = offsets_.data();
    pooling_.scratch = r.line + r.runs * r.run;
  }

  Pooling pooling_{};
  std::vector<Span> spans_;
  std::vector<double> divisors_;
  std::vector<W> narrow_;
  std::vector<int64_t> offsets_, remainders_;
};

// Computes all rows of `planes` planes in short parts.
template <class W>
void run(const Plan& plan, DType type, const std::byte* in, std::byte* out, int64_t* places, int64_t planes) {
  const int64_t rows = planes * plan.rows(), width = plan.last().out;
  const int64_t parts = (width + costs::pooled_row - 1) / costs::pooled_row;
  const int64_t bytes = size_of(type), read = planes * plan.axis[0].in * plan.axis[1].in * plan.last().in;
  const PoolKernel kernel = kernels().pooling->pool[static_cast<int>(plan.pool)][static_cast<int>(type)];
  share(bytes * (read + rows * width), rows * parts, [&](int64_t unit, int64_t end) {
    Scratch scratch;
    while (unit < end) {
      const int64_t number = unit / rows, first = unit % rows, last = std::min(rows, first + end - unit);
      const Part<W> part(plan, width * number / parts, width * (number + 1) / parts);
      if (places) {
        kernels().pooling->places[static_cast<int>(type)](out, places, in, part.pooling(), first, last);
      } else {
        kernel(out, in, part.pooling(), first, last, scratch.take<W>(std::max<int64_t>(part.pooling().scratch, 1)));
      }
      unit += last - first;
    }
  });
}

bool in_float64(Pool pool, DType type) {
  return type == DType::float64 || pool == Pool::norm1 || pool == Pool::norm2 || pool == Pool::norm;
}

void check_type(const char* op, const Tensor& x, Pool pool) {
  check_alive(op, x);
  if (kernels().pooling->pool[static_cast<int>(pool)][static_cast<int>(x.dtype)]) return;
  fail(Status::type_mismatch, op, ": element type ", name(x.dtype), " is not ",
       pool == Pool::max ? "an integer or floating type" : "a floating type");
}

// Calls body with a number of the type in which the kernel computes. The tables of a call have this type. The value of
// the number has no meaning.
template <class Body>
void with_lanes(Pool pool, DType type, Body body) {
  if (in_float64(pool, type)) return body(double{});
  switch (pool == Pool::max && is_integer(type) ? size_of(type) : 4) {
    case 1:
      return body(int8_t{});
    case 2:
      return body(int16_t{});
    case 8:
      return body(int64_t{});
    default:
      return body(float{});
  }
}

// Fails unless `out` is null, or the tensors of `out` can receive results of this shape and type, and the places of
// these results.
void check_outs(const char* op, const Pooled* out, const Dims& shape, DType type, bool with_places) {
  if (!out) return;
  check_out(op, out->values, shape, type);
  if (with_places) check_out(op, out->places, shape, DType::int64);
}

// Returns the memory for results. The memory is `out` if `out` can hold the results in the type of the computation, and
// new memory otherwise.
Tensor memory_for(const char* op, const Tensor* out, const Dims& shape, DType type, const Tensor& x) {
  const bool fits = out && out->contiguous && out->dtype == type && !may_overlap(*out, x);
  return fits ? *out : make_empty(op, shape, type);
}

// Returns the results, copied to `out`. If `out` is null, the function returns the results as a tensor of type `type`.
Tensor moved_to(const char* op, const Tensor* out, const Tensor& results, DType type) {
  if (out ? out->data == results.data : type == results.dtype) return results;
  const Tensor target = out ? *out : make_empty(op, results.shape, type);
  copy_into(op, target, results);
  return target;
}

Pooled run_plan(const char* op, const Tensor& x, const Plan& plan, bool with_places, const Pooled* out) {
  Dims shape{x.shape[0], x.shape[1]};
  for (int d = dimensions_before; d < x.rank(); ++d) shape.push_back(plan.axis[d + pooled_axes - x.rank()].out);
  check_outs(op, out, shape, x.dtype, with_places);
  // The code compares 16-bit floating numbers in float32. If the code converts the results to another type, it does not
  // first round the results to the 16-bit type.
  const bool widens = is_half(x.dtype) && (with_places || (out && out->values.dtype != x.dtype));
  const Tensor source = widens ? cast(op, x, DType::float32) : x;
  const Tensor* const to = out ? &out->values : nullptr;
  const Tensor* const places_to = out && with_places ? &out->places : nullptr;
  const Tensor values = memory_for(op, to, shape, source.dtype, x);
  Tensor places;
  if (with_places) places = make_empty(op, shape, DType::int64);
  if (values.size > 0) {
    Plan listed = plan;
    listed.merge_rows();
    for (int a = 0; a < pooled_axes; ++a)  // The class Part lists regular windows along a row.
      if (a + 1 < pooled_axes || !listed.last().windows || listed.last().out == 1) listed.list(a);
    listed.merge_whole();
    const Tensor from = to_contiguous(op, source);
    with_lanes(plan.pool, from.dtype, [&](auto lane) {
      run<decltype(lane)>(listed, from.dtype, from.data, values.data, with_places ? places.as<int64_t>() : nullptr,
                          x.shape[0] * x.shape[1]);
    });
  }
  return {moved_to(op, to, values, x.dtype), with_places ? moved_to(op, places_to, places, DType::int64) : Tensor{}};
}

}  // namespace

Pooled pool(const char* op, const Tensor& x, const PoolRequest& request, bool with_places, const Pooled* out) {
  check_type(op, x, request.pool);
  const int spatial = pooled_dimensions(op, x);
  Plan plan;
  plan.pool = request.pool;
  plan.counts_padding = request.counts_padding;
  if (request.divisor) plan.divisor = static_cast<double>(*request.divisor);
  plan.order = request.order;
  for (int d = 0; d < spatial; ++d) {
    const Windows windows = windows_of(op, x, d, request.windows);
    PlannedAxis& planned = plan.axis[pooled_axes - spatial + d];
    planned.in = windows.in;
    planned.out = windows.out;
    planned.step = windows.dilation;
    planned.windows = windows;
  }
  return run_plan(op, x, plan, with_places, out);
}

Pooled adaptive_pool(const char* op, const Tensor& x, Pool pool, const Dims& size, bool with_places,
                     const Pooled* out) {
  check_type(op, x, pool);
  const int spatial = pooled_dimensions(op, x);
  if (size.size() != spatial)
    fail(Status::dimensions_mismatch, op, ": output_size ", size, " does not have a number for each of the ", spatial,
         " spatial dimensions of shape ", x.shape);
  Dims shape{x.shape[0], x.shape[1]};
  for (int d = 0; d < spatial; ++d) shape.push_back(size[d] < 0 ? x.shape[dimensions_before + d] : size[d]);
  if (checked_size(op, shape, x.dtype) == 0 || product(x.shape) == 0) {
    check_outs(op, out, shape, x.dtype, with_places);
    if (out) return *out;
    return {make_empty(op, shape, x.dtype), with_places ? make_empty(op, shape, DType::int64) : Tensor{}};
  }
  Plan plan;
  plan.pool = pool;
  for (int d = 0; d < spatial; ++d) {
    PlannedAxis& planned = plan.axis[pooled_axes - spatial + d];
    planned.in = x.shape[dimensions_before + d];
    planned.out = shape[dimensions_before + d];
    if (const int64_t part = planned.in / planned.out; part * planned.out == planned.in) {
      planned.windows = Windows{planned.in, planned.out, part, part, 1, 0, 0};
    } else {
      planned.is_even = true;
    }
  }
  return run_plan(op, x, plan, with_places, out);
}

namespace {

// Returns the part of an axis that a region covers, divided into even parts. The ends of the axis limit the parts. Like
// ONNX's implementations, the function computes in float32 unless the regions are float64, because another rounding
// would lead to other parts.
PlannedAxis region_axis(int64_t in, double start, double end, double scale, bool in_float32, int64_t out) {
  const auto kept = [&](double x) { return in_float32 ? static_cast<double>(static_cast<float>(x)) : x; };
  // The ends of a region may be any numbers, so the code limits the ends to a range that exceeds the axis by far.
  const auto held = [&](double x) {
    return std::isnan(x) ? 0 : std::clamp(std::round(kept(x * scale)), -0x1p40, 0x1p40);
  };
  const double first = held(start), size = std::max(held(end) - first + 1, 1.0);
  const double part = kept(size / static_cast<double>(out));
  const auto cut = [&](double x) { return static_cast<int64_t>(std::clamp(x + first, 0.0, static_cast<double>(in))); };
  PlannedAxis planned;
  planned.in = in;
  planned.out = out;
  planned.spans.resize(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const int64_t from = cut(std::floor(kept(static_cast<double>(i) * part))),
                  to = cut(std::ceil(kept(static_cast<double>(i + 1) * part)));
    planned.spans[static_cast<size_t>(i)] = {from, to - from};
  }
  return planned;
}

bool is_any_empty(const PlannedAxis& planned) {
  return std::ranges::any_of(planned.spans, [](const Span& span) { return span.count <= 0; });
}

// Sets the results of parts without elements to 0, instead of the least number of the type.
void clear_empty(const Plan& plan, const Tensor& values) {
  if (!is_any_empty(plan.axis[1]) && !is_any_empty(plan.axis[2])) return;
  const int64_t height = plan.axis[1].out, width = plan.axis[2].out, size = size_of(values.dtype);
  for (int64_t row = 0; row < values.size / width; ++row)
    for (int64_t j = 0; j < width; ++j)
      if (plan.axis[1].spans[static_cast<size_t>(row % height)].count <= 0 ||
          plan.axis[2].spans[static_cast<size_t>(j)].count <= 0)
        std::fill_n(values.data + (row * width + j) * size, size, std::byte{0});
}

}  // namespace

Tensor pool_regions(const char* op, const Tensor& x, const Tensor& regions, int64_t height, int64_t width,
                    double scale) {
  check_type(op, x, Pool::max);
  check_alive(op, regions);
  if (x.rank() != 4 || pooled_dimensions(op, x) != 2)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not (N, C, height, width)");
  if (regions.rank() != 2 || regions.shape[1] != 5)
    fail(Status::dimensions_mismatch, op, ": regions of shape ", regions.shape, " are not (K, 5)");
  if (!is_floating(regions.dtype))
    fail(Status::type_mismatch, op, ": regions of element type ", name(regions.dtype), " are not floating");
  if (height < 1 || width < 1)
    fail(Status::invalid_argument, op, ": an output size of ", height, " x ", width, " is not positive");
  const int64_t count = regions.shape[0], channels = x.shape[1];
  const Tensor result = make_empty(op, {count, channels, height, width}, x.dtype);
  const Tensor source = to_contiguous(op, x);
  // The code copies the regions, because no other thread writes to the copy.
  const Tensor corners = to_contiguous(op, cast(op, regions, DType::float64));
  const auto* const corner = corners.as<double>();
  const bool in_float32 = regions.dtype != DType::float64;
  for (int64_t k = 0; k < count; ++k)
    if (!(corner[5 * k] >= 0 && corner[5 * k] < static_cast<double>(x.shape[0])))
      fail(Status::out_of_range, op, ": image ", corner[5 * k], " of region ", k, " is not in [0, ", x.shape[0], ")");
  if (result.size == 0) return result;
  const int64_t plane = x.shape[2] * x.shape[3] * channels * size_of(x.dtype), bytes = result.nbytes() / count;
  for (int64_t k = 0; k < count; ++k) {
    const double* const c = corner + 5 * k;
    Plan plan;
    plan.axis[1] = region_axis(x.shape[2], c[2], c[4], scale, in_float32, height);
    plan.axis[2] = region_axis(x.shape[3], c[1], c[3], scale, in_float32, width);
    for (int a = 0; a < 2; ++a) plan.list(a);
    const Tensor target =
        make_view(result, {channels, height, width}, {height * width, width, 1}, k * channels * height * width);
    with_lanes(Pool::max, x.dtype, [&](auto lane) {
      run<decltype(lane)>(plan, x.dtype, source.data + static_cast<int64_t>(c[0]) * plane, result.data + k * bytes,
                          nullptr, channels);
    });
    clear_empty(plan, target);
  }
  return result;
}

}  // namespace suanzi
