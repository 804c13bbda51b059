#include "ops/reduce/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "ops/elementwise/elementwise.h"
#include "ops/reduce/reduce.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

using walk::Elements;

bool is_whole(DType t) { return is_integer(t) || kind(t) == Kind::boolean; }

// Returns the number of elements that are folded into each result.
double count_of(const Tensor& x, uint64_t axes) {
  double count = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (axes >> i & 1) count *= static_cast<double>(x.shape[i]);
  return count;
}

Tensor apply(Operation op, const Tensor& x) {
  const Operand operands[] = {{&x, {}}};
  return elementwise(op, operands);
}
Tensor apply(Operation op, const Tensor& x, const Tensor& y) {
  const Operand operands[] = {{&x, {}}, {&y, {}}};
  return elementwise(op, operands);
}

// The common part of all folds for one statistic of one tensor.
struct Statistic {
  const char* name;
  const Elements& elements;
  const Tensor& x;  // the tensor of the elements
  uint64_t axes;
  bool keepdims;
  DType result;

  Statistic(const char* op, const Elements& of, uint64_t over, bool keep, std::optional<DType> dtype)
      : name(op), elements(of), x(of.tensor), axes(over), keepdims(keep) {
    if (!of.producer) check_alive(name, x);
    result = dtype.value_or(is_whole(x.dtype) ? DType::float32 : real_part(x.dtype));
    if (!is_floating(result))
      fail(Status::type_mismatch, name, ": element type ", suanzi::name(result), " is not floating");
  }

  // Returns a staging to float32 if float32 holds every element. Otherwise, the function returns a staging to float64.
  Staging staging(const Elements& source) const {
    const DType type = source.tensor.dtype;
    const bool narrow = type == DType::float32 || size_of(type) <= 2;
    return stage_as(name, source.tensor, narrow ? DType::float32 : DType::float64);
  }

  // Returns the accumulators of a reduction. For a result of float64, the kernel must not add pairs of squares in
  // float32.
  Tensor accumulators(Reduction op, const Elements& source) const {
    const bool is_exact = op == Reduction::squares && result == DType::float64;
    const Staging stage = is_exact ? stage_as(name, source.tensor, DType::float64) : staging(source);
    return accumulate(name, op, source, axes, keepdims, stage);
  }

  // Computes the results of accumulators in float64. `divisor` is the number by which the sums of squared distances are
  // divided.
  Tensor finish(Reduction op, const Tensor& acc, double divisor = 1) const {
    const Tensor values = make_empty(name, acc.shape, DType::float64);
    kernels().accumulator[static_cast<int>(op)].finish(values.as<double>(), acc.data, acc.size, divisor);
    return values;
  }

  Tensor rounded(const Tensor& values) const { return values.dtype == result ? values : cast(name, values, result); }
};

// Computes a norm again, by the product of x and a power of two, if x^2 left the range of float64 (Blue, "A portable
// Fortran program to find the Euclidean norm of a vector", ACM Trans. Math. Softw. 4, 1978). Below `least`, squares
// that underflowed may be significant.
void rescue(const Statistic& of, const Elements& source, const Tensor& squares, const Tensor& norms) {
  constexpr double least = 0x1p-900, infinity = std::numeric_limits<double>::infinity();
  if (source.tensor.dtype != DType::float64) return;
  const auto replace = [&](Reduction op, auto&& leaves_range) {
    const double* const sums = squares.as<double>();
    if (std::none_of(sums, sums + squares.size, leaves_range)) return;
    const Tensor scaled = of.finish(op, of.accumulators(op, source));
    for (int64_t i = 0; i < norms.size; ++i)
      if (leaves_range(sums[i])) norms.as<double>()[i] = scaled.as<double>()[i];
  };
  replace(Reduction::squares_of_large, [](double sum) { return sum == infinity; });
  replace(Reduction::squares_of_small, [](double sum) { return sum < least; });
}

Tensor norm2_of(const Statistic& of, const Elements& source) {
  const Tensor squares = of.accumulators(Reduction::squares, source);
  const Tensor norms = of.finish(Reduction::squares, squares);
  rescue(of, source, squares, norms);
  return norms;
}

// Stages float64 elements, or parts of complex numbers, times 2^600 or 2^-600. If the distances between the numbers, or
// the squares of these distances, leave the range of float64, the scaled distances and their squares stay in the range.
template <bool down, int parts = 1>
void scale(void* out, const void* const* in, int64_t n, const KernelParams&) {
  constexpr double factor = down ? 1 / square_scale : square_scale;
  const auto* const x = static_cast<const double*>(in[0]);
  auto* const scaled = static_cast<double*>(out);
  for (int64_t i = 0; i < parts * n; ++i) scaled[i] = x[i] * factor;
}

