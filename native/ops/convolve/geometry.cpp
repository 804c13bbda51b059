// The checks of a convolution's operands and options, and the sizes that follow from the operands and options.
#include "ops/convolve/geometry.h"

#include <algorithm>

namespace suanzi::convolve {
namespace {

// Checks an option that has one number per spatial dimension. Each number must be at least `least`.
void check_option(const char* op, const char* what, const Dims& values, int spatial, int64_t least) {
  if (values.size() != spatial)
    fail(Status::dimensions_mismatch, op, ": ", what, " ", values, " does not have a number for each of ", spatial,
         " spatial dimensions");
  for (const int64_t value : values)
    if (value < least) fail(Status::invalid_argument, op, ": ", what, " ", values, " has a number below ", least);
}

int64_t checked_product(const char* op, const char* what, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    fail(Status::invalid_argument, op, ": ", what, " ", a, " times ", b, " does not fit 64 bits");
  return result;
}

int64_t checked_sum(const char* op, const char* what, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    fail(Status::invalid_argument, op, ": ", what, " ", a, " and ", b, " do not fit 64 bits");
  return result;
}

// Returns the distance from the first tap to the last tap of a kernel, plus 1.
int64_t extent_of(const char* op, int64_t kernel, int64_t dilation) {
  return checked_sum(op, "the extent of a kernel", checked_product(op, "dilation", dilation, kernel - 1), 1);
}

void check(const char* op, const Tensor& x, const Tensor& weight, const Request& request, int spatial) {
  check_option(op, "stride", request.stride, spatial, 1);
  check_option(op, "dilation", request.dilation, spatial, 1);
  if (request.same == SamePadding::none) {
    check_option(op, "padding", request.before, spatial, 0);
    check_option(op, "padding", request.after, spatial, 0);
  }
  if (request.groups < 1) fail(Status::invalid_argument, op, ": groups ", request.groups, " is not positive");
  if (x.shape[1] % request.groups != 0)
    fail(Status::dimensions_mismatch, op, ": ", x.shape[1], " channels do not divide into ", request.groups, " groups");
  for (int d = 0; d < spatial; ++d)
    if (weight.shape[leading_dimensions + d] < 1)
      fail(Status::dimensions_mismatch, op, ": weight of shape ", weight.shape, " has a kernel without elements");
}

// Returns a geometry with the sizes that convolutions and transposed convolutions determine in the same way.
Geometry start(const Tensor& x, const Tensor& weight, const Request& request, int spatial) {
  Geometry g{};
  g.images = x.shape[0];
  g.groups = request.groups;
  g.in_channels = x.shape[1] / request.groups;
  for (int d = 0; d < spatial; ++d) {
    Axis& axis = g.axes[max_spatial - spatial + d];
    axis.in = x.shape[leading_dimensions + d];
    axis.kernel = weight.shape[leading_dimensions + d];
    axis.stride = request.stride[d];
    axis.dilation = request.dilation[d];
  }
  return g;
}

void set_shape(Geometry& g, int spatial, int64_t channels) {
  g.shape = {g.images, channels};
  for (int d = 0; d < spatial; ++d) g.shape.push_back(g.axes[max_spatial - spatial + d].out);
}

}  // namespace

int spatial_dimensions(const char* op, const Tensor& x, const Tensor& weight) {
  check_alive(op, x);
  check_alive(op, weight);
  const int spatial = weight.rank() - leading_dimensions;
  if (spatial < 1 || spatial > max_spatial)
    fail(Status::dimensions_mismatch, op, ": weight of shape ", weight.shape,
         " does not have two axes of channels and 1 to ", max_spatial, " spatial dimensions");
  if (x.rank() != weight.rank())
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " does not have two axes and ", spatial,
         " spatial dimensions, as weight of shape ", weight.shape, " has");
  return spatial;
}

Geometry geometry_of(const char* op, const Tensor& x, const Tensor& weight, const Request& request) {
  const int spatial = spatial_dimensions(op, x, weight);
  check(op, x, weight, request, spatial);
  Geometry g = start(x, weight, request, spatial);
  if (weight.shape[1] != g.in_channels || weight.shape[0] % request.groups != 0)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " does not fit weight of shape ", weight.shape, " in ",
         request.groups, " groups");
  g.out_channels = weight.shape[0] / request.groups;
  for (int d = 0; d < spatial; ++d) {
    Axis& axis = g.axes[max_spatial - spatial + d];
    const int64_t extent = extent_of(op, axis.kernel, axis.dilation);
    if (request.same == SamePadding::none) {
      axis.before = request.before[d];
      const int64_t padded =
          checked_sum(op, "padding", checked_sum(op, "padding", axis.in, axis.before), request.after[d]);
      if (padded < extent)
        fail(Status::dimensions_mismatch, op, ": a kernel over ", extent, " places does not fit ", padded,
             ", of shape ", x.shape, " with its padding");
      axis.out = (padded - extent) / axis.stride + 1;
    } else {
      axis.out = axis.in / axis.stride + (axis.in % axis.stride != 0);
      // The window of the last position of the result begins inside the input, so `last` fits 64 bits.
      const int64_t last = std::max<int64_t>(axis.out - 1, 0) * axis.stride;
      const int64_t padding = std::max<int64_t>(checked_sum(op, "the extent of a kernel", last - axis.in, extent), 0);
      axis.before = request.same == SamePadding::upper ? padding / 2 : padding - padding / 2;
    }
  }
  set_shape(g, spatial, weight.shape[0]);
  return g;
}

Geometry transposed_geometry(const char* op, const Tensor& x, const Tensor& weight, const Request& request) {
  const int spatial = spatial_dimensions(op, x, weight);
  check(op, x, weight, request, spatial);
  check_option(op, "output_padding", request.more, spatial, 0);
  Geometry g = start(x, weight, request, spatial);
  if (weight.shape[0] != x.shape[1])
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " does not fit weight of shape ", weight.shape);
  g.out_channels = weight.shape[1];
  for (int d = 0; d < spatial; ++d) {
    Axis& axis = g.axes[max_spatial - spatial + d];
    if (axis.in == 0)
      fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has no elements along a spatial dimension");
    const int64_t reach =
        checked_sum(op, "the size of a result", checked_product(op, "stride", axis.stride, axis.in - 1),
                    extent_of(op, axis.kernel, axis.dilation));
    const int64_t whole = checked_sum(op, "the size of a result", reach, request.more[d]);
    if (request.same != SamePadding::none) {
      axis.out = checked_product(op, "stride", axis.in, axis.stride);
      const int64_t padding = std::max<int64_t>(whole - axis.out, 0);
      axis.before = request.same == SamePadding::upper ? padding / 2 : padding - padding / 2;
      continue;
    }
    axis.before = request.before[d];
    const int64_t padding = checked_sum(op, "padding", axis.before, request.after[d]);
    if (padding > whole)
      fail(Status::dimensions_mismatch, op, ": padding of ", padding, " is more than the ", whole,
           " places that shape ", x.shape, " reaches");
    axis.out = whole - padding;
  }
  set_shape(g, spatial, checked_product(op, "channels of groups", weight.shape[1], request.groups));
  return g;
}

}  // namespace suanzi::convolve
