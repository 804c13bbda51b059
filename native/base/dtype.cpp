#include "base/dtype.h"

#include <algorithm>

namespace suanzi {
namespace {

bool promote_integers(DType a, DType b, DType& result) {
  if (kind(a) == kind(b)) {
    result = size_of(a) >= size_of(b) ? a : b;
    return true;
  }
  const DType u = kind(a) == Kind::unsigned_integer ? a : b;
  const DType s = kind(a) == Kind::unsigned_integer ? b : a;
  if (size_of(u) == 8) return false;
  const int size = std::max(size_of(s), 2 * size_of(u));
  result = size == 2 ? DType::int16 : size == 4 ? DType::int32 : DType::int64;
  return true;
}

DType promote_floating(DType a, DType b) {
  if (a == b) return a;
  if (is_half(a) && is_half(b)) return DType::float32;
  return size_of(a) >= size_of(b) ? a : b;
}

}  // namespace

bool promote(DType a, DType b, DType& result) {
  if (a != b && (a == DType::string || b == DType::string)) return false;
  if (a == b || kind(b) == Kind::boolean) {
    result = a;
    return true;
  }
  if (kind(a) == Kind::boolean) {
    result = b;
    return true;
  }
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b, result);
  if (is_complex(a) || is_complex(b)) {
    const bool wide = a == DType::complex128 || b == DType::complex128 || a == DType::float64 || b == DType::float64;
    result = wide ? DType::complex128 : DType::complex64;
    return true;
  }
  result = is_integer(a) ? b : is_integer(b) ? a : promote_floating(a, b);
  return true;
}

}  // namespace suanzi
