// The loops of the elementwise kernels, and the functions that make rows of the kernel table from functors over Vec.
//
// A functor is one operation on vectors: `struct Add { template <class V> V operator()(V a, V b) const; };`. A functor
// may
//   - return a Mask, which the loop stores as bytes 0 and 1.
//   - be constructible from KernelParams, if it needs constants.
//   - declare `template <class T> static constexpr int lane_bytes`, if it widens lanes of type T to this number of
//     bytes. A vector then has only as many lanes as fit at this width.
//   - declare `static constexpr bool heavy = true`. The loop then has one copy of the functor instead of two.
//   - declare `static constexpr bool asks_for_truth = true`, if it compares bools with 0. The loop then passes the
//     bytes of bools unchanged.
// The same functor computes the last, partial vector, so that an element's result does not depend on its position.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/kernel.h"
#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Prefetches memory that a loop reads some time later, because the processor's own prefetching stops at the end of each
// 4 KiB page. A greater distance would evict data that the loop needs sooner from the L1 cache.
SUANZI_INLINE void fetch_ahead(const void* now) {
  constexpr int64_t bytes_ahead = 16 * 1024;
  __builtin_prefetch(static_cast<const char*>(now) + bytes_ahead);
}

// The type of the lanes that hold an element of type T. The lanes hold a bool as a byte.
template <class T>
using Lane = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// Returns the address of elements as the address of lanes. Any byte of a bool tensor except 0 is true, and as_truth
// replaces the byte by 1, because other programs may write to the tensor's memory.
template <class T>
SUANZI_INLINE const Lane<T>* lanes_at(const T* p) {
  return reinterpret_cast<const Lane<T>*>(p);
}
template <class T, int N>
SUANZI_INLINE Vec<Lane<T>, N> as_truth(Vec<Lane<T>, N> x) {
  if constexpr (std::is_same_v<T, bool>) return min(x, Vec<uint8_t, N>(uint8_t(1)));
  return x;
}
template <int N, class T>
SUANZI_INLINE Vec<Lane<T>, N> load_lanes(const T* p) {
  return as_truth<T>(Vec<Lane<T>, N>::load(lanes_at(p)));
}
template <int N, class T>
SUANZI_INLINE Vec<Lane<T>, N> load_first_lanes(const T* p, int64_t n, Lane<T> beyond = Lane<T>(1)) {
  return as_truth<T>(Vec<Lane<T>, N>::load_first(lanes_at(p), static_cast<int>(n), beyond));
}
template <class T>
SUANZI_INLINE Lane<T> load_lane(const T* p) {
  if constexpr (std::is_same_v<T, bool>) return *lanes_at(p) != 0;
  return *lanes_at(p);
}

// The access of a loop's body to whole vectors. `load` returns the N lanes at p + skip, and `store` writes the lanes of
// x at p.
struct Whole {
  template <int N, class T>
  SUANZI_INLINE Vec<Lane<T>, N> load(const T* p, int skip = 0) const {
    return load_lanes<N>(p + skip);
  }
  template <class T, int N>
  SUANZI_INLINE void store(Vec<T, N> x, T* p) const {
    x.store(p);
  }
};
// The access to whole vectors whose stores go past the caches. The addresses of the stores are multiples of the
// vector's size.
struct Streaming : Whole {
  template <class T, int N>
  SUANZI_INLINE void store(Vec<T, N> x, T* p) const {
    x.stream(p);
  }
};
// The access to vectors of which only the first `count` elements, counted from p, exist.
struct First {
  int64_t count;
  template <int N, class T>
  SUANZI_INLINE Vec<Lane<T>, N> load(const T* p, int skip = 0) const {
    const int64_t left = count - skip;
    if (left >= N) return load_lanes<N>(p + skip);
    return left > 0 ? load_first_lanes<N>(p + skip, left) : Vec<Lane<T>, N>(Lane<T>(1));
  }
  template <class T, int N>
  SUANZI_INLINE void store(Vec<T, N> x, T* p) const {
    if (count >= N) {
      x.store(p);
    } else {
      x.store_first(p, static_cast<int>(count));
    }
  }
};

