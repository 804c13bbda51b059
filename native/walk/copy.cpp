#include "walk/copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "runtime/costs.h"
#include "tensor/text.h"
#include "walk/move.h"
#include "walk/program.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

struct Range {
  const std::byte* first;
  const std::byte* last;
};

Range byte_range(const Tensor& x) {
  const std::byte *first = x.data, *last = x.data + (x.size ? size_of(x.dtype) : 0);
  for (int i = 0; x.size && i < x.rank(); ++i) {
    const int64_t reach = (x.shape[i] - 1) * x.strides[i] * size_of(x.dtype);
    (reach < 0 ? first : last) += reach;
  }
  return {first, last};
}

// Returns true if a tensor of the type `to` may store elements of the type `from`. The kind of `to` must not come
// before the kind of `from` in the order bool, integer, floating, complex. Only tensors of strings may store strings.
bool same_kind_cast(DType from, DType to) {
  if (from == DType::string || to == DType::string) return from == to;
  const auto rank = [](DType t) { return kind(t) == Kind::boolean ? 0 : is_integer(t) ? 1 : is_floating(t) ? 2 : 3; };
  return rank(from) <= rank(to);
}

// Copies a small tensor at once if the two tensors are contiguous. Returns false, and copies nothing, for other
// tensors.
bool copy_small(const Tensor& target, const Tensor& source, Kernel convert) {
  if (!source.contiguous || !target.contiguous || source.size != target.size || source.size > costs::direct_elements)
    return false;
  const void* from = source.data;
  convert(target.data, &from, source.size, {});
  keep_referents(target, source);
  return true;
}

}  // namespace

bool may_overlap(const Tensor& x, const Tensor& y) {
  const Range a = byte_range(x), b = byte_range(y);
  return a.first < b.last && b.first < a.last;
}

void check_target(const char* op, const Tensor& out) {
  check_alive(op, out);
  check_writable(op, out);
  if (repeats_elements(out))
    fail(Status::invalid_argument, op, ": elements of out share memory (out is an expanded view)");
}

bool overlaps_partially(const Tensor& input, const Tensor& out) {
  if (input.data == out.data && input.shape == out.shape && input.strides == out.strides && input.dtype == out.dtype)
    return false;
  return may_overlap(input, out);
}

void check_out(const char* op, const Tensor& out, const Dims& shape, DType result) {
  check_target(op, out);
  if (out.shape != shape)
    fail(Status::dimensions_mismatch, op, ": out has shape ", out.shape, ", but the result has shape ", shape);
  if (!same_kind_cast(result, out.dtype))
    fail(Status::type_mismatch, op, ": out has element type ", name(out.dtype), ", which cannot hold ", name(result));
}

std::optional<DType> wider_type(DType result, const Tensor& out) {
  const bool widens = is_half(result) && out.dtype != result && (is_floating(out.dtype) || is_complex(out.dtype));
  if (!widens) return std::nullopt;
  return out.dtype == DType::float32 ? DType::float32 : DType::float64;
}

void store_element(const char* op, const Scalar& scalar, DType t, const Tensor& target, ElementBuffer& element) {
  store_scalar(op, scalar, t, element);
  // A string beside a target of another type is only compared, so the code need not keep the string's bytes.
  if (t != DType::string || target.dtype != DType::string) return;
  const Text kept = adopt(target, view(scalar.text));
  std::memcpy(element.bytes, &kept, sizeof(kept));
}

void copy_into(const char* op, const Tensor& target, const Tensor& source) {
  check_target(op, target);
  check_alive(op, source);
  if (broadcast(op, target.shape, source.shape) != target.shape)
    fail(Status::dimensions_mismatch, op, ": shape ", source.shape, " does not broadcast to ", target.shape);
  const Kernel convert = kernels().convert[static_cast<int>(source.dtype)][static_cast<int>(target.dtype)];
  if (!convert)
    fail(Status::type_mismatch, op, ": ", name(source.dtype), " cannot become ", name(target.dtype),
         is_complex(source.dtype) && target.dtype != DType::string ? "; take real(x) or abs(x)" : "");
  const Tensor from = overlaps_partially(source, target) ? clone(op, source) : source;
  if (copy_small(target, from, convert)) return;
  const walk::View view = walk::View::broadcast(from, target.shape);
  if (source.dtype == target.dtype) {
    const walk::Move move(target.shape, walk::View::of(target), view);
    walk::run({&move, 1});
    keep_referents(target, from);
    return;
  }
  walk::run({{&source.dtype, 1}, {}}, target.shape, {&view, 1}, walk::View::of(target));
  keep_referents(target, from);
}

void fill(const char* op, const Tensor& target, const Scalar& value) {
  check_target(op, target);
  ElementBuffer element;
  store_element(op, value, target.dtype, target, element);
  if (target.contiguous && target.size <= costs::direct_elements)
    return walk::repeat(target.data, element.bytes, size_of(target.dtype), target.size);
  const walk::View view{element.bytes, target.dtype, Dims(target.rank(), 0)};
  walk::run({{&target.dtype, 1}, {}}, target.shape, {&view, 1}, walk::View::of(target));
}

Tensor cast(const char* op, const Tensor& x, DType dtype) {
  check_alive(op, x);
  Tensor result = make_empty_like(op, x.shape, dtype, x);
  const Kernel convert = kernels().convert[static_cast<int>(x.dtype)][static_cast<int>(dtype)];
  if (!convert || !copy_small(result, x, convert)) copy_into(op, result, x);
  return result;
}

Tensor clone(const char* op, const Tensor& x) { return cast(op, x, x.dtype); }

Tensor to_contiguous(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (x.contiguous) return x;
  Tensor result = make_empty(op, x.shape, x.dtype);
  copy_into(op, result, x);
  return result;
}

Tensor reshape(const char* op, const Tensor& x, const Dims& shape) {
  check_alive(op, x);
  const Dims resolved = resolve_shape(op, x, shape);
  if (auto view = reshape_view(x, resolved)) return *view;
  return *reshape_view(to_contiguous(op, x), resolved);
}

}  // namespace suanzi
