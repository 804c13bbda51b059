// Means, norms, variances and logsumexp: reductions whose accumulators are not yet the result.
//
// Integers and bool give float32, complex norms and variances the type of the parts. Everything is accumulated in
// float64 from the elements as they are; `dtype` is only the type of the result, a floating one.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

// The mean may be complex, unlike the others, and converts the elements to `dtype` before it adds them. It lies between
// the least and the greatest element, also where their sum does not.
Tensor mean(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);

Tensor norm1(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);
// The norm neither overflows nor underflows before its result does.
Tensor norm2(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);
Tensor logsumexp(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);

// Divides by the number of elements less `correction`; NaN where that is not positive. No square overflows or
// underflows before the result does.
Tensor variance(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype,
                double correction);
Tensor standard_deviation(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims,
                          std::optional<DType> dtype, double correction);

}  // namespace suanzi