// An operand of a loop. `load` reads N lanes through `access`. The first of these lanes is element i + skip, where i is
// the loop's current element.
//
// This class is for an operand whose elements are contiguous.
template <class T>
struct Elements {
  const T* first;
  explicit Elements(const void* in) : first(static_cast<const T*>(in)) {}
  template <int N, class Access>
  SUANZI_INLINE Vec<Lane<T>, N> load(Access access, int64_t i, int skip) const {
    return access.template load<N>(first + i, skip);
  }
};
// An operand that is one element for all results, held in the lanes of a register.
template <class T, int N>
struct Repeated {
  Vec<Lane<T>, N> lanes;
  explicit Repeated(const void* in) : lanes(load_lane(static_cast<const T*>(in))) {}
  template <int, class Access>
  SUANZI_INLINE Vec<Lane<T>, N> load(Access, int64_t, int) const {
    return lanes;
  }
};
// An operand that is either contiguous or one element. The constructor determines the kind of the operand. The class
// copies one element `Count` times, because a step of the loop reads `Count` elements, and the loop reads the same
// copies at each step. This class needs a load where Repeated uses a register, but needs no second copy of the loop.
template <class T, int Count, int Parts = 1>
class Either {
 public:
  Either(const void* in, bool constant, int64_t n) : first_(static_cast<const T*>(in)), moves_(constant ? 0 : -1) {
    if (!constant) return;
    for (int64_t i = 0; i < n && i < Count; ++i) __builtin_memcpy(block_ + i * Parts, in, Parts * sizeof(T));
    first_ = block_;
  }
  Either(const Either&) = delete;
  Either& operator=(const Either&) = delete;

  // Returns the address of the first part of element i, or the address of the only element.
  SUANZI_INLINE const T* at(int64_t i) const { return first_ + Parts * (i & moves_); }
  template <int N, class Access>
  SUANZI_INLINE Vec<Lane<T>, N> load(Access access, int64_t i, int skip) const {
    return access.template load<N>(at(i), skip);
  }

 private:
  const T* first_;
  int64_t moves_;  // all bits set for a contiguous operand, and no bit set for one element
  alignas(64) T block_[Count * Parts];
};

// The constant is true if each loop has one copy of its body, for whole and for partial vectors. Several copies are
// faster, but take twice as long to compile. The results are the same.
#ifdef SUANZI_BRIEF
inline constexpr bool brief = true;
#else
inline constexpr bool brief = false;
#endif

// A `walk` with a single copy of the body. In brief builds, this function replaces `walk`, and limits each access to
// one block.
template <int N, class Body>
SUANZI_INLINE void walk_heavy(int64_t n, Body body) {
  for (int64_t i = 0; i < n; i += N) body(i, First{brief && n - i > N ? N : n - i});
}
// Calls body(i, access) for every block of N elements among n elements, where i is the block's first element.
template <int N, class Body>
SUANZI_INLINE void walk(int64_t n, Body body) {
  if constexpr (brief) {
    walk_heavy<N>(n, body);
  } else {
    int64_t i = 0;
    for (; i + N <= n; i += N) body(i, Whole{});
    if (i < n) body(i, First{n - i});
  }
}
// A walk for bodies that write to `out`. If `stream` is true, the body writes past the caches, and must not read `out`.
template <int N, class T, class Body>
SUANZI_INLINE void walk(T* out, int64_t n, bool stream, Body body) {
  if constexpr (brief) {
    walk_heavy<N>(n, body);
  } else {
    int64_t i = 0;
    if (stream && n > N) {
      // Streaming stores begin at the first multiple of a vector's size after `out`, so the loop computes some elements
      // twice.
      body(0, Whole{});
      i = N - static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) / sizeof(T) % N);
      for (const int64_t end = n - (n - i) % N; i < end; i += N) body(i, Streaming{});
      finish_streaming();
    } else {
      for (; i + N <= n; i += N) body(i, Whole{});
    }
    if (i < n) body(i, First{n - i});
  }
}

