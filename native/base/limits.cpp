#include "base/limits.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/status.h"

namespace suanzi {

IntegerLimits limits_of(DType integer) {
  const int unused = 64 - 8 * size_of(integer);
  if (kind(integer) == Kind::unsigned_integer) return {0, std::numeric_limits<uint64_t>::max() >> unused};
  return {std::numeric_limits<int64_t>::min() >> unused,
          static_cast<uint64_t>(std::numeric_limits<int64_t>::max() >> unused)};
}

double overflows_from(DType floating) {
  switch (floating) {
    case DType::float16:
      return 65520;
    case DType::bfloat16:
      return 0x1.ffp127;
    case DType::float32:
      return 0x1.ffffffp127;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

std::string text_of(__int128 integer) {
  const bool negative = integer < 0;
  if (integer >> 64 != (negative ? -1 : 0)) return "an integer past 64 bits";
  const std::string digits = std::to_string(static_cast<uint64_t>(negative ? -integer : integer));
  return negative ? std::string("-").append(digits) : digits;
}

std::string text_of(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

Fit fit_of(double number, DType t) {
  if (is_floating(t) || is_complex(t))
    return std::isfinite(number) && std::abs(number) >= overflows_from(real_part(t)) ? Fit::outside : Fit::held;
  if (!is_integer(t)) return Fit::held;
  if (!std::isfinite(number)) return Fit::outside;
  if (number != std::trunc(number)) return Fit::fraction;
  const double end = std::ldexp(1, 8 * size_of(t) - (kind(t) == Kind::unsigned_integer ? 0 : 1));
  return number >= static_cast<double>(limits_of(t).least) && number < end ? Fit::held : Fit::outside;
}

Fit fit_of(__int128 integer, DType t) {
  if (!is_integer(t)) return fit_of(static_cast<double>(integer), t);
  const auto [least, greatest] = limits_of(t);
  return integer >= least && integer <= static_cast<__int128>(greatest) ? Fit::held : Fit::outside;
}

void require_fit(const char* op, Fit fit, const std::string& number, DType t) {
  if (fit == Fit::fraction) fail(Status::type_mismatch, op, ": ", number, " is not whole and cannot become ", name(t));
  if (fit == Fit::outside) fail(Status::out_of_range, op, ": ", number, " does not fit ", name(t));
}

}  // namespace suanzi
