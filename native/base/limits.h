// The limits of element types, and the values that may become elements where tensors are made of data (7.2.1.1.3): for
// whole tensors ops/elementwise/fits.h asks. A number beside a tensor is judged by the same rule, but may overflow
// (walk/scalar.h).
//
// bool accepts any number (nonzero numbers are true). An integer type takes the integers within its limits, floating
// numbers that are such an integer too. A floating type accepts numbers that round to one of its finite numbers,
// infinities and NaN; a complex type judges each part so. Casts (astype) do not ask.
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

// The least magnitude that a floating type rounds to infinity: halfway between its greatest number and what would be
// the next one.
double overflows_from(DType floating);

enum class Fit : uint8_t {
  held,
  fraction,  // TYPE_MISMATCH: not whole, for an integer type
  outside,   // OUT_OF_RANGE: past the type's limits, as NaN and infinities are for an integer type
};

Fit fit_of(double number, DType t);
Fit fit_of(__int128 integer, DType t);
// Fails unless the number, whose text is `number`, is held.
void require_fit(const char* op, Fit fit, const std::string& number, DType t);
// Returns as few digits as tell the number from its neighbours.
std::string text_of(double number);
std::string text_of(__int128 integer);

}  // namespace suanzi
