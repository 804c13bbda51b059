// Convolutions with constant weights that a model has packed.
#include <algorithm>

#include "ops/convolve/blocked.h"
#include "ops/convolve/blocked_weight.h"
#include "ops/convolve/convolve.h"
#include "ops/convolve/direct.h"
#include "ops/convolve/geometry.h"
#include "ops/convolve/patches.h"
#include "walk/copy.h"

namespace suanzi::convolve {
namespace {

bool suits(const Geometry& g, const Tensor& x, const Tensor& weight) {
  return x.dtype == weight.dtype && x.size > 0 && Blocked::suits(with_merged_axes(g), weight.dtype, true);
}

BlockedWeight layout_of(const PackedWeight& weight) {
  int64_t taps = 1;
  for (int d = leading_dimensions; d < weight.shape.size(); ++d) taps *= weight.shape[d];
  return {weight.groups, weight.shape[0] / weight.groups, weight.shape[1], taps, weight.elements.dtype};
}

// Returns true if the shape, the groups and the element type allow a packed form.
bool is_packable(const PackedWeight& weight) {
  const Dims& shape = weight.shape;
  return shape.size() > leading_dimensions && shape.size() <= leading_dimensions + max_spatial &&
         std::ranges::all_of(shape, [](int64_t n) { return n > 0; }) && weight.groups > 0 &&
         shape[0] % weight.groups == 0 && direct_kernels(weight.elements.dtype);
}

// Returns a contiguous tensor of the weight's shape. The memory of this tensor is the packed weight.
Tensor shaped(const char* op, const PackedWeight& weight) {
  const auto& [elements, shape, groups] = weight;
  check_alive(op, elements);
  const int64_t size = checked_size(op, shape, elements.dtype);
  if (!is_packable(weight) || !elements.contiguous || elements.size < size || elements.size != layout_of(weight).size())
    fail(Status::invalid_argument, op, ": ", elements.size, " elements are no packed weight of shape ", shape, " in ",
         groups, " groups");
  return make_view(elements, shape, contiguous_strides(shape), 0);
}

}  // namespace

Tensor PackedWeight::unpacked(const char* op) const {
  const Tensor packed = shaped(op, *this);
  Tensor weight = make_empty(op, shape, packed.dtype);
  layout_of(*this).unpack(packed.data, weight.data);
  return weight;
}

bool packing_pays(const char* op, const Tensor& x, const Tensor& weight, const Request& request) {
  return suits(geometry_of(op, x, weight, request), x, weight);
}

bool packing_pays(const char* op, const Tensor& x, const PackedWeight& weight, const Request& request) {
  return request.groups == weight.groups && packing_pays(op, x, shaped(op, weight), request);
}

PackedWeight pack(const char* op, const Tensor& weight, int64_t groups) {
  check_alive(op, weight);
  PackedWeight packed{{}, weight.shape, groups};
  packed.elements.dtype = weight.dtype;
  if (!is_packable(packed))
    fail(Status::invalid_argument, op, ": a weight of shape ", weight.shape, " in ", groups,
         " groups has no packed form");
  const BlockedWeight layout = layout_of(packed);
  packed.elements = make_empty(op, {layout.size()}, weight.dtype);
  layout.pack(to_contiguous(op, weight).data, packed.elements.data);
  return packed;
}

Tensor convolve_packed(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias,
                       const Request& request, const Ending& ending) {
  const Tensor packed = shaped(op, weight);
  const Geometry g = geometry_of(op, x, packed, request);
  if (request.groups != weight.groups || !suits(g, x, packed) || (bias && bias->dtype != packed.dtype) ||
      (ending.added && ending.added->shape != g.shape))
    return convolve(op, x, weight.unpacked(op), bias, request, nullptr, ending);
  if (ending.added) check_alive(op, *ending.added);
  return compute(op, g, x, packed, true, bias, nullptr, ending);
}

}  // namespace suanzi::convolve