// Joins two masks into one mask with lanes half as wide.
template <int Bytes, int N>
SUANZI_INLINE Mask<Bytes / 2, 2 * N> narrow(Mask<Bytes, N> a, Mask<Bytes, N> b) {
  using Half = typename Mask<Bytes / 2, 2 * N>::native;
  return [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    return Mask<Bytes / 2, 2 * N>{
        __builtin_shufflevector(reinterpret_cast<Half>(a.v), reinterpret_cast<Half>(b.v), (2 * k)...)};
  }(std::make_integer_sequence<int, 2 * N>{});
}

// Joins the masks part(first), ..., part(first + Count - 1), whose lanes are Count bytes wide, into one mask of bytes.
template <int Count, class Part>
SUANZI_INLINE auto narrow_all(Part part, int first = 0) {
  if constexpr (Count == 1) {
    return part(first);
  } else {
    return narrow(narrow_all<Count / 2>(part, first), narrow_all<Count / 2>(part, first + Count / 2));
  }
}

template <int N>
SUANZI_INLINE Vec<uint8_t, N> zeros_and_ones(Mask<1, N> m) {
  return bit_cast<uint8_t>(Vec<int8_t, N>(m.v)) & Vec<uint8_t, N>(uint8_t(1));
}

// Converts a mask into a mask of bytes.
template <int Bytes, int N>
SUANZI_INLINE Mask<1, N> as_bytes(Mask<Bytes, N> m) {
  using All = typename Mask<1, Bytes * N>::native;
  return [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    return Mask<1, N>{__builtin_shufflevector(reinterpret_cast<All>(m.v), reinterpret_cast<All>(m.v), (Bytes * k)...)};
  }(std::make_integer_sequence<int, N>{});
}

// The width of a mask's lanes in bytes, or 0 for a type that is not a mask.
template <class R>
inline constexpr int mask_bytes = 0;
template <int Bytes, int N>
inline constexpr int mask_bytes<Mask<Bytes, N>> = Bytes;

// Writes out[i] = f(in[i]...) for n elements, N at a time. If f returns masks, a step computes as many vectors as fill
// one mask of bytes, and the loop computes the last vectors one by one.
template <int N, class F, class... In>
SUANZI_INLINE void apply(const F& f, void* out, int64_t n, bool stream, const In&... in) {
  using R = decltype(f(in.template load<N>(Whole{}, 0, 0)...));
  if constexpr (constexpr int bytes = mask_bytes<R>; bytes > 0) {
    auto* target = static_cast<uint8_t*>(out);
    const auto single = [&](int64_t i, auto access) __attribute__((always_inline)) {
      access.store(zeros_and_ones(as_bytes(f(in.template load<N>(access, i, 0)...))), target + i);
    };
    if constexpr (bytes == 1 || brief) return walk<N>(n, single);
    int64_t i = 0;
    for (; i + bytes * N <= n; i += bytes * N) {
      const auto part = [&](int k)
                            __attribute__((always_inline)) { return f(in.template load<N>(Whole{}, i, k * N)...); };
      zeros_and_ones(narrow_all<bytes>(part)).store(target + i);
    }
    for (; i < n; i += N) single(i, First{n - i});
  } else {
    auto* target = static_cast<typename R::element*>(out);
    const auto body = [&](int64_t i, auto access) __attribute__((always_inline)) {
      access.store(f(in.template load<N>(access, i, 0)...), target + i);
    };
    if constexpr (requires { F::heavy; }) {
      walk_heavy<N>(n, body);
    } else {
      walk<N>(target, n, stream, body);
    }
  }
}

