// The C functions for quantized tensors: suanzi_quantized_tensor, and functions of suanzi/tensors.h.
#include <cmath>
#include <limits>

#include "c/arguments.h"
#include "c/handle.h"
#include "ops/quantized/code_parameters.h"
#include "ops/quantized/quantized.h"
#include "ops/reduce/reduce.h"
#include "tensor/axes.h"
#include "walk/copy.h"

namespace suanzi::c {
namespace {

constexpr const char* creating = "quantized_tensor";

struct TypeRow {
  DType storage;
  bool symmetric, per_channel;
};
// The quantized types in the order of SUANZI_QINT8 …
constexpr TypeRow types[] = {
    {DType::int8, true, false},  {DType::int16, true, false},   {DType::uint8, false, false},
    {DType::int8, false, false}, {DType::uint16, false, false}, {DType::int16, false, false},
    {DType::int8, true, true},   {DType::int16, true, true},
};
static_assert(std::size(types) == SUANZI_QINT16_PER_CHANNEL + 1);

// The arguments of suanzi_quantized_tensor.
struct Request {
  Dims shape;
  std::optional<Dims> order;
  SuanziQuantizedType type;
  const Tensor* scale;
  const int64_t* zero_point;
  const int64_t* axis;

  const TypeRow& row() const { return types[type]; }
};

bool is_real(DType t) { return is_integer(t) || is_floating(t); }

void require_real(const char* what, const Tensor& x) {
  if (!is_real(x.dtype) && x.size > 0)
    fail(Status::type_mismatch, creating, ": ", what, " of element type ", name(x.dtype), " are not real numbers");
}

// Returns the data in the requested shape and the type `dtype`. Flat data fill the shape from the start. All other
// elements are zeros.
Tensor filled(const Tensor& data, const Request& request, DType dtype) {
  const bool flat = data.rank() < 2;
  if (!flat && data.shape != request.shape)
    fail(Status::dimensions_mismatch, creating, ": data of shape ", data.shape, " for shape ", request.shape,
         "; only flat data fills another shape");
  const Description described{request.shape, dtype, request.order};
  const int64_t room = checked_size(creating, request.shape, dtype);
  const Tensor result = data.size < room ? zeros(creating, described) : empty(creating, described);
  if (!flat) {
    copy_into(creating, result, data);
  } else if (const int64_t covered = std::min(room, data.size); covered > 0) {
    const auto start = [&](const Tensor& x) { return make_view(x, {covered}, {1}); };
    copy_into(creating, start(in_memory(creating, result)), start(to_contiguous(creating, data)));
  }
  return result;
}

std::optional<int> channel_axis(const Request& request) {
  if (request.row().per_channel) return checked_axis(creating, request.axis ? *request.axis : 0, request.shape.size());
  if (request.axis)
    fail(Status::invalid_argument, creating, ": axis ", *request.axis, " is given, but the type has one scale for all");
  return std::nullopt;
}

Tensor scale_of(const Request& request, const Dims& channels) {
  if (!request.scale) return full(creating, {channels, DType::float32, {}}, Scalar::of(1.0));
  require_real("the scale's numbers", *request.scale);
  if (request.scale->shape != channels)
    fail(Status::dimensions_mismatch, creating, ": scale has shape ", request.scale->shape, ", not ", channels);
  const Tensor scale = to_contiguous(creating, cast(creating, *request.scale, DType::float32));
  for (int64_t i = 0; i < scale.size; ++i)
    if (const float s = scale.as<float>()[i]; !(s > 0) || std::isinf(s))
      fail(Status::out_of_range, creating, ": scale ", text_of(Scalar::of(double{s})),
           " is not positive and finite in float32");
  return scale;
}

// Returns a quantized tensor with the scale, the zero point and the axis of the request, but without codes. The default
// scale is 1, and the default zero point is 0.
QuantizedTensor given(const Request& request) {
  if (!request.scale && request.zero_point)
    fail(Status::invalid_argument, creating, ": zero_point ", *request.zero_point, " is given without a scale");
  const std::optional<int> axis = channel_axis(request);
  Tensor scale = scale_of(request, axis ? Dims{request.shape[*axis]} : Dims{});
  const int64_t zero = request.zero_point ? *request.zero_point : 0;
  if (request.row().symmetric && zero != 0)
    fail(Status::invalid_argument, creating, ": zero_point ", zero, " is not 0, but the type is symmetric");
  const auto [least, greatest] = code_limits(creating, request.row().storage, request.row().symmetric);
  if (zero < least || zero > greatest)
    fail(Status::out_of_range, creating, ": zero_point ", zero, " is outside [", least, ", ", greatest, "]");
  return {{}, std::move(scale), zero, request.type, axis};
}

// Returns the scale in a shape that broadcasts to the shape of the codes.
Tensor spread_scale(const QuantizedTensor& x, int rank) {
  if (!x.axis) return x.scale;
  Dims shape(rank - *x.axis, 1);
  shape[0] = x.scale.size;
  return make_view(x.scale, shape, contiguous_strides(shape));
}

void check_codes(const Tensor& codes, const TypeRow& row) {
  if (codes.size == 0) return;
  const auto [least, greatest] = code_limits(creating, row.storage, row.symmetric);
  for (const Reduction extreme : {Reduction::min, Reduction::max}) {
    const Tensor found = reduce(creating, extreme, codes, all_axes(codes.rank()), false);
    const Tensor wide = cast(creating, found, DType::int64);
    const bool past = found.dtype == DType::uint64 && *found.as<uint64_t>() > uint64_t{INT64_MAX};
    if (const int64_t code = *wide.as<int64_t>(); past || code < least || code > greatest)
      fail(Status::out_of_range, creating, ": code ", code, " is outside [", least, ", ", greatest, "]");
  }
}

// Returns a quantized tensor of the caller's codes. If the caller passes too few codes, the remaining codes are the
// zero point, which represents the number 0.
QuantizedTensor of_codes(const Tensor* codes, const Request& request) {
  QuantizedTensor made = given(request);
  const DType storage = request.row().storage;
  if (codes) check_codes(*codes, request.row());
  made.codes =
      codes ? filled(*codes, request, storage) : zeros(creating, Description{request.shape, storage, request.order});
  const int64_t count = codes ? std::min(codes->size, made.codes.size) : 0;
  if (made.zero != 0 && count < made.codes.size) {
    const Tensor memory = in_memory(creating, made.codes);
    fill(creating, make_view(memory, {memory.size - count}, {1}, count), Scalar::of(made.zero));
  }
  return made;
}

// Quantizes the numbers of `data`. If the request has neither a scale nor a zero point, the function chooses the finest
// parameters that cover the numbers.
QuantizedTensor of_numbers(const Tensor& data, const Request& request) {
  const bool as_they_are = data.shape == request.shape && !request.order;
  const Tensor numbers = as_they_are ? data : filled(data, request, data.dtype);
  const TypeRow& row = request.row();
  if (!request.scale && !request.zero_point) {
    const std::optional<int> axis = channel_axis(request);
    Quantized found = quantize_finest(creating, {&numbers}, {row.storage, row.symmetric, axis});
    return {std::move(found.codes), std::move(found.scale), found.zero, request.type, axis};
  }
  QuantizedTensor made = given(request);
  const Tensor scale = spread_scale(made, request.shape.size());
  made.codes = quantize(creating, {&numbers}, {&scale, made.zero, row.storage, row.symmetric}, nullptr);
  return made;
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

SuanziStatus suanzi_quantized_tensor(const int64_t* dims, int64_t rank, const SuanziTensor data,
                                     const SuanziTensor scale, const int64_t* zero_point, const int64_t* axis,
                                     SuanziQuantizedType type, const SuanziDevice* device, const SuanziLayout* layout,
                                     SuanziTensor* y) {
  return give(creating, y, [&] {
    suanzi::Description described = description(creating, dims, rank, SUANZI_DTYPE_NONE, device, layout);
    const Request request{std::move(described.shape),
                          std::move(described.order),
                          choice(creating, "the quantized type", type, std::size(types)),
                          scale ? &dense(creating, scale) : nullptr,
                          zero_point,
                          axis};
    const suanzi::Tensor* const values = data ? &dense(creating, data) : nullptr;
    if (values) require_real("data", *values);
    return values && !is_integer(values->dtype) ? of_numbers(*values, request) : of_codes(values, request);
  });
}

SuanziStatus suanzi_quantized_info(const SuanziTensor x, SuanziQuantizedType* type, int64_t* zero_point,
                                   int64_t* axis) {
  return guarded([&] {
    const QuantizedTensor& held = quantized_tensor("quantized_info", x);
    if (type) *type = held.type;
    if (zero_point) *zero_point = held.zero;
    if (axis) *axis = held.axis.value_or(-1);
  });
}

SuanziStatus suanzi_quantized_codes(const SuanziTensor x, SuanziTensor* y) {
  return give("quantized_codes", y, [&] { return quantized_tensor("quantized_codes", x).codes; });
}

SuanziStatus suanzi_quantized_scale(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "quantized_scale";
  return give(op, y, [&] { return clone(op, quantized_tensor(op, x).scale); });
}

SuanziStatus suanzi_dequantize(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "dequantize";
  return give(op, y, [&] {
    const QuantizedTensor& held = quantized_tensor(op, x);
    const suanzi::Tensor scale = spread_scale(held, held.codes.rank());
    return dequantize(op, {&held.codes, &scale, held.zero}, suanzi::DType::float32);
  });
}
}
