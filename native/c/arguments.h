// Reading C arguments other than operands: lists of integers, constants, scalars, descriptions of tensors.
#pragma once

#include <suanzi.h>

#include <optional>
#include <string_view>

#include "ops/arrange/filled.h"
#include "walk/scalar.h"

namespace suanzi::c {

// INVALID_ARGUMENT for a negative count, one above max_rank, and NULL where there are numbers.
Dims integers(const char* op, const char* what, const int64_t* numbers, int64_t count);
// A bit for each axis of the list; NULL stands for all.
uint64_t axes_or_all(const char* op, const int64_t* axes, int64_t count, int rank);
std::optional<int64_t> optional_integer(const int64_t* number);

// One of the constants 0 … count - 1.
int choice(const char* op, const char* what, int32_t value, int count);
// The element type; none for SUANZI_DTYPE_NONE.
std::optional<DType> optional_dtype(const char* op, SuanziDType dtype);
// float32 for SUANZI_DTYPE_NONE.
DType dtype_or_float32(const char* op, SuanziDType dtype);

void require_cpu(const char* op, const SuanziDevice* device);
// The logical order of a dense layout; none for the default one.
std::optional<Dims> order_of(const char* op, const SuanziLayout* layout, int32_t storage, int rank);
Description description(const char* op, const int64_t* dims, int64_t rank, SuanziDType dtype,
                        const SuanziDevice* device, const SuanziLayout* layout);

// INVALID_ARGUMENT for text that is no UTF-8, a negative length, and NULL where there are bytes.
std::string_view utf8(const char* op, const SuanziString& string);
// A string keeps its bytes where they are. NULL: `otherwise`.
Scalar scalar(const char* op, const SuanziScalar* value);
Scalar scalar_or(const char* op, const SuanziScalar* value, const Scalar& otherwise);
// Reads a number; a string is TYPE_MISMATCH.
Scalar number(const char* op, const SuanziScalar* value);
Scalar number_or(const char* op, const SuanziScalar* value, int64_t otherwise);

}  // namespace suanzi::c