template <class F, class T>
constexpr int lanes_of() {
  if constexpr (requires { F::template lane_bytes<T>; }) {
    return vector_bytes / F::template lane_bytes<T>;
  } else {
    return vector_bytes / static_cast<int>(sizeof(T));
  }
}

template <class F>
SUANZI_INLINE F make_functor(const KernelParams& params) {
  if constexpr (std::is_constructible_v<F, const KernelParams&>) {
    return F(params);
  } else {
    return F{};
  }
}

// The constant is true if F accepts any byte except 0 as true.
template <class F>
inline constexpr bool asks_for_truth = requires { F::asks_for_truth; };

// The number of vectors that a step of a loop reads from each operand. A step reads several vectors if the masks of
// these vectors together fill one mask of bytes.
template <class R>
inline constexpr int vectors_of_step = mask_bytes<R> > 0 ? mask_bytes<R> : 1;

// The kernel that applies F to elements of type T. A constant second operand, as in x + 1, has its own copy of the
// loop, in which the constant stays in a register. On data in the L1 cache, this copy takes two thirds of the time of
// the other copy.
template <class F, class T>
void elementwise(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr int N = lanes_of<F, T>();
  using V = Vec<Lane<T>, N>;
  const F f = make_functor<F>(params);
  using In = std::conditional_t<asks_for_truth<F>, Lane<T>, T>;
  if constexpr (std::is_invocable_v<const F&, V>) {
    apply<N>(f, out, n, params.stream, Elements<In>(in[0]));
  } else if constexpr (std::is_invocable_v<const F&, V, V>) {
    if constexpr (!brief && !requires { F::heavy; })
      if (params.constants == 0b10)
        return apply<N>(f, out, n, params.stream, Elements<In>(in[0]), Repeated<In, N>(in[1]));
    using Operand = Either<In, N * vectors_of_step<std::invoke_result_t<const F&, V, V>>>;
    const Operand a(in[0], params.is_constant(0), n), b(in[1], params.is_constant(1), n);
    apply<N>(f, out, n, params.stream, a, b);
  } else {
    using Operand = Either<In, N * vectors_of_step<std::invoke_result_t<const F&, V, V, V>>>;
    const Operand a(in[0], params.is_constant(0), n), b(in[1], params.is_constant(1), n);
    apply<N>(f, out, n, params.stream, a, b, Operand(in[2], params.is_constant(2), n));
  }
}

template <class... T>
struct Types {};
using Bool = Types<bool>;
using Unsigned = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
using Signed = Types<int8_t, int16_t, int32_t, int64_t>;
using Integers = Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>;
using Floats = Types<float, double>;

// Returns the unsigned type as wide as a signed integer type, and other types unchanged. Kernels that depend only on
// bits are compiled once for the signed and the unsigned type.
constexpr DType unsigned_of(DType t) {
  switch (t) {
    case DType::int8:
      return DType::uint8;
    case DType::int16:
      return DType::uint16;
    case DType::int32:
      return DType::uint32;
    case DType::int64:
      return DType::uint64;
    default:
      return t;
  }
}

SUANZI_INLINE void set(KernelTable& table, Operation op, DType type, Kernel kernel) {
  table.elementwise[static_cast<int>(op)][static_cast<int>(type)] = kernel;
}

// Fills the entries of the kernel table for `op` and the types T. F computes `op` for these types.
template <class F, class... T>
void fill(KernelTable& table, Operation op, Types<T...>) {
  (set(table, op, dtype_of<T>, elementwise<F, T>), ...);
}

// Fills the entries of the kernel table for `op` and the types T. The results of `op` depend only on bits. F computes
// with unsigned integers, so signed integers wrap without overflow.
template <class F, class... T>
void fill_bits(KernelTable& table, Operation op, Types<T...>) {
  (set(table, op, dtype_of<T>, elementwise<F, UintFor<T>>), ...);
}

}  // namespace suanzi::SUANZI_LEVEL
