#include "ops/reduce/named.h"

#include <algorithm>
#include <array>

#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"

namespace suanzi {
namespace {

using walk::Elements;

template <Reduction which>
Tensor fold(const char* op, const Elements& x, const ReductionOptions& o) {
  return reduce(op, which, x, o.axes, o.keepdims, o.dtype);
}

template <Tensor (*compute)(const char*, const Elements&, uint64_t, bool, std::optional<DType>)>
Tensor statistic(const char* op, const Elements& x, const ReductionOptions& o) {
  return compute(op, x, o.axes, o.keepdims, o.dtype);
}

template <Tensor (*compute)(const char*, const Elements&, uint64_t, bool, std::optional<DType>, double)>
Tensor corrected(const char* op, const Elements& x, const ReductionOptions& o) {
  return compute(op, x, o.axes, o.keepdims, o.dtype, o.correction);
}

constexpr NamedReduction table[] = {
    {"sum", Takes::dtype, fold<Reduction::sum>},
    {"prod", Takes::dtype, fold<Reduction::prod>},
    {"mean", Takes::dtype, statistic<mean>},
    {"max", Takes::nothing, fold<Reduction::max>},
    {"min", Takes::nothing, fold<Reduction::min>},
    {"all", Takes::nothing, fold<Reduction::all>},
    {"any", Takes::nothing, fold<Reduction::any>},
    {"var", Takes::correction_and_dtype, corrected<variance>},
    {"std", Takes::correction_and_dtype, corrected<standard_deviation>},
    {"norm1", Takes::dtype, statistic<norm1>},
    {"norm2", Takes::dtype, statistic<norm2>},
    {"logsumexp", Takes::dtype, statistic<logsumexp>},
};

}  // namespace

constinit const std::span<const NamedReduction> named_reductions = table;

std::span<const std::string_view> reduction_names() {
  static const auto names = [] {
    std::array<std::string_view, std::size(table)> found;
    std::ranges::transform(table, found.begin(), &NamedReduction::name);
    return found;
  }();
  return names;
}

Tensor trace(const Tensor& x, int64_t offset, std::optional<DType> dtype) {
  const Tensor diagonals = diagonal("trace", x, offset, -2, -1);
  return reduce("trace", Reduction::sum, diagonals, uint64_t{1} << (diagonals.rank() - 1), false, dtype);
}

}  // namespace suanzi
