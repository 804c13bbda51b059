// Rounding a number to decimals by its digits: slow, and right for every number and every count of decimals.
#pragma once

namespace suanzi {

// The float64, or float32 where `single`, that is nearest to the multiple of 10^-decimals that the mode chooses for x,
// which is finite. Modes are numbered as in ops/elementwise/compositions.h.
double round_digits(double x, int decimals, int mode, bool single);

}  // namespace suanzi
