// Reads C arguments other than operands, such as lists of integers, constants, scalars and descriptions of tensors.
#pragma once

#include <suanzi.h>

#include <optional>
#include <string_view>

#include "ops/arrange/filled.h"
#include "walk/scalar.h"

namespace suanzi::c {

// Reads a list of integers. Fails with INVALID_ARGUMENT for a negative count, for a count above max_rank, and for NULL
// if the list is not empty.
Dims integers(const char* op, const char* what, const int64_t* numbers, int64_t count);
// Returns a number in which bit k is set if `axes` contains axis k. If `axes` is NULL, the bits of all axes are set.
uint64_t axes_or_all(const char* op, const int64_t* axes, int64_t count, int rank);
std::optional<int64_t> optional_integer(const int64_t* number);

// Returns `value`, which must be one of the constants 0 … count - 1.
int choice(const char* op, const char* what, int32_t value, int count);
// Returns the element type that `dtype` names, or nothing for SUANZI_DTYPE_NONE.
std::optional<DType> optional_dtype(const char* op, SuanziDType dtype);
// Returns the element type that `dtype` names, or float32 for SUANZI_DTYPE_NONE.
DType dtype_or_float32(const char* op, SuanziDType dtype);

void require_cpu(const char* op, const SuanziDevice* device);
// Returns the logical order of a dense layout, or nothing for the default order.
std::optional<Dims> order_of(const char* op, const SuanziLayout* layout, int32_t storage, int rank);
Description description(const char* op, const int64_t* dims, int64_t rank, SuanziDType dtype,
                        const SuanziDevice* device, const SuanziLayout* layout);

// Reads text. Fails with INVALID_ARGUMENT for text that is not UTF-8, for a negative length, and for NULL if the text
// is not empty.
std::string_view utf8(const char* op, const SuanziString& string);
// `scalar` and scalar_or return a scalar as a number or a string. The functions do not copy the bytes of a string. If
// `value` is NULL, `scalar` fails with INVALID_ARGUMENT, and scalar_or returns `otherwise`.
Scalar scalar(const char* op, const SuanziScalar* value);
Scalar scalar_or(const char* op, const SuanziScalar* value, const Scalar& otherwise);
// `number` and number_or return a scalar that must be a number. The functions fail with TYPE_MISMATCH for a string. If
// `value` is NULL, `number` fails with INVALID_ARGUMENT, and number_or returns `otherwise`.
Scalar number(const char* op, const SuanziScalar* value);
Scalar number_or(const char* op, const SuanziScalar* value, int64_t otherwise);

}  // namespace suanzi::c
