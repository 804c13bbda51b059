#include "ops/reduce/statistics.h"

#include <algorithm>
#include <limits>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "ops/elementwise/elementwise.h"
#include "ops/reduce/reduce.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

using tile::Elements;

bool is_whole(DType t) { return is_integer(t) || kind(t) == Kind::boolean; }

// The number of elements folded into each result.
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

// One statistic of one tensor: what its folds have in common.
struct Statistic {
  const char* name;
  const Elements& elements;
  const Tensor& x;  // of these
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

  // float32 where that holds every element.
  Staging staging(const Elements& source) const {
    const DType type = source.tensor.dtype;
    const bool narrow = type == DType::float32 || size_of(type) <= 2;
    return stage_as(name, source.tensor, narrow ? DType::float32 : DType::float64);
  }

  Tensor accumulators(Reduction op, const Elements& source) const {
    return accumulate(name, op, source, axes, keepdims, staging(source));
  }

  // The float64 results of accumulators.
  Tensor finish(Reduction op, const Tensor& acc, double divisor = 1) const {
    const Tensor values = make_empty(name, acc.shape, DType::float64);
    kernels().accumulator[static_cast<int>(op)].finish(values.as<double>(), acc.data, acc.size, divisor);
    return values;
  }

  Tensor rounded(const Tensor& values) const { return values.dtype == result ? values : cast(name, values, result); }
};

// Where x^2 left the range of float64, the norm is computed again of x times a power of two (Blue, "A portable Fortran
// program to find the Euclidean norm of a vector", ACM Trans. Math. Softw. 4, 1978). Below `least` the squares that
// underflowed may count.
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

// In float64. The squared distances of complex numbers from their mean are those of the parts from theirs.
Tensor variance_of(const Statistic& of, double correction) {
  const double freedom = count_of(of.x, of.axes) - correction;
  const double divisor = freedom > 0 ? freedom : std::numeric_limits<double>::quiet_NaN();
  const auto part = [&](const Elements& source) {
    return of.finish(Reduction::moments, of.accumulators(Reduction::moments, source), divisor);
  };
  if (!is_complex(of.x.dtype)) return part(of.elements);
  const Tensor numbers = in_memory(of.name, of.elements);
  return apply(Operation::add, part(complex_part(numbers, 0)), part(complex_part(numbers, 1)));
}

}  // namespace

Tensor mean(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Tensor& x = elements.tensor;
  if (!elements.producer) check_alive(op, x);
  const bool whole = is_whole(x.dtype);
  const DType type = dtype.value_or(whole ? DType::float32 : x.dtype);
  if (!is_floating(type) && !is_complex(type))
    fail(Status::type_mismatch, op, ": element type ", name(type), " is not one of floating, complex");
  // Integers are added as float64, which does not wrap around.
  const Staging staging = stage_as(op, x, whole ? DType::float64 : type);
  Tensor sum = accumulate(op, Reduction::sum, elements, axes, keepdims, staging);
  const Operand operands[] = {{&sum, {}}, {nullptr, Scalar::of(count_of(x, axes))}};
  elementwise(Operation::true_divide, operands, &sum);
  return sum.dtype == type ? sum : cast(op, sum, type);
}

Tensor norm1(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  const DType type = of.x.dtype;
  const Kernel modulus = kernels().elementwise[static_cast<int>(Operation::abs)][static_cast<int>(type)];
  const Staging staging = is_complex(type) ? Staging{real_part(type), modulus} : of.staging(elements);
  return of.rounded(accumulate(of.name, Reduction::magnitudes, elements, axes, keepdims, staging));
}

Tensor norm2(const char* op, const Elements& elements, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  if (!is_complex(of.x.dtype)) return of.rounded(norm2_of(of, elements));
  const Tensor numbers = in_memory(op, elements);
  const Tensor re = norm2_of(of, complex_part(numbers, 0)), im = norm2_of(of, complex_part(numbers, 1));
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
  return of.rounded(variance_of(of, correction));
}

Tensor standard_deviation(const char* op, const Elements& elements, uint64_t axes, bool keepdims,
                          std::optional<DType> dtype, double correction) {
  const Statistic of(op, elements, axes, keepdims, dtype);
  return of.rounded(apply(Operation::sqrt, variance_of(of, correction)));
}

}  // namespace suanzi
