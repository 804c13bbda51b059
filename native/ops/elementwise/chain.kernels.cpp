// The kernels of chains (chain.h) for float32 and float64.
#include "ops/elementwise/chain.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/elementwise/arithmetic.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The number of vectors that the kernel computes together. With this number, an operation begins before the previous
// operation has ended, and the vectors stay in registers.
constexpr int vectors_together = 8;

// The kind of a link's other operand.
enum class Other { elements, constant, slot };

// A link in the form that the loop reads: the code of the operation, the operand, and the slot that keeps a result.
template <class T>
struct Reading {
  int code;
  const T* operand;
  T* kept;
};
constexpr int code_of(int operation, bool reversed, Other other) {
  return (2 * operation + reversed) * 3 + static_cast<int>(other);
}
constexpr int code_of(Operation operation, bool reversed, Other other) {
  return code_of(static_cast<int>(operation), reversed, other);
}
constexpr int code_of_keeping(Other other) { return code_of(operation_count, false, other); }

template <class T>
class ChainLoop {
 public:
  ChainLoop(const void* const* in, const KernelParams& params)
      : chain_(*static_cast<const Chain*>(params.more)),
        first_(static_cast<const T*>(in[0])),
        first_is_constant_(params.is_constant(0)) {
    for (size_t i = 0; i < chain_.size; ++i) {
      const Link& link = chain_.links[i];
      const uint8_t number = link.other.number;
      const Other other = link.other.in_slot           ? Other::slot
                          : params.is_constant(number) ? Other::constant
                                                       : Other::elements;
      readings_[i] = {link.keeps() ? code_of_keeping(other) : code_of(link.operation, link.reversed, other),
                      link.other.in_slot ? slots_[number] : static_cast<const T*>(in[number]),
                      link.keeps() ? slots_[link.kept] : nullptr};
    }
  }

  void run(T* out, int64_t n, bool stream) {
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
  static constexpr int64_t together = vectors_together * lanes;
  using V = Vec<T, lanes>;

  // An array of vectors whose indices are compile-time constants, because the compiler keeps an array in memory if a
  // loop indexes the array.
  template <int Count>
  struct Vectors {
    V vectors[Count];
    // Replaces each vector by change(vector, number), where the number is the index of the vector.
    template <class Change>
    SUANZI_INLINE void each(Change change) {
      [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
        ((vectors[k] = change(vectors[k], k)), ...);
      }(std::make_integer_sequence<int, Count>{});
    }
    // Replaces each vector by F of the vector and other(number), where the number is the index of the vector.
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

  int64_t singly(T* out, int64_t i, int64_t end) {
    for (; i < end; i += lanes) {
      const First access{end - i};
      access.store(results<1>(i, access).vectors[0], out + i);
    }
    return end;
  }

  // Returns the results of the chain for `Count` consecutive vectors that begin with element i.
  template <int Count, class Access>
  SUANZI_INLINE Vectors<Count> results(int64_t i, Access access) {
    Vectors<Count> x;
    const auto element = [i, access](const T* operand, int k) __attribute__((always_inline)) {
      return access.template load<lanes>(operand + i, k * lanes);
    };
    const auto begin = [&](auto other) __attribute__((always_inline)) {
      x.each([&](V, int k) __attribute__((always_inline)) { return other(k); });
    };
    if (first_is_constant_) {
      begin([y = V(*first_)](int) __attribute__((always_inline)) { return y; });
    } else {
      begin([&](int k) __attribute__((always_inline)) { return element(first_, k); });
    }
    for (size_t link = 0; link < chain_.size; ++link) {
      const T* const operand = readings_[link].operand;
      T* const kept = readings_[link].kept;
      const auto elements = [&](int k) __attribute__((always_inline)) { return element(operand, k); };
      const auto constant = [operand](int) __attribute__((always_inline)) { return V(*operand); };
      const auto slot = [operand](int k) __attribute__((always_inline)) { return V::load(operand + k * lanes); };
      const auto keep = [&x, kept]() __attribute__((always_inline)) {
        x.each([kept](V y, int k) __attribute__((always_inline)) {
          y.store(kept + k * lanes);
          return y;
        });
      };
      switch (readings_[link].code) {
#define SUANZI_OF_ONE(operation, F)                                          \
  case code_of(Operation::operation, false, Other::elements):                \
  case code_of(Operation::operation, false, Other::constant):                \
    x.each([&](V y, int) __attribute__((always_inline)) { return F{}(y); }); \
    break;
#define SUANZI_BY_OTHER(operation, F, other)               \
  case code_of(Operation::operation, false, Other::other): \
    x.template combine<F, false>(other);                   \
    break;                                                 \
  case code_of(Operation::operation, true, Other::other):  \
    x.template combine<F, true>(other);                    \
    break;
#define SUANZI_OF_TWO(operation, F)       \
  SUANZI_BY_OTHER(operation, F, elements) \
  SUANZI_BY_OTHER(operation, F, constant) \
  SUANZI_BY_OTHER(operation, F, slot)
#define SUANZI_KEEPING(other)         \
  case code_of_keeping(Other::other): \
    keep();                           \
    begin(other);                     \
    break;
        SUANZI_LINKS(SUANZI_OF_ONE, SUANZI_OF_TWO)
        SUANZI_KEEPING(elements)
        SUANZI_KEEPING(constant)
#undef SUANZI_OF_ONE
#undef SUANZI_BY_OTHER
#undef SUANZI_OF_TWO
#undef SUANZI_KEEPING
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
  alignas(vector_bytes) T slots_[Chain::most_slots][together];
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
