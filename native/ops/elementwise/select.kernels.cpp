// Operations that only move elements: where, positive, and conj of real types. Types of the same size, including
// complex and 16-bit floating types, share a kernel of `where` and a kernel of `positive`. `where` also accepts
// strings.
#include "kernels/families.h"
#include "kernels/loops.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct Where {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<uint8_t, N> condition, Vec<T, N> a, Vec<T, N> b) const {
    return select(convert<T>(condition) != Vec<T, N>(T(0)), a, b);
  }
};

template <int Size>
void where(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  if constexpr (Size <= 8) {
    using T = std::make_unsigned_t<typename IntOfSize<Size>::type>;
    constexpr int N = vector_bytes / Size;
    const Either<uint8_t, N> condition(in[0], params.is_constant(0), n);
    const Either<T, N> a(in[1], params.is_constant(1), n), b(in[2], params.is_constant(2), n);
    apply<N>(Where{}, out, n, params.stream, condition, a, b);
  } else {
    constexpr int words = Size / 8;
    using V = Vec<uint64_t, words>;
    const auto* const condition = static_cast<const uint8_t*>(in[0]);
    const auto *a = static_cast<const uint64_t*>(in[1]), *b = static_cast<const uint64_t*>(in[2]);
    const int64_t step = params.step(0), step_a = words * params.step(1), step_b = words * params.step(2);
    auto* target = static_cast<uint64_t*>(out);
    for (int64_t i = 0; i < n; ++i) {
      const V chosen(condition[step * i] != 0 ? ~uint64_t(0) : 0);
      ((V::load(a + step_a * i) & chosen) | (V::load(b + step_b * i) & ~chosen)).store(target + words * i);
    }
  }
}

template <int Size>
void copy(void* out, const void* const* in, int64_t n, const KernelParams&) {
  if (out != in[0]) std::memcpy(out, in[0], static_cast<size_t>(n) * Size);
}

constexpr Kernel where_of_size(int size) {
  switch (size) {
    case 1:
      return where<1>;
    case 2:
      return where<2>;
    case 4:
      return where<4>;
    case 8:
      return where<8>;
    default:
      return where<16>;
  }
}
constexpr Kernel copy_of_size(int size) {
  switch (size) {
    case 1:
      return copy<1>;
    case 2:
      return copy<2>;
    case 4:
      return copy<4>;
    case 8:
      return copy<8>;
    default:
      return copy<16>;
  }
}

}  // namespace

void fill_select(KernelTable& table) {
  for (int i = 0; i < dtype_count; ++i) {
    const DType type = static_cast<DType>(i);
    const int size = size_of(type);
    set(table, Operation::where, type, where_of_size(size));
    if (type == DType::string) continue;
    if (type != DType::boolean) set(table, Operation::positive, type, copy_of_size(size));
    if (!is_complex(type)) set(table, Operation::conj, type, copy_of_size(size));
  }
}

}  // namespace suanzi::SUANZI_LEVEL
