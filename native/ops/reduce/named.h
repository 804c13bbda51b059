// The list of all reductions and their names. The Python function `reduce` calls any reduction by its name. Each
// reduction is also an operator with the name of the reduction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

struct ReductionOptions {
  uint64_t axes;  // a bit for each axis that is reduced
  bool keepdims = false;
  std::optional<DType> dtype = {};
  double correction = 0;  // the correction of var and std
};

// The parameters of a reduction other than operand, axes, keepdims and `out`.
enum class Takes : uint8_t { nothing, dtype, correction_and_dtype };

struct NamedReduction {
  const char* name;
  Takes takes;
  Tensor (*compute)(const char* op, const walk::Elements& x, const ReductionOptions& options);
};

// All reductions in the order of suanzi/reduction.h.
extern const std::span<const NamedReduction> named_reductions;

std::span<const std::string_view> reduction_names();

// Returns the sum of diagonal `offset` of each matrix in the last two axes.
Tensor trace(const Tensor& x, int64_t offset, std::optional<DType> dtype = {});

}  // namespace suanzi
