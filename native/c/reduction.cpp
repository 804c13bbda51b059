// The functions of suanzi/reduction.h.
#include <optional>

#include "c/arguments.h"
#include "c/handle.h"
#include "ops/fft/fft.h"
#include "ops/interpolate/interpolate.h"
#include "ops/reduce/named.h"
#include "ops/scan/scan.h"
#include "ops/search/compaction.h"
#include "ops/search/search.h"
#include "ops/sort/sort.h"

namespace suanzi::c {
namespace {

static_assert(SUANZI_FFT_FORWARD == static_cast<int>(fft::Norm::forward));
static_assert(SUANZI_INTERPOLATE_AREA + 1 == interpolation_mode_count);

Tensor search_in(Search which, SuanziTensor operand, const int64_t* axis, bool keepdims) {
  const char* const op = search_names[static_cast<int>(which)];
  const Tensor& x = dense(op, operand);
  std::optional<int> along;
  if (axis) along = checked_axis(op, *axis, x.rank());
  return search(which, x, along, keepdims);
}

Tensor transform(const fft::Fourier& op, SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm) {
  const auto how = static_cast<fft::Norm>(choice(op.name, "norm", norm, SUANZI_FFT_FORWARD + 1));
  return fft::fourier(op, dense(op.name, x), optional_integer(n), axis, how);
}

Tensor interpolated(const char* op, const Tensor& x, const int64_t* sizes, const double* factors, int64_t count,
                    InterpolationRequest request) {
  if (sizes) request.size = integers(op, "sizes", sizes, count);
  if (factors) {
    if (count < 0 || count > max_rank)
      fail(Status::invalid_argument, op, ": the count of factors, ", count, ", is not between 0 and ", max_rank);
    request.factors.emplace(factors, factors + count);
  }
  return interpolate(x, resolve(x, request));
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

SuanziStatus suanzi_reduce(const SuanziTensor x, int32_t op, const int64_t* axes, int64_t count, bool keepdims,
                           SuanziDType dtype, SuanziTensor* y) {
  return give("reduce", y, [&] {
    const int rows = static_cast<int>(suanzi::named_reductions.size());
    const auto& reducing = suanzi::named_reductions[choice("reduce", "op", op, rows)];
    const suanzi::Tensor& from = dense("reduce", x);
    return reducing.compute(
        "reduce", from, {axes_or_all("reduce", axes, count, from.rank()), keepdims, optional_dtype("reduce", dtype)});
  });
}

SuanziStatus suanzi_cumulative_sum(const SuanziTensor x, const int64_t* axis, SuanziDType dtype, bool include_initial,
                                   bool exclusive, bool reverse, SuanziTensor* y) {
  constexpr const char* op = "cumulative_sum";
  return give(op, y, [&] {
    const suanzi::ScanOptions options{optional_integer(axis), optional_dtype(op, dtype), include_initial, exclusive,
                                      reverse};
    return scan(op, suanzi::Scan::sum, dense(op, x), options);
  });
}

SuanziStatus suanzi_argmax(const SuanziTensor x, const int64_t* axis, bool keepdims, SuanziTensor* y) {
  return give("argmax", y, [&] { return search_in(suanzi::Search::argmax, x, axis, keepdims); });
}

SuanziStatus suanzi_argmin(const SuanziTensor x, const int64_t* axis, bool keepdims, SuanziTensor* y) {
  return give("argmin", y, [&] { return search_in(suanzi::Search::argmin, x, axis, keepdims); });
}

SuanziStatus suanzi_argsort(const SuanziTensor x, int64_t axis, bool descending, SuanziTensor* y) {
  return give("argsort", y, [&] { return suanzi::argsort(dense("argsort", x), axis, descending); });
}

SuanziStatus suanzi_topk(const SuanziTensor x, int64_t k, int64_t axis, bool largest, bool sorted, SuanziTensor* values,
                         SuanziTensor* indices) {
  return give_all("topk", std::array{values, indices}, [&] {
    suanzi::TopK found = suanzi::topk(dense("topk", x), k, axis, largest, sorted);
    return std::array{std::move(found.values), std::move(found.indices)};
  });
}

SuanziStatus suanzi_nonzero(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "nonzero";
  return give(op, y, [&] { return permute(op, suanzi::nonzero(op, dense(op, x)), {1, 0}); });
}

SuanziStatus suanzi_fft(const SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm, SuanziTensor* y) {
  const suanzi::fft::Fourier op{"fft", suanzi::fft::Form::complex, false};
  return give(op.name, y, [&] { return transform(op, x, n, axis, norm); });
}

SuanziStatus suanzi_ifft(const SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm, SuanziTensor* y) {
  const suanzi::fft::Fourier op{"ifft", suanzi::fft::Form::complex, true};
  return give(op.name, y, [&] { return transform(op, x, n, axis, norm); });
}

SuanziStatus suanzi_interpolate(const SuanziTensor x, const int64_t* sizes, const double* factors, int64_t count,
                                int32_t mode, bool align_corners, bool antialias, bool recompute, SuanziTensor* y) {
  constexpr const char* op = "interpolate";
  return give(op, y, [&] {
    const auto how = static_cast<suanzi::InterpolationMode>(choice(op, "mode", mode, suanzi::interpolation_mode_count));
    return interpolated(op, dense(op, x), sizes, factors, count, {how, align_corners, antialias, recompute});
  });
}
}
