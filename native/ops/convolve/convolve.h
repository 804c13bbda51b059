// Convolutions of batches of signals, images and volumes, and transposed ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ops/convolve/convolve.kernels.h"
#include "tensor/tensor.h"

namespace suanzi::convolve {

// The dimensions of a batch of tensors with channels that are not spatial.
inline constexpr int leading_dimensions = 2;
inline constexpr int max_spatial = 3;

// "same": the result has the size of the input over the stride, rounded up; of an odd number of places "upper" has the
// one more after the elements, "lower" before them.
enum class SamePadding : uint8_t { none, upper, lower };

// The options of a call, with a number for each spatial dimension; padding has two, before and after the elements.
struct Request {
  Dims stride, dilation, before, after;
  SamePadding same = SamePadding::none;
  int64_t groups = 1;
  Dims more = {};  // further places at the end of each dimension: of transposed convolutions
};

// The number of the weight's spatial dimensions; DIMENSIONS_MISMATCH if it has none or too many, or if `x` has
// others.
int spatial_dimensions(const char* op, const Tensor& x, const Tensor& weight);

// One spatial dimension: place o of the result is made of the elements o * stride - before + k * dilation.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, before = 0;
};

// A convolution whose sizes are known. Dimensions that it does not have come first and are of size 1.
struct Geometry {
  Axis axes[max_spatial];
  int64_t images, groups;
  int64_t in_channels, out_channels;  // channels of a group
  Dims shape;                         // the result's shape

  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  int64_t places() const { return axes[0].out * axes[1].out * axes[2].out; }
  // True if the elements of a channel lie in memory as the places of the result do: patches are the image itself.
  bool is_product() const {
    return taps() == 1 && std::all_of(axes, axes + max_spatial, [](const Axis& axis) {
             return axis.stride == 1 && axis.before == 0 && axis.out == axis.in;
           });
  }
  int64_t elements() const { return axes[0].in * axes[1].in * axes[2].in; }  // elements of a channel
};

// An activation in the same pass. A NaN stays one.
struct Activation {
  EndFunction function = EndFunction::none;
  double first = 0, second = 0;  // its numbers
};

// Steps that follow the sums in the same pass.
struct Ending {
  // Added before the activation; where it has another shape than the sums, in a pass of its own.
  const Tensor* added = nullptr;
  Activation activation = {};

  bool is_empty() const { return !added && activation.function == EndFunction::none; }
};

// x is (N, groups * C, ...), weight (M, C, ...), bias (M,). The operands are promoted; float16 and bfloat16 are summed
// in float32 and rounded once. Padding stands for elements of value 0. The result does not depend on the number of
// threads.
Tensor convolve(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                const Tensor* out, const Ending& ending = {});

// x is (N, groups * C, ...), weight (groups * C, M, ...), bias (groups * M,): an element of x adds its products with
// the kernel to the places of the result from which a convolution with the same options would read.
Tensor transpose(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                 const Tensor* out);

// Convolution of 8-bit integers less their zero points, a number each for x and for the weight. The sums are int32,
// which wrap.
Tensor convolve_bytes(const char* op, const Tensor& x, int zero_x, const Tensor& weight, int zero_weight,
                      const Request& request);

// --- for the files of this room ---

// Computes into `result`, a contiguous tensor of the shape of the geometry; all are of one type, contiguous, and x and
// weight have elements. `bias` is null or has an element for each channel.
void run(const Geometry& g, const Tensor& x, const Tensor& weight, const std::byte* bias, const Tensor& result,
         const Ending& ending);

}  // namespace suanzi::convolve
