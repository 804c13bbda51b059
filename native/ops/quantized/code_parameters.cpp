#include "ops/quantized/code_parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"

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

double finest_scale(const char* op, double extent, int64_t steps) {
  constexpr double least = std::numeric_limits<float>::min(), greatest = std::numeric_limits<float>::max();
  if (!(extent < std::numeric_limits<double>::infinity()))  // nor NaN
    fail(Status::invalid_argument, op, ": the values are not all finite, so no scale covers them");
  const double scale = extent > 0 ? std::max(extent / static_cast<double>(steps), least) : 1.0;
  if (scale > greatest) fail(Status::out_of_range, op, ": the values need a scale past float32");
  return scale;
}

CodeParameters spanning(const char* op, const NumberRange& range, DType codes, bool symmetric) {
  const auto [least, greatest] = code_limits(op, codes, symmetric);
  if (symmetric) return {static_cast<float>(finest_scale(op, std::max(-range.least, range.greatest), greatest)), 0};
  const double low = std::min(range.least, 0.0), high = std::max(range.greatest, 0.0);
  const auto scale = static_cast<float>(finest_scale(op, high - low, greatest - least));
  const double zero = least - std::nearbyint(low / double{scale});
  return {scale, static_cast<int64_t>(std::clamp(zero, double(least), double(greatest)))};
}

}  // namespace suanzi
