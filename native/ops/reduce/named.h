// The reductions by name: what `reduce` chooses among, and every one under its own name.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

struct ReductionOptions {
  uint64_t axes;  // a bit for each that is reduced
  bool keepdims = false;
  std::optional<DType> dtype = {};
  double correction = 0;  // of var and std
};

// What a reduction takes besides an operand, axes, keepdims and `out`.
enum class Takes : uint8_t { nothing, dtype, correction_and_dtype };

struct NamedReduction {
  const char* name;
  Takes takes;
  Tensor (*compute)(const char* op, const walk::Elements& x, const ReductionOptions& options);
};

inline constexpr int named_reduction_count = 12;
// sum, prod, mean, max, min, all, any, var, std, norm1, norm2, logsumexp: in that order.
extern const NamedReduction named_reductions[named_reduction_count];

// The sums of the diagonals `offset` of the last two axes.
Tensor trace(const Tensor& x, int64_t offset);

}  // namespace suanzi
