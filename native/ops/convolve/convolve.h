// Convolutions and transposed convolutions of batches of signals, images and volumes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ops/convolve/convolve.kernels.h"
#include "tensor/tensor.h"

namespace suanzi::convolve {

// The number of dimensions that are not spatial: the batch and the channels.
inline constexpr int leading_dimensions = 2;
inline constexpr int max_spatial = 3;

// For "same", the size of the result is the size of the input divided by the stride, rounded up. For transposed
// convolutions, the size of the result is the product of the size of the input and the stride. If the number of padded
// elements is odd, "upper" puts the extra element after the elements, and "lower" puts the extra element before the
// elements.
enum class SamePadding : uint8_t { none, upper, lower };

// The options of a call. Each list has one number per spatial dimension. `before` and `after` are the numbers of padded
// elements before and after the elements of a dimension.
struct Request {
  Dims stride, dilation, before, after;
  SamePadding same = SamePadding::none;
  int64_t groups = 1;
  Dims more = {};  // only for transposed convolutions: further elements at the end of each dimension
};

// Returns the number of the weight's spatial dimensions. Fails with DIMENSIONS_MISMATCH if the weight has no or too
// many spatial dimensions, or if `x` has a different number of spatial dimensions.
int spatial_dimensions(const char* op, const Tensor& x, const Tensor& weight);

// The sizes of a convolution along one spatial dimension. Position o of the result reads element
// o * stride - before + k * dilation for each tap k.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, before = 0;
};

// The sizes of a convolution. If the convolution has fewer than max_spatial spatial dimensions, the first axes have
// size 1.
struct Geometry {
  Axis axes[max_spatial];
  int64_t images, groups;
  int64_t in_channels, out_channels;  // the numbers of channels in a group
  Dims shape;                         // the result's shape

  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  int64_t places() const { return axes[0].out * axes[1].out * axes[2].out; }
  // Returns true if the elements of a channel are in the same order as the positions of the result, so that the image
  // itself is the matrix of patches.
  bool is_product() const {
    return taps() == 1 && std::all_of(axes, axes + max_spatial, [](const Axis& axis) {
             return axis.stride == 1 && axis.before == 0 && axis.out == axis.in;
           });
  }
  int64_t elements() const { return axes[0].in * axes[1].in * axes[2].in; }  // elements in a channel
};

// An activation that the code applies in the pass that computes the sums. The activation of NaN is NaN.
struct Activation {
  EndFunction function = EndFunction::none;
  double first = 0, second = 0;  // the parameters of the activation
};

// The steps that follow the sums.
struct Ending {
  // A tensor that is added before the activation. If the shape of this tensor differs from the shape of the sums, a
  // separate pass adds the tensor.
  const Tensor* added = nullptr;
  Activation activation = {};
  // If `overwrites` is true, the code may write the result over `added`. No other code may then read the memory of
  // `added`.
  bool overwrites = false;

  bool is_empty() const { return !added && activation.function == EndFunction::none; }
};

// The shape of x is (N, groups * C, ...). The shape of the weight is (M, C, ...). The shape of the bias is (M,). The
// function promotes the operands to a common type. Sums of float16 and bfloat16 are float32 and are rounded once.
// Padded elements are 0. The result does not depend on the number of threads.
Tensor convolve(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                const Tensor* out, const Ending& ending = {});

// A constant weight whose elements are in the order of BlockedWeight. The order depends on the SIMD level.
struct PackedWeight {
  Tensor elements;
  Dims shape;  // the shape of the weight
  int64_t groups;

  // Returns the weight as a contiguous tensor. Fails with INVALID_ARGUMENT if the elements are not a packed weight of
  // the given shape and groups.
  Tensor unpacked(const char* op) const;
};

// Returns true if a convolution of an image of the size of x takes less time with a packed weight.
bool packing_pays(const char* op, const Tensor& x, const Tensor& weight, const Request& request);
bool packing_pays(const char* op, const Tensor& x, const PackedWeight& weight, const Request& request);

// Packs the elements of a weight for which packing_pays returns true.
PackedWeight pack(const char* op, const Tensor& weight, int64_t groups);

// Returns a result that differs from the result of `convolve` only in the last bits. If packing_pays returns false for
// the image's size, the function unpacks the weight.
Tensor convolve_packed(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias,
                       const Request& request, const Ending& ending);

// The shape of x is (N, groups * C, ...). The shape of the weight is (groups * C, M, ...). The shape of the bias is
// (groups * M,). The function multiplies each element of x by the kernel. The function adds the products to the
// positions of the result that would read the element in a convolution with the same options.
Tensor transpose(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                 const Tensor* out);

// Convolves 8-bit integers. The function subtracts zero_x from all elements of x and zero_weight from all elements of
// the weight. The sums are int32 and wrap.
Tensor convolve_bytes(const char* op, const Tensor& x, int zero_x, const Tensor& weight, int zero_weight,
                      const Request& request);

// --- for the files of this folder only ---

// Computes a convolution with the geometry `g`. The ending must not add a tensor of another shape. If `is_packed` is
// true, the elements of `weight` are in the order of BlockedWeight. For packed elements, the operands must not be
// empty, and Blocked::suits must return true for the geometry.
Tensor compute(const char* op, const Geometry& g, const Tensor& x, const Tensor& weight, bool is_packed,
               const Tensor* bias, const Tensor* out, const Ending& ending);

// Computes a convolution into `result`, a contiguous tensor with the geometry's shape. All tensors have one type and
// are contiguous. x and weight are not empty. `bias` is null or has one element per channel.
void run(const Geometry& g, const Tensor& x, const Tensor& weight, const std::byte* bias, const Tensor& result,
         const Ending& ending);

}  // namespace suanzi::convolve
