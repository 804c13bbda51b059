#include "ops/quantized/code_parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "ops/reduce/reduce.h"
#include "walk/copy.h"

namespace suanzi {

CodeLimits code_limits(const char* op, DType codes, bool symmetric) {
  switch (codes) {
    case DType::int8:
      return {symmetric ? -127 : -128, 127};
    case DType::uint8:
      return {0, 255};
    case DType::int16:
      return {symmetric ? -32767 : -32768, 32767};
    case DType::uint16:
      return {0, 65535};
    default:
      fail(Status::type_mismatch, op, ": codes have element type ", name(codes), ", not an integer of 8 or 16 bits");
  }
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the least normal float32 scale for which `steps` steps cover an extent, or 1 for an extent of 0.
float finest_scale(const char* op, double extent, int64_t steps) {
  constexpr double least = std::numeric_limits<float>::min(), greatest = std::numeric_limits<float>::max();
  if (!(extent < infinity))  // the test also refuses NaN
    fail(Status::invalid_argument, op, ": a value is NaN or infinite, so that no scale covers the values");
  const double scale = extent > 0 ? std::max(extent / static_cast<double>(steps), least) : 1.0;
  if (scale > greatest) fail(Status::out_of_range, op, ": the values need a scale that float32 cannot hold");
  return static_cast<float>(scale);
}

// Returns the scale, unless the scale is rounded up so far that a number beyond float32, the type of decoded numbers,
// represents the range. The function then returns the greatest scale for which scale * steps is finite in float32. If
// the range itself exceeds float32, the function does not change the scale, because the codes must cover the range.
float decodable(const NumberRange& range, float scale, double steps) {
  constexpr double greatest = std::numeric_limits<float>::max();
  if (scale * steps <= greatest || std::max(-range.least, range.greatest) > greatest) return scale;
  const auto reached = static_cast<float>(greatest / steps);
  return reached * steps <= greatest ? reached : std::nextafter(reached, 0.0f);
}

struct Parameters {
  Tensor scale;
  int64_t zero;

  // Returns the scale in a shape that broadcasts to the shape of the numbers.
  Tensor scale_for(const char* op, const Tensor& numbers, std::optional<int> axis) const {
    if (!axis) return scale;
    Dims shape(numbers.rank() - *axis, 1);
    shape[0] = -1;
    return reshape(op, scale, shape);
  }
};

// Returns the parameters for numbers in `range`, which the function first extends to include 0.
Parameters spanning(const char* op, const NumberRange& range, const CodeKind& kind) {
  const auto [least, greatest] = code_limits(op, kind.codes, kind.symmetric);
  Parameters found{make_empty(op, {}, DType::float32), 0};
  float& scale = *found.scale.as<float>();
  if (kind.symmetric) {
    scale = decodable(range, finest_scale(op, std::max(-range.least, range.greatest), greatest), greatest);
    return found;
  }
  const double low = std::min(range.least, 0.0), high = std::max(range.greatest, 0.0);
  scale = finest_scale(op, high - low, greatest - least);
  const double zero = least - std::nearbyint(low / double{scale});
  found.zero = static_cast<int64_t>(std::clamp(zero, double(least), double(greatest)));
  scale = decodable(range, scale, static_cast<double>(std::max(greatest - found.zero, found.zero - least)));
  return found;
}

// Returns the parameters for an operand without numbers.
Parameters covering_nothing(const char* op, const Dims& scales) {
  const Tensor ones = make_empty(op, scales, DType::float32);
  std::fill_n(ones.as<float>(), ones.size, 1.0f);
  return {ones, 0};
}

// Returns the parameters for real numbers times a factor. If a number is NaN, both the least and the greatest number
// are NaN.
Parameters covering(const char* op, const Tensor& numbers, double factor, const CodeKind& kind) {
  const uint64_t all = numbers.rank() == 0 ? 0 : ~uint64_t{0} >> (64 - numbers.rank());
  if (numbers.size == 0) return covering_nothing(op, kind.axis ? Dims{numbers.shape[*kind.axis]} : Dims{});
  const auto extreme = [&](Reduction which) {
    const uint64_t axes = kind.axis ? all & ~(uint64_t{1} << *kind.axis) : all;
    return cast(op, reduce(op, which, numbers, axes, false), DType::float64);
  };
  const Tensor least = extreme(Reduction::min), greatest = extreme(Reduction::max);
  const auto range_of = [&](int64_t i) {
    return NumberRange{least.as<double>()[i] * factor, greatest.as<double>()[i] * factor};
  };
  if (!kind.axis) return spanning(op, range_of(0), kind);
  Parameters found{make_empty(op, least.shape, DType::float32), 0};
  for (int64_t i = 0; i < least.size; ++i)
    found.scale.as<float>()[i] = *spanning(op, range_of(i), kind).scale.as<float>();
  return found;
}

}  // namespace

Quantized quantize_finest(const char* op, const QuantizedOperand& x, const CodeKind& kind) {
  if (kind.axis) checked_axis(op, *kind.axis, x.elements->rank());
  const bool is_real = !x.scale && x.zero == 0;
  const Tensor numbers = is_real ? *x.elements : dequantize(op, x, DType::float64);
  const Parameters found = covering(op, numbers, is_real ? x.factor : 1, kind);
  const Tensor scale = found.scale_for(op, numbers, kind.axis);
  return {quantize(op, x, {&scale, found.zero, kind.codes, kind.symmetric}, nullptr), found.scale, found.zero};
}

Quantized combine_finest(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
                         const CodeKind& kind) {
  if (kind.axis) {
    const Tensor numbers = operate(op, operation, x, y);
    return quantize_finest(op, {&numbers}, kind);
  }
  const std::optional<NumberRange> range = combined_range(op, operation, x, y);
  const Parameters found = range ? spanning(op, *range, kind) : covering_nothing(op, {});
  return {combine(op, operation, x, y, {&found.scale, found.zero, kind.codes, kind.symmetric}, nullptr), found.scale,
          found.zero};
}

}  // namespace suanzi
