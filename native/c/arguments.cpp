#include "c/arguments.h"

#include "c/handle.h"
#include "tensor/axes.h"

namespace suanzi::c {
namespace {

// Returns the number of bytes of the character that begins at `text`, or 0 if these bytes are not a character of
// well-formed UTF-8 (Unicode, table 3-7).
int64_t character_length(const unsigned char* text, int64_t left) {
  const unsigned char first = text[0];
  if (first < 0x80) return 1;
  const int64_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > left) return 0;
  unsigned char least = 0x80, greatest = 0xbf;  // the bounds of the second byte
  if (first == 0xe0) least = 0xa0;
  if (first == 0xed) greatest = 0x9f;
  if (first == 0xf0) least = 0x90;
  if (first == 0xf4) greatest = 0x8f;
  if (text[1] < least || text[1] > greatest) return 0;
  for (int64_t i = 2; i < length; ++i)
    if (text[i] < 0x80 || text[i] > 0xbf) return 0;
  return length;
}

}  // namespace

Dims integers(const char* op, const char* what, const int64_t* numbers, int64_t count) {
  if (count < 0 || count > max_rank)
    fail(Status::invalid_argument, op, ": ", count, " numbers of ", what, " are not between 0 and ", max_rank);
  if (count > 0) require(op, what, numbers);
  Dims dims;
  for (int64_t i = 0; i < count; ++i) dims.push_back(numbers[i]);
  return dims;
}

uint64_t axes_or_all(const char* op, const int64_t* axes, int64_t count, int rank) {
  return axes ? axis_bits(op, integers(op, "axes", axes, count), rank) : all_axes(rank);
}

std::optional<int64_t> optional_integer(const int64_t* number) {
  return number ? std::optional(*number) : std::nullopt;
}

int choice(const char* op, const char* what, int32_t value, int count) {
  if (value < 0 || value >= count)
    fail(Status::invalid_argument, op, ": ", what, " ", value, " is not one of the constants 0 to ", count - 1);
  return value;
}

std::optional<DType> optional_dtype(const char* op, SuanziDType dtype) {
  if (dtype == SUANZI_DTYPE_NONE) return std::nullopt;
  return static_cast<DType>(choice(op, "the element type", dtype, dtype_count));
}

DType dtype_or_float32(const char* op, SuanziDType dtype) { return optional_dtype(op, dtype).value_or(DType::float32); }

void require_cpu(const char* op, const SuanziDevice* device) {
  if (device && (device->type != SUANZI_CPU || device->index != 0))
    fail(Status::invalid_argument, op, ": the device of type ", device->type, " and index ", device->index,
         " is not the CPU, the only supported device");
}

std::optional<Dims> order_of(const char* op, const SuanziLayout* layout, int32_t storage, int rank) {
  if (!layout) return std::nullopt;
  if (layout->storage != storage)
    fail(Status::invalid_argument, op, ": the layout has storage format ", layout->storage, ", not ", storage);
  if (!layout->order) return std::nullopt;
  if (layout->rank != rank)
    fail(Status::invalid_argument, op, ": the layout has ", layout->rank, " dimensions, but the tensor has ", rank);
  return integers(op, "the logical order", layout->order, layout->rank);
}

Description description(const char* op, const int64_t* dims, int64_t rank, SuanziDType dtype,
                        const SuanziDevice* device, const SuanziLayout* layout) {
  require_cpu(op, device);
  Description described{integers(op, "the shape", dims, rank), dtype_or_float32(op, dtype), std::nullopt};
  described.order = order_of(op, layout, SUANZI_DENSE, described.shape.size());
  return described;
}

std::string_view utf8(const char* op, const SuanziString& string) {
  if (string.length < 0)
    fail(Status::invalid_argument, op, ": the length of a string, ", string.length, " bytes, is negative");
  if (string.length > 0) require(op, "a string", string.data);
  const auto* const text = reinterpret_cast<const unsigned char*>(string.data);
  for (int64_t at = 0; at < string.length;) {
    const int64_t length = character_length(text + at, string.length - at);
    if (length == 0) fail(Status::invalid_argument, op, ": byte ", at, " of a string is not UTF-8");
    at += length;
  }
  return string.length == 0 ? std::string_view() : std::string_view(string.data, static_cast<size_t>(string.length));
}

Scalar scalar(const char* op, const SuanziScalar* given) {
  require(op, "a scalar", given);
  const auto& value = given->value;
  switch (given->type) {
    case SUANZI_SCALAR_BOOL:
      return Scalar::of(value.boolean);
    case SUANZI_SCALAR_INT:
      return Scalar::of(value.integer);
    case SUANZI_SCALAR_UINT:
      return {Scalar::Kind::integer, false, false, value.unsigned_integer, {double(value.unsigned_integer)}};
    case SUANZI_SCALAR_FLOAT:
      return Scalar::of(value.floating);
    case SUANZI_SCALAR_COMPLEX:
      return Scalar::of(std::complex<double>(value.complex_parts[0], value.complex_parts[1]));
    case SUANZI_SCALAR_STRING: {
      const std::string_view text = utf8(op, value.string);
      return Scalar::of(Text{text.data(), static_cast<int64_t>(text.size())});
    }
    default:
      fail(Status::invalid_argument, op, ": the type of the scalar, ", given->type,
           ", is not one of SUANZI_SCALAR_BOOL to SUANZI_SCALAR_STRING");
  }
}

Scalar scalar_or(const char* op, const SuanziScalar* value, const Scalar& otherwise) {
  return value ? scalar(op, value) : otherwise;
}

Scalar number(const char* op, const SuanziScalar* value) {
  const Scalar read = scalar(op, value);
  if (read.kind == Scalar::Kind::string) fail(Status::type_mismatch, op, ": a string is not a number");
  return read;
}

Scalar number_or(const char* op, const SuanziScalar* value, int64_t otherwise) {
  return value ? number(op, value) : Scalar::of(otherwise);
}

}  // namespace suanzi::c