// Computes variances, or their roots, in float64.
class Spread {
 public:
  Spread(const Statistic& of, double correction, bool root) : of_(of), root_(root) {
    const double freedom = count_of(of.x, of.axes) - correction;
    divisor_ = freedom > 0 ? freedom : std::numeric_limits<double>::quiet_NaN();
  }

  Tensor compute() const {
    if (!is_complex(of_.x.dtype)) return of_real(of_.elements, root_);
    // The squared distance of a complex number from the mean is the sum of the squared distances of its parts from the
    // parts of the mean.
    const Tensor numbers = in_memory(of_.name, of_.elements);
    const Tensor re = complex_part(numbers, 0), im = complex_part(numbers, 1);
    const Tensor variance = apply(Operation::add, of_real(re, false), of_real(im, false));
    if (!root_) return variance;
    const Tensor result = apply(Operation::sqrt, variance);
    const auto lost = [](double root) { return !(root > 0x1p-450 && root < infinity); };
    const double* const roots = result.as<double>();
    if (of_.x.dtype != DType::complex128 || std::none_of(roots, roots + result.size, lost)) return result;
    const Tensor moduli = apply(Operation::abs, apply(Operation::complex, of_real(re, true), of_real(im, true)));
    for (int64_t i = 0; i < result.size; ++i)
      if (lost(roots[i])) result.as<double>()[i] = moduli.as<double>()[i];
    return result;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity(), least = 0x1p-900;

  Tensor moments(const Elements& source, const Staging& staging) const {
    return accumulate(of_.name, Reduction::moments, source, of_.axes, of_.keepdims, staging);
  }

  Tensor of_real(const Elements& source, bool root) const {
    const Staging staging = of_.staging(source);
    const Tensor pairs = moments(source, staging);
    Tensor values = of_.finish(Reduction::moments, pairs, divisor_);
    if (root) values = apply(Operation::sqrt, values);
    if (staging.input == DType::float64) centre(source, pairs, values, root);
    if (source.tensor.dtype == DType::float64) {
      replace<true>(source, pairs, values, root, [](double, double squares) { return !(squares < infinity); });
      // If the squared distances are below `least`, the numbers are also small, or all numbers are equal and the
      // variance 0 is correct.
      replace<false>(source, pairs, values, root, [](double mean, double squares) {
        return squares < least && mean < 0x1p-390 && mean > -0x1p-390;
      });
    }
    return values;
  }

  // Computes variances again, from the distances to the rounded mean, if the mean is much larger than the deviation.
  // The means of parts of the tensor are rounded, and the distances between these means are then too inaccurate.
  void centre(const Elements& source, const Tensor& pairs, const Tensor& values, bool root) const {
    constexpr double most_deviations = 64;
    const double* const moment = pairs.as<double>();
    const double count = count_of(of_.x, of_.axes);
    const auto is_far = [&](int64_t i) {
      const double least = std::abs(moment[2 * i]) / most_deviations, squares = moment[2 * i + 1];
      return squares > 0 && squares < infinity && std::sqrt(squares / count) < least;
    };
    bool any = false;
    for (int64_t i = 0; i < values.size; ++i) any |= is_far(i);
    if (!any) return;
    Dims shape = of_.x.shape;
    for (int i = 0; i < of_.x.rank(); ++i)
      if (of_.axes >> i & 1) shape[i] = 1;
    const Tensor means = make_empty(of_.name, shape, DType::float64);
    for (int64_t i = 0; i < values.size; ++i) means.as<double>()[i] = moment[2 * i];
    const Tensor numbers = in_memory(of_.name, source);
    const Tensor wide = numbers.dtype == DType::float64 ? numbers : cast(of_.name, numbers, DType::float64);
    const Tensor squares = moments(apply(Operation::subtract, wide, means), {DType::float64, nullptr});
    for (int64_t i = 0; i < values.size; ++i) {
      if (!is_far(i)) continue;
      const double variance = squares.as<double>()[2 * i + 1] / divisor_;
      values.as<double>()[i] = root ? std::sqrt(variance) : variance;
    }
  }

  // Computes variances again if their moments have left the range. The function uses moments of scaled elements.
  template <bool down, class LeavesRange>
  void replace(const Elements& source, const Tensor& pairs, const Tensor& values, bool root, LeavesRange lost) const {
    const double* const moment = pairs.as<double>();
    bool any = false;
    for (int64_t i = 0; i < values.size; ++i) any |= lost(moment[2 * i], moment[2 * i + 1]);
    if (!any) return;
    const Tensor scaled = moments(source, {DType::float64, scale<down>});
    constexpr double back = down ? square_scale : 1 / square_scale;
    for (int64_t i = 0; i < values.size; ++i) {
      if (!lost(moment[2 * i], moment[2 * i + 1])) continue;
      const double variance = scaled.as<double>()[2 * i + 1] / divisor_;
      values.as<double>()[i] = root ? std::sqrt(variance) * back : variance * back * back;
    }
  }

  const Statistic& of_;
  double divisor_;
  bool root_;
};

// Computes means again, from sums of scaled elements, if the sums exceed the range of the elements and the means are in
// this range. The accumulators and the elements, or their parts, are float64.
template <int parts>
void rescue_means(const char* op, const Elements& x, uint64_t axes, bool keepdims, const Tensor& means, double count) {
  double* const numbers = means.as<double>();
  const auto lost = [](double mean) { return !std::isfinite(mean); };
  if (std::none_of(numbers, numbers + parts * means.size, lost)) return;
  const Staging staging{means.dtype, scale<true, parts>};
  const Tensor sums = accumulate(op, Reduction::sum, x, axes, keepdims, staging);
  for (int64_t i = 0; i < parts * means.size; ++i)
    if (lost(numbers[i])) numbers[i] = sums.as<double>()[i] / count * square_scale;
}

}  // namespace

