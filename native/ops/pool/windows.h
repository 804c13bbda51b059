// The windows of a pool along the spatial axes of a tensor. The functions below compute the sizes, the padding, and the
// elements of each window.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/dims.h"
#include "ops/pool/pooling.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

// The number of dimensions before the spatial dimensions. These dimensions are the batch and the channels.
inline constexpr int dimensions_before = 2;

// Returns the number of spatial dimensions. Fails with DIMENSIONS_MISMATCH in these cases:
// - x has no spatial dimension.
// - x has more than pooled_axes spatial dimensions.
// - A spatial dimension has no elements.
int pooled_dimensions(const char* op, const Tensor& x);

// The padding that a caller requests:
// - `given` means the padding in the request.
// - `valid` means no padding.
// - `same_upper` and `same_lower` mean the padding that leads to one result for each stride. An odd element of padding
//   comes after the elements (`same_upper`) or before the elements (`same_lower`).
enum class Padding : uint8_t { given, valid, same_upper, same_lower };
inline constexpr std::string_view padding_names[] = {"given", "valid", "same_upper", "same_lower"};

// The requested windows of a call, with a number for each spatial dimension.
struct WindowRequest {
  Dims kernel, stride, dilation;
  Padding padding = Padding::given;
  Dims before, after;
  // If `ceil` is true, the last window may start before the end of the elements and end beyond the padding.
  bool ceil = false;
};

// The windows along one axis.
struct Windows {
  int64_t in, out;
  int64_t kernel, stride, dilation;
  int64_t before, after;  // the padding before and after the elements

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
  int64_t start(int64_t result) const { return result * stride - before; }
  // Returns the elements of the window of a result, without padding.
  Span span(int64_t result) const;
  // Returns the number of elements in the window of a result, including padding.
  int64_t padded_count(int64_t result) const;
};

// Returns the checked windows of one spatial axis of x. Fails with INVALID_ARGUMENT if the kernel size, the
// stride or the dilation is less than 1, if a window would be larger than any axis, or if a given padding is negative
// or not less than the window. Fails with DIMENSIONS_MISMATCH if a window is larger than the padded axis.
Windows windows_of(const char* op, const Tensor& x, int axis, const WindowRequest& request);

// Returns the parts into which an axis is divided as evenly as whole elements allow. Parts may overlap by one element.
std::vector<Span> even_parts(int64_t in, int64_t out);

}  // namespace suanzi
