// The functions of suanzi/creation.h. The functions for sparse tensors are in sparse.cpp, and the functions for
// quantized tensors are in quantized.cpp.
#include <algorithm>
#include <cstring>

#include "c/arguments.h"
#include "c/handle.h"
#include "ops/arrange/matrices.h"
#include "ops/arrange/range.h"
#include "ops/random/random.h"
#include "tensor/text.h"
#include "walk/copy.h"

namespace suanzi::c {
namespace {

// Checks `count` strings of the caller, and copies these strings to the first elements of `target`. The tensor owns the
// copied bytes.
void adopt_strings(const char* op, const Tensor& target, const void* data, int64_t count) {
  const auto* const strings = static_cast<const SuanziString*>(data);
  for (int64_t i = 0; i < count; ++i) target.as<Text>()[i] = adopt(target, utf8(op, strings[i]));
}

Tensor initialised(const char* op, const void* data, int64_t bytes, const Description& described) {
  if (!data) return empty(op, described);
  if (bytes < 0) fail(Status::invalid_argument, op, ": the length of the data, ", bytes, " bytes, is negative");
  const bool strings = described.dtype == DType::string;
  if (strings && bytes % size_of(DType::string) != 0)
    fail(Status::invalid_argument, op, ": ", bytes, " bytes are not a whole number of strings");
  const int64_t room = checked_size(op, described.shape, described.dtype) * size_of(described.dtype);
  const int64_t copied = std::min(bytes, room);
  const Tensor result = copied < room ? zeros(op, described) : empty(op, described);
  if (strings) {
    adopt_strings(op, result, data, copied / size_of(DType::string));
  } else if (described.dtype == DType::boolean) {
    std::transform(static_cast<const uint8_t*>(data), static_cast<const uint8_t*>(data) + copied, result.as<uint8_t>(),
                   [](uint8_t byte) { return uint8_t{byte != 0}; });
  } else {
    std::memcpy(result.data, data, static_cast<size_t>(copied));
  }
  return result;
}

// Returns a tensor whose elements are in the caller's memory. The function does not yet set the caller's release
// function.
Tensor referring(const char* op, void* data, int64_t bytes, const Description& described) {
  if (described.dtype == DType::string)
    fail(Status::invalid_argument, op, ": a tensor of strings must own their bytes; suanzi_tensor copies them");
  const int64_t size = checked_size(op, described.shape, described.dtype);
  const int64_t needed = size * size_of(described.dtype);
  if (bytes < needed)
    fail(Status::dimensions_mismatch, op, ": shape ", described.shape, " of ", name(described.dtype), " takes ", needed,
         " bytes, but there are only ", bytes);
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(size_of(real_part(described.dtype))) != 0)
    fail(Status::invalid_argument, op, ": the data are not aligned to ", name(described.dtype));
  Tensor row;
  row.storage =
      StoragePtr::reference(static_cast<std::byte*>(data), static_cast<size_t>(needed), true, nullptr, nullptr);
  row.data = static_cast<std::byte*>(data);
  row.dtype = described.dtype;
  row.shape = {size};
  row.strides = {1};
  row.size = size;
  return described.order ? laid_out(op, row, described.shape, *described.order)
                         : make_view(row, described.shape, contiguous_strides(described.shape));
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;
using suanzi::Scalar;

extern "C" {

SuanziStatus suanzi_tensor(const void* data, int64_t bytes, const int64_t* dims, int64_t rank, SuanziDType dtype,
                           const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y) {
  constexpr const char* op = "tensor";
  return give(op, y, [&] { return initialised(op, data, bytes, description(op, dims, rank, dtype, device, layout)); });
}

SuanziStatus suanzi_from_reference(void* data, int64_t bytes, const int64_t* dims, int64_t rank, SuanziDType dtype,
                                   const SuanziDevice* device, const SuanziLayout* layout,
                                   void (*release)(void* context), void* context, SuanziTensor* y) {
  constexpr const char* op = "from_reference";
  suanzi::Storage* storage = nullptr;
  const SuanziStatus status = give(op, y, [&] {
    const suanzi::Description described = description(op, dims, rank, dtype, device, layout);
    if (!data) return empty(op, described);
    suanzi::Tensor result = referring(op, data, bytes, described);
    storage = result.storage.get();
    return result;
  });
  // The function sets the owner last, so that the memory still belongs to the caller after a failure.
  if (status == SUANZI_STATUS_SUCCESS && storage) storage->set_owner(context, release);
  return status;
}

SuanziStatus suanzi_zeros(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                          const SuanziLayout* layout, SuanziTensor* y) {
  return give("zeros", y, [&] { return zeros("zeros", description("zeros", dims, rank, dtype, device, layout)); });
}

SuanziStatus suanzi_full(const int64_t* dims, int64_t rank, const SuanziScalar* value, SuanziDType dtype,
                         const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y) {
  constexpr const char* op = "full";
  return give(op, y, [&] {
    const suanzi::Description described = description(op, dims, rank, dtype, device, layout);
    return full(op, described, scalar_or(op, value, suanzi::zero_of(described.dtype)));
  });
}

SuanziStatus suanzi_empty(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                          const SuanziLayout* layout, SuanziTensor* y) {
  return give("empty", y, [&] { return empty("empty", description("empty", dims, rank, dtype, device, layout)); });
}

SuanziStatus suanzi_contiguous(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "contiguous";
  return give(op, y, [&] {
    const suanzi::Tensor& from = dense(op, x);
    return from.contiguous ? from : to_contiguous(op, from);
  });
}

SuanziStatus suanzi_uniform(const int64_t* dims, int64_t rank, const SuanziScalar* low, const SuanziScalar* high,
                            uint64_t seed, SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                            SuanziTensor* y) {
  constexpr const char* op = "uniform";
  return give(op, y, [&] {
    const suanzi::Description d = description(op, dims, rank, dtype, device, layout);
    Scalar from, to;
    if (low) from = number(op, low);
    if (high) to = number(op, high);
    return suanzi::uniform(op, d.shape, low ? &from : nullptr, high ? &to : nullptr, seed, d.dtype, d.order_if_any());
  });
}

SuanziStatus suanzi_normal(const int64_t* dims, int64_t rank, const SuanziScalar* mean, const SuanziScalar* std,
                           uint64_t seed, SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                           SuanziTensor* y) {
  constexpr const char* op = "normal";
  return give(op, y, [&] {
    const suanzi::Description d = description(op, dims, rank, dtype, device, layout);
    const Scalar center = number_or(op, mean, 0), deviation = number_or(op, std, 1);
    return suanzi::normal(op, d.shape, center, deviation, seed, d.dtype, d.order_if_any());
  });
}

SuanziStatus suanzi_bernoulli(const SuanziTensor p, uint64_t seed, SuanziTensor* y) {
  return give("bernoulli", y, [&] { return suanzi::bernoulli(dense("bernoulli", p), seed); });
}

SuanziStatus suanzi_multinomial(const SuanziTensor p, int64_t num_samples, bool replacement, uint64_t seed,
                                bool indices, SuanziTensor* y) {
  return give("multinomial", y,
              [&] { return suanzi::multinomial(dense("multinomial", p), num_samples, replacement, seed, indices); });
}

SuanziStatus suanzi_randperm(int64_t n, SuanziDType dtype, uint64_t seed, const SuanziDevice* device, SuanziTensor* y) {
  constexpr const char* op = "randperm";
  return give(op, y, [&] {
    require_cpu(op, device);
    return suanzi::randperm(n, seed, dtype_or_float32(op, dtype));
  });
}

SuanziStatus suanzi_arange(const SuanziScalar* start, const SuanziScalar* stop, const SuanziScalar* step,
                           SuanziDType dtype, const SuanziDevice* device, SuanziTensor* y) {
  constexpr const char* op = "arange";
  return give(op, y, [&] {
    require_cpu(op, device);
    const Scalar first = number_or(op, start, 0), gap = number_or(op, step, 1);
    return suanzi::arange(first, number(op, stop), gap, dtype_or_float32(op, dtype));
  });
}

SuanziStatus suanzi_linspace(const SuanziScalar* start, const SuanziScalar* stop, int64_t num, SuanziDType dtype,
                             const SuanziDevice* device, SuanziTensor* y) {
  constexpr const char* op = "linspace";
  return give(op, y, [&] {
    require_cpu(op, device);
    return suanzi::linspace(number(op, start), number(op, stop), num, dtype_or_float32(op, dtype));
  });
}

SuanziStatus suanzi_diag(const SuanziTensor x, int64_t offset, SuanziTensor* y) {
  return give("diag", y, [&] { return suanzi::diag(dense("diag", x), offset); });
}
}
