#include "c/handle.h"

#include <exception>
#include <new>

namespace suanzi::c {
namespace {

// The message of the thread's last failing call, and the fixed text that replaces this message if the memory does not
// suffice for a message.
thread_local std::string message;
thread_local const char* instead = nullptr;

void remember(const char* text) noexcept {
  instead = nullptr;
  try {
    message = text;
  } catch (...) {
    instead = "the process is out of memory";
  }
}

constexpr const char* kind_names[] = {"a dense tensor", "a sparse tensor", "a quantized tensor", "a scalar"};

// Returns the content of a handle. Fails with TYPE_MISMATCH if the content has another kind than `wanted`.
template <class Held>
const Held& of_kind(const char* op, SuanziTensor x, int wanted) {
  const Content& content = content_of(op, x);
  if (const Held* held = std::get_if<Held>(&content)) return *held;
  fail(Status::type_mismatch, op, ": an operand is ", kind_names[content.index()], ", not ", kind_names[wanted]);
}

}  // namespace

const Content& content_of(const char* op, SuanziTensor x) {
  if (!x) fail(Status::uninitialized_object, op, ": a tensor is NULL: destroyed, or never made");
  return x->content;
}

const Tensor& dense(const char* op, SuanziTensor x) { return of_kind<Tensor>(op, x, SUANZI_KIND_DENSE); }

const SparseTensor& sparse_tensor(const char* op, SuanziTensor x) {
  return of_kind<SparseTensor>(op, x, SUANZI_KIND_SPARSE);
}

const QuantizedTensor& quantized_tensor(const char* op, SuanziTensor x) {
  return of_kind<QuantizedTensor>(op, x, SUANZI_KIND_QUANTIZED);
}

std::vector<Tensor> dense_list(const char* op, const SuanziTensor* tensors, int64_t count) {
  if (count < 0) fail(Status::invalid_argument, op, ": the count of tensors, ", count, ", is negative");
  if (count > 0) require(op, "the list of tensors", tensors);
  std::vector<Tensor> list;
  for (int64_t i = 0; i < count; ++i) list.push_back(dense(op, tensors[i]));
  return list;
}

Operand operand(const char* op, SuanziTensor x) {
  const Content& content = content_of(op, x);
  if (const auto* number = std::get_if<Number>(&content)) {
    Scalar scalar = number->scalar;
    if (scalar.kind == Scalar::Kind::string)
      scalar.text = {number->text.data(), static_cast<int64_t>(number->text.size())};
    return {nullptr, scalar};
  }
  return {&dense(op, x), {}};
}

void require(const char* op, const char* what, const void* pointer) {
  if (!pointer) fail(Status::invalid_argument, op, ": ", what, " is NULL");
}

SuanziStatus failed() noexcept {
  try {
    throw;
  } catch (const StatusError& error) {
    remember(error.what());
    return static_cast<SuanziStatus>(error.status());
  } catch (const std::bad_alloc&) {
    remember("the process is out of memory");
    return SUANZI_STATUS_ALLOC_FAILED;
  } catch (const std::exception& error) {
    remember(error.what());
  } catch (...) {
    remember("unknown failure in the library");
  }
  return SUANZI_STATUS_INTERNAL_ERROR;
}

}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

const char* suanzi_last_message(void) { return instead ? instead : message.c_str(); }

int32_t suanzi_c_version(void) { return SUANZI_C_VERSION; }

const char* suanzi_implementation(void) { return "suanzi " SUANZI_VERSION; }

const char* suanzi_status_name(SuanziStatus status) {
  constexpr const char* names[suanzi::status_count] = {
      "STATUS_SUCCESS",          "STATUS_TYPE_MISMATCH", "STATUS_DIMENSIONS_MISMATCH", "STATUS_UNINITIALIZED_OBJECT",
      "STATUS_INVALID_ARGUMENT", "STATUS_ALLOC_FAILED",  "STATUS_OUT_OF_RANGE",        "STATUS_INTERNAL_ERROR"};
  return status >= 0 && status < suanzi::status_count ? names[status] : "STATUS_UNKNOWN";
}
}
