// Means, norms, variances and logsumexp are reductions whose results are computed from accumulators.
//
// Results for integers and bool are float32. Norms and variances of complex numbers have the type of the parts. All
// reductions except the mean accumulate the elements in float64 without a cast. For these reductions, `dtype` is only
// the type of the result, which is floating.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

// Returns the mean, which may be complex. Unlike the other statistics, the function converts floating and complex
// elements to `dtype` before the addition. The mean is between the least and the greatest element, even if the sum
// overflows.
Tensor mean(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);

Tensor norm1(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);
// The functions norm2 and logsumexp overflow or underflow only if the results overflow or underflow.
Tensor norm2(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);
Tensor logsumexp(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype);

// The functions variance and standard_deviation divide by the number of elements minus `correction`. The result is NaN
// if this difference is not positive. No square overflows or underflows unless the result overflows or underflows.
Tensor variance(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims, std::optional<DType> dtype,
                double correction);
Tensor standard_deviation(const char* op, const walk::Elements& x, uint64_t axes, bool keepdims,
                          std::optional<DType> dtype, double correction);

}  // namespace suanzi
