// The element types (6.2), the properties of each type, and the promotion of two types.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string_view>

namespace suanzi {

// The order of the types is part of the interface with Python. tensor/dtypes.py lists the same types in the same order.
enum class DType : uint8_t {
  boolean,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  string,
};
inline constexpr int dtype_count = 16;
inline constexpr int number_count = 15;  // the number of types of numbers and bool, which precede string

enum class Kind : uint8_t { boolean, unsigned_integer, signed_integer, floating, complex, string };

// The storage types of the two 16-bit floating types. A storage type only holds bits, because arithmetic uses wider
// types.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

// An element of a string tensor. The element points to UTF-8 bytes that the tensor's storage keeps (tensor/text.h). An
// element whose bytes are all zero is the empty string.
struct Text {
  const char* data;
  int64_t length;  // the length in bytes
};

struct DTypeInfo {
  std::string_view name;
  Kind kind;
  uint8_t size;
};

inline constexpr std::array<DTypeInfo, dtype_count> dtype_table{{
    {"bool", Kind::boolean, 1},
    {"uint8", Kind::unsigned_integer, 1},
    {"uint16", Kind::unsigned_integer, 2},
    {"uint32", Kind::unsigned_integer, 4},
    {"uint64", Kind::unsigned_integer, 8},
    {"int8", Kind::signed_integer, 1},
    {"int16", Kind::signed_integer, 2},
    {"int32", Kind::signed_integer, 4},
    {"int64", Kind::signed_integer, 8},
    {"float16", Kind::floating, 2},
    {"bfloat16", Kind::floating, 2},
    {"float32", Kind::floating, 4},
    {"float64", Kind::floating, 8},
    {"complex64", Kind::complex, 8},
    {"complex128", Kind::complex, 16},
    {"string", Kind::string, 16},
}};

constexpr const DTypeInfo& info(DType t) { return dtype_table[static_cast<size_t>(t)]; }
constexpr std::string_view name(DType t) { return info(t).name; }
constexpr Kind kind(DType t) { return info(t).kind; }
constexpr int size_of(DType t) { return info(t).size; }
constexpr bool is_integer(DType t) { return kind(t) == Kind::unsigned_integer || kind(t) == Kind::signed_integer; }
constexpr bool is_floating(DType t) { return kind(t) == Kind::floating; }
constexpr bool is_complex(DType t) { return kind(t) == Kind::complex; }
constexpr bool is_half(DType t) { return t == DType::float16 || t == DType::bfloat16; }

// Returns the floating type of a complex type's parts. Returns any other type unchanged.
constexpr DType real_part(DType t) {
  return t == DType::complex64 ? DType::float32 : t == DType::complex128 ? DType::float64 : t;
}
constexpr DType complex_of(DType real) { return real == DType::float64 ? DType::complex128 : DType::complex64; }

// StorageType<t>::type is the C++ type that stores an element of the DType t. DTypeOf<T>::value is the DType whose
// elements the C++ type T stores.
template <DType>
struct StorageType;
template <class T>
struct DTypeOf;
#define SUANZI_STORAGE(dtype, ctype)             \
  template <>                                    \
  struct StorageType<DType::dtype> {             \
    using type = ctype;                          \
  };                                             \
  template <>                                    \
  struct DTypeOf<ctype> {                        \
    static constexpr DType value = DType::dtype; \
  };
SUANZI_STORAGE(boolean, bool)
SUANZI_STORAGE(uint8, uint8_t)
SUANZI_STORAGE(uint16, uint16_t)
SUANZI_STORAGE(uint32, uint32_t)
SUANZI_STORAGE(uint64, uint64_t)
SUANZI_STORAGE(int8, int8_t)
SUANZI_STORAGE(int16, int16_t)
SUANZI_STORAGE(int32, int32_t)
SUANZI_STORAGE(int64, int64_t)
SUANZI_STORAGE(float16, Float16)
SUANZI_STORAGE(bfloat16, BFloat16)
SUANZI_STORAGE(float32, float)
SUANZI_STORAGE(float64, double)
SUANZI_STORAGE(complex64, std::complex<float>)
SUANZI_STORAGE(complex128, std::complex<double>)
SUANZI_STORAGE(string, Text)
#undef SUANZI_STORAGE
template <DType t>
using storage_t = typename StorageType<t>::type;
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Stores the common type of two operands in `result` (docs/guide.md). Returns false if the operands have no common
// type. The type uint64 has no common type with a signed integer type. The type string has no common type with any
// other type.
bool promote(DType a, DType b, DType& result);

}  // namespace suanzi
