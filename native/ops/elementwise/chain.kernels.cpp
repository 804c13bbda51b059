// The kernels of chains (chain.h), of float32 and float64.
#include "ops/elementwise/chain.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/elementwise/arithmetic.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// Vectors that are on their way together: enough for an operation to begin before the one before has ended, and few
// enough for all of them to stay in registers.
constexpr int vectors_together = 8;

// A link for the loop: what it does, in one number, and its operand.
template <class T>
struct Reading {
  int code;
  const T* operand;
};
constexpr int code_of(Operation operation, bool reversed, bool constant) {
  return 4 * static_cast<int>(operation) + 2 * reversed + constant;
}

template <class T>
class ChainLoop {
 public:
  ChainLoop(const void* const* in, const KernelParams& params)
      : chain_(*static_cast<const Chain*>(params.more)),
        first_(static_cast<const T*>(in[0])),
        first_is_constant_(params.is_constant(0)) {
    for (size_t i = 0; i < chain_.size; ++i) {
      const Link& link = chain_.links[i];
      readings_[i] = {code_of(link.operation, link.reversed, params.is_constant(link.operand)),
                      static_cast<const T*>(in[link.operand])};
    }
  }

  void run(T* out, int64_t n, bool stream) const {
    constexpr int64_t together = vectors_together * lanes;
    const int64_t past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) / sizeof(T) % lanes);
    int64_t i = singly(out, 0, stream && past > 0 ? std::min(lanes - past, n) : 0);
    for (; i + together <= n; i += together) {
      auto x = results<vectors_together>(i, Whole{});
      x.each([&](V y, int k) __attribute__((always_inline)) {
        if (stream) {
          y.stream(out + i + k * lanes);
        } else {
          y.store(out + i + k * lanes);
        }
        return y;
      });
    }
    singly(out, i, n);
    if (stream) finish_streaming();
  }

 private:
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  using V = Vec<T, lanes>;

  // Indexed by constants alone: an array that a loop indexes is kept in memory.
  template <int Count>
  struct Vectors {
    V vectors[Count];
    // All of them by `change`, which is given each and its number.
    template <class Change>
    SUANZI_INLINE void each(Change change) {
      [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
        ((vectors[k] = change(vectors[k], k)), ...);
      }(std::make_integer_sequence<int, Count>{});
    }
    // By F, which has what `other` gives for the number as its other operand.
    template <class F, bool reversed, class Other>
    SUANZI_INLINE void combine(Other other) {
      each([&](V x, int k) __attribute__((always_inline)) {
        if constexpr (reversed) {
          return F{}(other(k), x);
        } else {
          return F{}(x, other(k));
        }
      });
    }
  };

  int64_t singly(T* out, int64_t i, int64_t end) const {
    for (; i < end; i += lanes) {
      const First access{end - i};
      access.store(results<1>(i, access).vectors[0], out + i);
    }
    return end;
  }

  // The results of `Count` vectors from element i on.
  template <int Count, class Access>
  SUANZI_INLINE Vectors<Count> results(int64_t i, Access access) const {
    Vectors<Count> x;
    const auto element = [i, access](const T* operand, int k) __attribute__((always_inline)) {
      return access.template load<lanes>(operand + i, k * lanes);
    };
    if (first_is_constant_) {
      x.each([&](V, int) __attribute__((always_inline)) { return V(*first_); });
    } else {
      x.each([&](V, int k) __attribute__((always_inline)) { return element(first_, k); });
    }
    for (size_t link = 0; link < chain_.size; ++link) {
      const T* const operand = readings_[link].operand;
      const auto elements = [&](int k) __attribute__((always_inline)) { return element(operand, k); };
      const auto constant = [y = V(*operand)](int) __attribute__((always_inline)) { return y; };
      switch (readings_[link].code) {
#define SUANZI_OF_ONE(operation, F)                                          \
  case code_of(Operation::operation, false, false):                          \
  case code_of(Operation::operation, false, true):                           \
    x.each([&](V y, int) __attribute__((always_inline)) { return F{}(y); }); \
    break;
#define SUANZI_OF_TWO(operation, F)                 \
  case code_of(Operation::operation, false, false): \
    x.template combine<F, false>(elements);         \
    break;                                          \
  case code_of(Operation::operation, false, true):  \
    x.template combine<F, false>(constant);         \
    break;                                          \
  case code_of(Operation::operation, true, false):  \
    x.template combine<F, true>(elements);          \
    break;                                          \
  case code_of(Operation::operation, true, true):   \
    x.template combine<F, true>(constant);          \
    break;
        SUANZI_LINKS(SUANZI_OF_ONE, SUANZI_OF_TWO)
#undef SUANZI_OF_ONE
#undef SUANZI_OF_TWO
        default:
          __builtin_unreachable();
      }
    }
    return x;
  }

  const Chain& chain_;
  const T* first_;
  bool first_is_constant_;
  Reading<T> readings_[Chain::most_links];
};

template <class T>
void chain(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  ChainLoop<T>(in, params).run(static_cast<T*>(out), n, params.stream);
}

}  // namespace

void fill_chain(KernelTable& table) {
  table.chain[static_cast<int>(DType::float32)] = chain<float>;
  table.chain[static_cast<int>(DType::float64)] = chain<double>;
}

}  // namespace suanzi::SUANZI_LEVEL
