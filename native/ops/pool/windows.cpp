#include "ops/pool/windows.h"

#include <algorithm>

#include "base/status.h"

namespace suanzi {
namespace {

// Fails with INVALID_ARGUMENT if a window extends so far that a sum of a few numbers of this size would exceed 64 bits.
void check_reach(const char* op, int64_t kernel, int64_t dilation) {
  int64_t reach = 0, room = 0;
  if (__builtin_mul_overflow(kernel - 1, dilation, &reach) || __builtin_mul_overflow(reach, int64_t{8}, &room))
    fail(Status::invalid_argument, op, ": kernel_size ", kernel, " with dilation ", dilation,
         " is larger than any axis");
}

void check_sizes(const char* op, const Windows& w) {
  const auto check = [&](const char* what, int64_t size) {
    if (size < 1) fail(Status::invalid_argument, op, ": ", what, " ", size, " is not positive");
  };
  check("kernel_size", w.kernel);
  check("stride", w.stride);
  check("dilation", w.dilation);
}

void pad_given(const char* op, Windows& w, bool ceil) {
  const int64_t reach = w.reach();
  for (const int64_t padding : {w.before, w.after})
    if (padding < 0 || padding >= reach)
      fail(Status::invalid_argument, op, ": padding ", padding, " is not in [0, ", reach,
           "), the elements that a window of ", w.kernel, " spans");
  const int64_t padded = w.in + w.before + w.after;
  if (padded < reach && ceil && reach - padded < w.stride) {
    w.out = 1;
    return;
  }
  if (padded < reach)
    fail(Status::dimensions_mismatch, op, ": a window that spans ", reach, " elements is larger than an axis of ", w.in,
         " with padding ", w.before, " and ", w.after);
  const int64_t steps = (padded - reach) / w.stride, rest = (padded - reach) % w.stride;
  w.out = steps + 1;
  int64_t next = 0;
  if (ceil && rest > 0 && !__builtin_mul_overflow(w.out, w.stride, &next) && next < w.in + w.before) ++w.out;
}

void pad_same(Windows& w, bool upper) {
  w.out = (w.in - 1) / w.stride + 1;
  const int64_t padding = std::max<int64_t>(0, (w.out - 1) * w.stride + w.reach() - w.in);
  w.before = upper ? padding / 2 : padding - padding / 2;
  w.after = padding - w.before;
}

}  // namespace

int pooled_dimensions(const char* op, const Tensor& x) {
  const int spatial = x.rank() - dimensions_before;
  if (spatial < 1 || spatial > pooled_axes)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not (N, C) and 1 to ", pooled_axes,
         " spatial dimensions");
  for (int d = dimensions_before; d < x.rank(); ++d)
    if (x.shape[d] == 0)
      fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has no elements along a spatial dimension");
  return spatial;
}

Span Windows::span(int64_t result) const {
  const int64_t at = start(result);
  const int64_t skipped = at < 0 ? (-at + dilation - 1) / dilation : 0;
  const int64_t first = at + skipped * dilation;
  if (first >= in || skipped >= kernel) return {0, 0};
  return {first, std::min(kernel - skipped, (in - 1 - first) / dilation + 1)};
}

int64_t Windows::padded_count(int64_t result) const {
  const int64_t at = start(result), end = std::min(at + reach(), in + after);
  return (end - at - 1) / dilation + 1;
}

Windows windows_of(const char* op, const Tensor& x, int axis, const WindowRequest& request) {
  Windows w{x.shape[dimensions_before + axis],
            0,
            request.kernel[axis],
            request.stride[axis],
            request.dilation[axis],
            request.before[axis],
            request.after[axis]};
  check_sizes(op, w);
  check_reach(op, w.kernel, w.dilation);
  switch (request.padding) {
    case Padding::same_upper:
    case Padding::same_lower:
      pad_same(w, request.padding == Padding::same_upper);
      break;
    case Padding::valid:
      w.before = w.after = 0;
      [[fallthrough]];
    case Padding::given:
      pad_given(op, w, request.ceil);
  }
  return w;
}

std::vector<Span> even_parts(int64_t in, int64_t out) {
  std::vector<Span> parts(static_cast<size_t>(out));
  const auto part = [&](int64_t i) { return static_cast<__int128>(i) * in; };
  for (int64_t i = 0; i < out; ++i) {
    const auto first = static_cast<int64_t>(part(i) / out), end = static_cast<int64_t>((part(i + 1) + out - 1) / out);
    parts[static_cast<size_t>(i)] = {first, end - first};
  }
  return parts;
}

}  // namespace suanzi
