// The limits of element types, and the rule that decides which values of data may become elements of a tensor
// (7.2.1.1.3). ops/elementwise/fits.h applies the rule to whole tensors. The same rule applies to a number that is an
// operand beside a tensor, except that the number may overflow (walk/scalar.h).
//
// bool accepts any number (nonzero numbers are true). An integer type accepts integers within its limits, and floating
// numbers that equal an integer within these limits. A floating type accepts infinities, NaN and all numbers that round
// to one of its finite numbers. A complex type applies this rule to each part. Casts (astype) do not follow the rule.
#pragma once

#include <cstdint>
#include <string>

#include "base/dtype.h"

namespace suanzi {

struct IntegerLimits {
  int64_t least;
  uint64_t greatest;
};
IntegerLimits limits_of(DType integer);

// Returns the least magnitude that becomes infinite by rounding to the type `floating`. This magnitude is halfway
// between the type's greatest number and the next number in a format without a limit.
double overflows_from(DType floating);

enum class Fit : uint8_t {
  held,
  // The number has a fraction, but the type is an integer type (TYPE_MISMATCH).
  fraction,
  // The number is beyond the type's limits (OUT_OF_RANGE). Infinities and NaN are beyond the limits of an integer type.
  outside,
};

Fit fit_of(double number, DType t);
Fit fit_of(__int128 integer, DType t);
// Fails unless `fit` is `held`. The error states that the value with the text `number` does not fit the type t.
void require_fit(const char* op, Fit fit, const std::string& number, DType t);
// Returns the text of a number, with the fewest digits that distinguish the number from its neighbours.
std::string text_of(double number);
std::string text_of(__int128 integer);

}  // namespace suanzi
