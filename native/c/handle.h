// The memory behind a SuanziTensor, and the frame of every C function. The frame reads operands, sets results, and
// converts every failure to a status. No file in native/c uses Python.
#pragma once

#include <suanzi.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "ops/elementwise/elementwise.h"
#include "ops/sparse/pattern.h"
#include "tensor/tensor.h"

namespace suanzi::c {

// A number or a string as an operand. The object owns the bytes of a string.
struct Number {
  Scalar scalar;
  std::string text;
};

struct SparseTensor {
  SparseTensor(sparse::Pattern places, Tensor elements, std::optional<Dims> logical_order)
      : pattern(std::move(places)), values(std::move(elements)), order(std::move(logical_order)), shape(pattern.shape) {
    for (int i = 1; i < values.rank(); ++i) shape.push_back(values.shape[i]);
  }

  sparse::Pattern pattern;
  Tensor values;
  std::optional<Dims> order;  // the order of all dimensions, or nothing for the default order
  Dims shape;                 // the sizes of the pattern, then the sizes of a stored value
};

struct QuantizedTensor {
  Tensor codes, scale;  // the codes, and the scale of shape () or (channels,)
  int64_t zero;
  SuanziQuantizedType type;
  std::optional<int> axis;  // the axis of the channels
};

// The kinds of content, in the order of SUANZI_KIND_…
using Content = std::variant<Tensor, SparseTensor, QuantizedTensor, Number>;

}  // namespace suanzi::c

struct SuanziTensorObject {
  explicit SuanziTensorObject(suanzi::c::Content held) : content(std::move(held)) {}
  SuanziTensorObject(const SuanziTensorObject&) = delete;
  SuanziTensorObject& operator=(const SuanziTensorObject&) = delete;
  ~SuanziTensorObject() { release_user_data(); }

  void release_user_data() {
    if (release) release(user_data);
  }

  suanzi::c::Content content;
  void* user_data = nullptr;
  void (*release)(void*) = nullptr;
};

namespace suanzi::c {

// --- operands ---

// Returns the content of a handle. Fails with UNINITIALIZED_OBJECT for NULL.
const Content& content_of(const char* op, SuanziTensor x);
// Returns a dense tensor. Fails with TYPE_MISMATCH for a tensor that is not dense.
const Tensor& dense(const char* op, SuanziTensor x);
std::vector<Tensor> dense_list(const char* op, const SuanziTensor* tensors, int64_t count);
const SparseTensor& sparse_tensor(const char* op, SuanziTensor x);
const QuantizedTensor& quantized_tensor(const char* op, SuanziTensor x);
// Returns a dense tensor or a number as an operand. The operand points to the content of the handle, so the operand is
// valid as long as the handle exists.
Operand operand(const char* op, SuanziTensor x);

// Fails with INVALID_ARGUMENT if `pointer` is NULL.
void require(const char* op, const char* what, const void* pointer);

// --- the frame of a call ---

// Returns the status of the exception that is being handled, and keeps the exception's message as the last message of
// the thread.
SuanziStatus failed() noexcept;

template <class Body>
SuanziStatus guarded(Body&& body) noexcept {
  try {
    body();
    return SUANZI_STATUS_SUCCESS;
  } catch (...) {
    return failed();
  }
}

// Runs compute() and stores a new handle of the result in `y`. Returns the status of the call.
template <class Compute>
SuanziStatus give(const char* op, SuanziTensor* y, Compute&& compute) noexcept {
  if (y) *y = nullptr;
  return guarded([&] {
    require(op, "the result", y);
    *y = new SuanziTensorObject(Content(compute()));
  });
}

// Creates a handle for each content of a range, and stores the handles in `results`. If the creation of a handle fails,
// the function creates no handles.
template <class Contents>
void hand_over(Contents&& contents, SuanziTensor* results) {
  std::vector<std::unique_ptr<SuanziTensorObject>> made;
  for (auto& each : contents) made.push_back(std::make_unique<SuanziTensorObject>(Content(std::move(each))));
  for (size_t i = 0; i < made.size(); ++i) results[i] = made[i].release();
}

// Runs compute(), which returns an array of tensors, and stores a new handle of each tensor in `results`. Returns the
// status of the call.
template <size_t n, class Compute>
SuanziStatus give_all(const char* op, std::array<SuanziTensor*, n> results, Compute&& compute) noexcept {
  for (SuanziTensor* const y : results)
    if (y) *y = nullptr;
  return guarded([&] {
    for (SuanziTensor* const y : results) require(op, "a result", y);
    std::array<Tensor, n> tensors = compute();
    std::array<SuanziTensor, n> handles;
    hand_over(tensors, handles.data());
    for (size_t i = 0; i < n; ++i) *results[i] = handles[i];
  });
}

// Runs compute(), which returns a vector of tensors, and stores a new handle of each tensor in `results`. The function
// fails unless the vector has `count` tensors. Returns the status of the call.
template <class Compute>
SuanziStatus give_list(const char* op, SuanziTensor* results, int64_t count, Compute&& compute) noexcept {
  for (int64_t i = 0; results && i < count; ++i) results[i] = nullptr;
  return guarded([&] {
    if (count < 0) fail(Status::invalid_argument, op, ": the count of results, ", count, ", is negative");
    if (count > 0) require(op, "the list of results", results);
    std::vector<Tensor> tensors = compute();
    if (static_cast<int64_t>(tensors.size()) != count)
      fail(Status::dimensions_mismatch, op, ": there are ", tensors.size(), " results, but room for ", count);
    hand_over(tensors, results);
  });
}

// Runs compute() and writes the result, a property of a tensor, to `where`. Returns the status of the call.
template <class T, class Compute>
SuanziStatus tell(const char* op, T* where, Compute&& compute) noexcept {
  return guarded([&] {
    require(op, "the result", where);
    *where = compute();
  });
}

}  // namespace suanzi::c
