// The rounding of a floating number to decimals, digit by digit. The method is slow, but correct for every floating
// number and every number of decimals.
#pragma once

namespace suanzi {

// Returns the float64, or float32 if `single` is set, that is nearest to the multiple of 10^-decimals that the mode
// chooses for x. x must be finite. Modes are numbered as in ops/elementwise/compositions.h.
double round_digits(double x, int decimals, int mode, bool single);

}  // namespace suanzi