Tensor mean(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Tensor& x = elements.tensor;
  if (!elements.producer) check_alive(op, x);
  const bool whole = is_whole(x.dtype);
  const DType type = dtype.value_or(whole ? DType::float32 : x.dtype);
  if (!is_floating(type) && !is_complex(type))
    fail(Status::type_mismatch, op, ": element type ", name(type), " is not one of floating, complex");
  // The code adds integers as float64, which does not wrap around. For a complex type, real elements stay real, so that
  // rescue_means can read them.
  const DType part = is_complex(x.dtype) ? type : real_part(type);
  const Staging staging = stage_as(op, x, whole ? DType::float64 : computed_as(x.dtype, part));
  Tensor sum = accumulate(op, Reduction::sum, elements, axes, keepdims, staging);
  const Operand operands[] = {{&sum, {}}, {nullptr, Scalar::of(count_of(x, axes))}};
  elementwise(Operation::true_divide, operands, &sum);
  if (x.dtype == staging.input && x.size > 0) {
    if (x.dtype == DType::float64) rescue_means<1>(op, elements, axes, keepdims, sum, count_of(x, axes));
    if (x.dtype == DType::complex128) rescue_means<2>(op, elements, axes, keepdims, sum, count_of(x, axes));
  }
  return sum.dtype == type ? sum : cast(op, sum, type);
}

Tensor norm1(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  const DType type = of.x.dtype;
  // The kernel returns the modulus of a complex64 number as float32, so the code casts the elements to complex128 for a
  // result of float64.
  if (type == DType::complex64 && of.result == DType::float64)
    return norm1(op, cast(op, in_memory(op, elements), DType::complex128), axes, keepdims, dtype);
  const Kernel modulus = kernels().elementwise[static_cast<int>(Operation::abs)][static_cast<int>(type)];
  const Staging staging = is_complex(type) ? Staging{real_part(type), modulus} : of.staging(elements);
  return of.rounded(accumulate(of.name, Reduction::magnitudes, elements, axes, keepdims, staging));
}

Tensor norm2(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  if (!is_complex(of.x.dtype)) return of.rounded(norm2_of(of, elements));
  const Tensor numbers = in_memory(op, elements);
  const Tensor re = norm2_of(of, complex_part(numbers, 0)), im = norm2_of(of, complex_part(numbers, 1));
  const auto is_nan = [](double norm) { return std::isnan(norm); };
  const double *const reals = re.as<double>(), *const imaginaries = im.as<double>();
  // The modulus of an infinite and a NaN part is infinite. If the infinite part and the NaN part are parts of different
  // numbers, the norm is NaN.
  if (std::any_of(reals, reals + re.size, is_nan) || std::any_of(imaginaries, imaginaries + im.size, is_nan))
    return norm2(op, apply(Operation::abs, numbers), axes, keepdims, of.result);
  return of.rounded(apply(Operation::abs, apply(Operation::complex, re, im)));
}

Tensor logsumexp(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const DType type = elements.tensor.dtype;
  if (is_complex(type)) fail(Status::type_mismatch, op, ": element type ", name(type), " is not real");
  const Statistic of(op, elements, axes, keepdims, dtype);
  return of.rounded(of.finish(Reduction::exponentials, of.accumulators(Reduction::exponentials, elements)));
}

Tensor variance(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype,
                double correction) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  return of.rounded(Spread(of, correction, false).compute());
}

Tensor standard_deviation(const char* op, const Elements& elements, uint64_t axes, bool keepdims,
                          std::optional<DType> dtype, double correction) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  return of.rounded(Spread(of, correction, true).compute());
}

}  // namespace suanzi
