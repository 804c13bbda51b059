// The scales and zero points under which codes cover a range of numbers.
#pragma once

#include "base/dtype.h"
#include "ops/quantized/quantized.h"

namespace suanzi {

// The least and the greatest code of a type; of symmetric ones every code has a negative.
struct CodeLimits {
  int32_t least, greatest;
};
CodeLimits code_limits(const char* op, DType codes, bool symmetric);

// The least scale of which so many steps cover an extent, as far as float32 has one. INVALID_ARGUMENT for an extent
// that is not finite, OUT_OF_RANGE for one that needs a scale past float32.
double finest_scale(const char* op, double extent, int64_t steps);

// The finest scale and the zero point for numbers of a range and 0.
struct CodeParameters {
  float scale;
  int64_t zero;
};
CodeParameters spanning(const char* op, const NumberRange& range, DType codes, bool symmetric);

}  // namespace suanzi
