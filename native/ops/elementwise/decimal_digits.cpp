#include "ops/elementwise/decimal_digits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "ops/elementwise/compositions.h"

namespace suanzi {
namespace {

// Returns true if the magnitude of a number rounds to the greater of the two neighbouring decimals, which are the
// candidates. `against_half` is negative, 0 or positive if the magnitude is below, at or above the middle of the
// candidates. `odd` is true if the lower candidate is odd.
bool goes_up(std::string_view mode, bool negative, int against_half, bool odd) {
  if (mode == "trunc") return false;
  if (mode == "floor") return negative;
  if (mode == "ceil") return !negative;
  if (against_half != 0) return against_half > 0;
  if (mode == "half_even") return odd;
  if (mode == "half_up") return !negative;
  if (mode == "half_down") return negative;
  return true;  // the mode is half_away
}

}  // namespace

double round_digits(double x, int decimals, int mode, bool single) {
  // The number of decimals of the least positive float64, and an upper bound of the number of digits before the point
  // of the greatest float64.
  constexpr int all_decimals = 1074, all_digits = 310;
  char text[all_digits + all_decimals + 8];
  const auto end = std::to_chars(text, text + sizeof(text), std::fabs(x), std::chars_format::fixed, all_decimals).ptr;
  // The digits without the point, preceded by as many zeros as the rounded position may need.
  constexpr int before = 400;
  const int whole = static_cast<int>(std::find(text, end, '.') - text);
  std::string digits(before, '0');
  digits.append(text, text + whole).append(text + whole + 1, end);
  const int point = before + whole, cut = std::min(point + decimals, static_cast<int>(digits.size()));
  const std::string_view all = digits, rest = all.substr(static_cast<size_t>(cut));
  const size_t first = rest.find_first_not_of('0');
  if (first == std::string_view::npos) return x;
  const bool middle = rest[0] == '5' && rest.find_first_not_of('0', 1) == std::string_view::npos;
  const int against_half = middle ? 0 : rest[0] >= '5' ? 1 : -1;
  std::string kept(all.substr(0, static_cast<size_t>(cut)));
  if (goes_up(rounding_modes[mode], std::signbit(x), against_half, (kept.back() - '0') % 2 != 0)) {
    size_t at = kept.size();
    while (kept[--at] == '9') kept[at] = '0';
    ++kept[at];
  }
  kept.append("e").append(std::to_string(-decimals));
  double result = 0;
  if (single) {
    float narrow = 0;
    if (std::from_chars(kept.data(), kept.data() + kept.size(), narrow).ec == std::errc::result_out_of_range) return x;
    result = narrow;
  } else if (std::from_chars(kept.data(), kept.data() + kept.size(), result).ec == std::errc::result_out_of_range) {
    return x;
  }
  return std::copysign(result, x);
}

}  // namespace suanzi
