// The functions of suanzi/tensors.h and the queries of suanzi/creation.h. These functions read the contents of a
// handle.
#include <algorithm>
#include <cstring>

#include "c/arguments.h"
#include "c/handle.h"
#include "tensor/text.h"
#include "walk/copy.h"

namespace suanzi::c {
namespace {

// Returns the elements of a handle as one tensor. The elements of a quantized tensor are its codes. Fails with
// TYPE_MISMATCH for other kinds.
const Tensor& elements(const char* op, SuanziTensor x) {
  if (const auto* codes = std::get_if<QuantizedTensor>(&content_of(op, x))) return codes->codes;
  return dense(op, x);
}

const Dims& shape_of(const char* op, SuanziTensor x) {
  if (const auto* sparse = std::get_if<SparseTensor>(&content_of(op, x))) return sparse->shape;
  return elements(op, x).shape;
}

int64_t size_of_tensor(const char* op, SuanziTensor x) {
  if (!std::holds_alternative<SparseTensor>(content_of(op, x))) return elements(op, x).size;
  const Dims& shape = shape_of(op, x);
  int64_t size = std::ranges::find(shape, 0) == shape.end();
  for (const int64_t n : shape)
    if (size != 0 && __builtin_mul_overflow(size, n, &size))
      fail(Status::out_of_range, op, ": shape ", shape, " has more elements than 64 bits can count");
  return size;
}

Dims layout_order(const char* op, SuanziTensor x) {
  const auto* const sparse = std::get_if<SparseTensor>(&content_of(op, x));
  if (!sparse) return logical_order(elements(op, x));
  if (sparse->order) return *sparse->order;
  Dims order;
  for (int i = sparse->shape.size() - 1; i >= 0; --i) order.push_back(i);
  return order;
}

// Copies the numbers of `dims` to the caller's array. Fails unless `count`, the length of this array, equals the length
// of `dims`.
void copy_dims(const char* op, const Dims& dims, int64_t* numbers, int64_t count) {
  if (count != dims.size())
    fail(Status::dimensions_mismatch, op, ": there is room for ", count, " numbers, but the tensor has ", dims.size(),
         " dimensions");
  if (count > 0) require(op, "the result", numbers);
  std::ranges::copy(dims, numbers);
}

DType dtype_of_content(const char* op, SuanziTensor x) {
  if (const auto* sparse = std::get_if<SparseTensor>(&content_of(op, x))) return sparse->values.dtype;
  return elements(op, x).dtype;
}

const Tensor& storage_of(const char* op, SuanziTensor x) {
  if (const auto* sparse = std::get_if<SparseTensor>(&content_of(op, x))) return sparse->values;
  return elements(op, x);
}

Number number_of(const char* op, const SuanziScalar* value) {
  Number number{scalar(op, value), {}};
  if (number.scalar.kind == Scalar::Kind::string) number.text = view(number.scalar.text);
  return number;
}

void read_elements(const char* op, const Tensor& x, void* buffer, int64_t bytes) {
  if (bytes != x.nbytes())
    fail(Status::dimensions_mismatch, op, ": there is room for ", bytes, " bytes, but shape ", x.shape, " takes ",
         x.nbytes());
  if (bytes == 0) return;
  require(op, "the buffer", buffer);
  std::memcpy(buffer, x.contiguous ? x.data : to_contiguous(op, x).data, static_cast<size_t>(bytes));
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

SuanziStatus suanzi_scalar(const SuanziScalar* value, SuanziTensor* y) {
  return give("scalar", y, [&] { return number_of("scalar", value); });
}

SuanziStatus suanzi_kind(const SuanziTensor x, int32_t* kind) {
  return tell("kind", kind, [&] { return static_cast<int32_t>(content_of("kind", x).index()); });
}

SuanziStatus suanzi_dtype(const SuanziTensor x, SuanziDType* dtype) {
  return tell("dtype", dtype, [&] { return static_cast<SuanziDType>(dtype_of_content("dtype", x)); });
}

SuanziStatus suanzi_dtype_size(SuanziDType dtype, int64_t* bytes) {
  constexpr const char* op = "dtype_size";
  return tell(op, bytes, [&] {
    return suanzi::size_of(static_cast<suanzi::DType>(choice(op, "the element type", dtype, suanzi::dtype_count)));
  });
}

SuanziStatus suanzi_device(const SuanziTensor x, SuanziDevice* device) {
  return tell("device", device, [&] {
    (void)storage_of("device", x);
    return SuanziDevice{SUANZI_CPU, 0};
  });
}

SuanziStatus suanzi_layout(const SuanziTensor x, int32_t* storage, int64_t* order, int64_t count) {
  constexpr const char* op = "layout";
  return tell(op, storage, [&] {
    copy_dims(op, layout_order(op, x), order, count);
    return std::holds_alternative<SparseTensor>(x->content) ? SUANZI_SPARSE : SUANZI_DENSE;
  });
}

SuanziStatus suanzi_strides(const SuanziTensor x, int64_t* strides, int64_t count) {
  return guarded([&] { copy_dims("strides", elements("strides", x).strides, strides, count); });
}

SuanziStatus suanzi_allocator(const SuanziTensor x, const char** name) {
  return tell("allocator", name, [&] { return storage_of("allocator", x).storage->foreign() ? "external" : "suanzi"; });
}

SuanziStatus suanzi_set_user_data(const SuanziTensor x, void* data, void (*release)(void* data)) {
  return guarded([&] {
    (void)content_of("set_user_data", x);
    x->release_user_data();
    x->user_data = data;
    x->release = release;
  });
}

SuanziStatus suanzi_user_data(const SuanziTensor x, void** data) {
  return tell("user_data", data, [&] {
    (void)content_of("user_data", x);
    return x->user_data;
  });
}

SuanziStatus suanzi_data(const SuanziTensor x, void** data) {
  return tell("data", data, [&] { return static_cast<void*>(dense("data", x).data); });
}

SuanziStatus suanzi_read(const SuanziTensor x, void* buffer, int64_t bytes) {
  return guarded([&] { read_elements("read", dense("read", x), buffer, bytes); });
}

SuanziStatus suanzi_shape(const SuanziTensor x, int64_t* dims, int64_t count) {
  return guarded([&] { copy_dims("shape", shape_of("shape", x), dims, count); });
}

SuanziStatus suanzi_dims(const SuanziTensor x, const int64_t** dims) {
  return tell("dims", dims, [&] { return shape_of("dims", x).data(); });
}

SuanziStatus suanzi_size(const SuanziTensor x, int64_t* size) {
  return tell("size", size, [&] { return size_of_tensor("size", x); });
}

SuanziStatus suanzi_rank(const SuanziTensor x, int64_t* rank) {
  return tell("rank", rank, [&] { return shape_of("rank", x).size(); });
}

SuanziStatus suanzi_is_contiguous(const SuanziTensor x, bool* contiguous) {
  return tell("is_contiguous", contiguous, [&] { return dense("is_contiguous", x).contiguous; });
}

SuanziStatus suanzi_clone(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "clone";
  return give(op, y, [&]() -> Content {
    const Content& content = content_of(op, x);
    if (const auto* sparse = std::get_if<SparseTensor>(&content))
      return SparseTensor{sparse->pattern, clone(op, sparse->values), sparse->order};
    if (const auto* quantized = std::get_if<QuantizedTensor>(&content)) {
      QuantizedTensor copy = *quantized;
      copy.codes = clone(op, quantized->codes);
      return copy;
    }
    return clone(op, dense(op, x));
  });
}

SuanziStatus suanzi_destroy(SuanziTensor* x) {
  return guarded([&] {
    require("destroy", "the handle's address", x);
    (void)content_of("destroy", *x);
    delete std::exchange(*x, nullptr);
  });
}
}
