// The windows of a pool along the spatial axes of a tensor: sizes, padding, and the elements of each window.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/dims.h"
#include "ops/pool/pooling.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

// The dimensions before the spatial ones: batch and channels.
inline constexpr int dimensions_before = 2;

// The number of spatial dimensions; DIMENSIONS_MISMATCH for none, for more than pooled_axes, or for one without
// elements.
int pooled_dimensions(const char* op, const Tensor& x);

// The padding that a caller asks for: as given, none, or as much as gives a result for each stride, the odd one after
// the elements or before them.
enum class Padding : uint8_t { given, valid, same_upper, same_lower };
inline constexpr std::string_view padding_names[] = {"given", "valid", "same_upper", "same_lower"};

// The windows of a call, with a number for each spatial dimension.
struct WindowRequest {
  Dims kernel, stride, dilation;
  Padding padding = Padding::given;
  Dims before, after;
  bool ceil = false;  // a last window that starts inside is kept where it ends outside
};

// The windows along one axis, or along the part of it from `first` on.
struct Windows {
  int64_t in, out;
  int64_t kernel, stride, dilation;
  int64_t before, after;  // padding

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
  int64_t start(int64_t result) const { return result * stride - before; }
  // The elements of a window that are there.
  Span span(int64_t result) const;
  // The number of a window's elements, those in the padding included.
  int64_t padded_count(int64_t result) const;
};

// The windows of one spatial axis of x, checked: INVALID_ARGUMENT for sizes that no window has, DIMENSIONS_MISMATCH
// where a window is larger than the padded axis.
Windows windows_of(const char* op, const Tensor& x, int axis, const WindowRequest& request);

// The parts into which an axis is divided as evenly as whole elements allow, which may overlap by one element.
std::vector<Span> even_parts(int64_t in, int64_t out);

}  // namespace suanzi
