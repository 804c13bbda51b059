#include "ops/sparse/reductions.h"

#include <limits>
#include <type_traits>

#include "kernels/kernel.h"
#include "ops/sparse/blocks.h"
#include "ops/sparse/numbers.h"
#include "ops/sparse/ranges.h"
#include "ops/sparse/sparse.kernels.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

// The operation of a reduction on two elements, and its neutral element.
template <class Number>
struct Sum {
  using T = typename Number::type;
  static constexpr T identity{};
  static T fold(T a, T b) { return Number::add(a, b); }
};

template <class Number>
struct Product {
  using T = typename Number::type;
  static constexpr T identity{1};
  static T fold(T a, T b) { return Number::multiply(a, b); }
};

// Folds two elements to the greater element, or to NaN if an element is NaN.
template <class Type>
struct Max {
  using T = Type;
  using Limits = std::numeric_limits<T>;
  static constexpr T identity = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static T fold(T a, T b) { return ((b > a) | (b != b)) ? b : a; }
};

template <class Type>
struct Min {
  using T = Type;
  using Limits = std::numeric_limits<T>;
  static constexpr T identity = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static T fold(T a, T b) { return ((b < a) | (b != b)) ? b : a; }
};

// Calls call(Max<T>{}) or call(Min<T>{}) for an element type that has an order.
template <template <class> class Extreme, class Call>
void with_extreme(DType t, const Call& call) {
  switch (t) {
    case DType::uint8:
    case DType::boolean:
      return call(Extreme<uint8_t>{});
    case DType::int8:
      return call(Extreme<int8_t>{});
    case DType::uint16:
      return call(Extreme<uint16_t>{});
    case DType::int16:
      return call(Extreme<int16_t>{});
    case DType::uint32:
      return call(Extreme<uint32_t>{});
    case DType::int32:
      return call(Extreme<int32_t>{});
    case DType::uint64:
      return call(Extreme<uint64_t>{});
    case DType::int64:
      return call(Extreme<int64_t>{});
    case DType::float32:
      return call(Extreme<float>{});
    default:
      return call(Extreme<double>{});
  }
}

template <class Call>
void with_fold(Reduction reduction, DType t, const Call& call) {
  if (reduction == Reduction::max) return with_extreme<Max>(t, call);
  if (reduction == Reduction::min) return with_extreme<Min>(t, call);
  with_number(t, [&]<class Number>() {
    if (reduction == Reduction::sum) return call(Sum<Number>{});
    call(Product<Number>{});
  });
}

// The results are `count` blocks of numbers. Each block is folded from `places` places.
struct Groups {
  int64_t count = 1, places = 1, block;
};

// Folds a zero into each result that lacks an element for at least one place. stored(g) is the number of elements of
// result g.
template <class Fold, class Stored>
void add_zeros(const Groups& groups, typename Fold::T* results, const Stored& stored) {
  for (int64_t g = 0; g < groups.count; ++g) {
    if (stored(g) == groups.places) continue;
    for (int64_t k = g * groups.block; k < (g + 1) * groups.block; ++k)
      results[k] = Fold::fold(results[k], typename Fold::T{});
  }
}

// Folds each element i into the result group[i].
template <class Fold, class Index>
void fold_scattered(const Groups& groups, const Index* group, int64_t n, const typename Fold::T* x, bool zeros,
                    typename Fold::T* results) {
  const int64_t block = groups.block;
  std::fill_n(results, groups.count * block, Fold::identity);
  if (block == 1) {
    for (int64_t i = 0; i < n; ++i) results[group[i]] = Fold::fold(results[group[i]], x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      auto* const result = results + group[i] * block;
      for (int64_t k = 0; k < block; ++k) result[k] = Fold::fold(result[k], x[i * block + k]);
    }
  }
  if (!zeros) return;
  Scratch memory;
  auto* const stored = memory.take<int64_t>(groups.count);
  std::fill_n(stored, groups.count, 0);
  for (int64_t i = 0; i < n; ++i) ++stored[group[i]];
  add_zeros<Fold>(groups, results, [=](int64_t g) { return stored[g]; });
}

// Folds the elements of each compressed row to one result.
void fold_rows(Reduction reduction, const Pattern& p, const Groups& groups, const Tensor& x, const Tensor& result,
               RowProductsKernel kernel) {
  const auto* starts = p.starts.as<int64_t>();
  share_rows(starts, groups.count, x.size + groups.count, [&](int64_t first, int64_t last) {
    kernel({starts, nullptr, x.data, nullptr, 1, result.data, first, last});
  });
  if (reduction == Reduction::sum) return;
  with_fold(reduction, x.dtype, [&]<class Fold>(Fold) {
    add_zeros<Fold>(groups, result.as<typename Fold::T>(), [=](int64_t row) { return starts[row + 1] - starts[row]; });
  });
}

}  // namespace

Tensor fold(const char* op, Reduction reduction, const Pattern& p, const Tensor& values, uint64_t kept) {
  if (is_half(values.dtype))
    return cast(op, fold(op, reduction, p, cast(op, values, DType::float32), kept), values.dtype);
  const Tensor x = to_contiguous(op, values);
  Groups groups{.block = block_size(x)};
  Dims shape;
  for (int axis = 0; axis < p.rank(); ++axis) {
    if (kept >> axis & 1) {
      shape.push_back(p.shape[axis]);
    } else if (__builtin_mul_overflow(groups.places, p.shape[axis], &groups.places)) {
      // The number of places overflows. The code replaces this number by a number that is greater than the number of
      // elements of any pattern.
      groups.places = std::numeric_limits<int64_t>::max();
    }
  }
  groups.count = checked_size(op, shape, DType::int64);
  for (int axis = 1; axis < x.rank(); ++axis) shape.push_back(x.shape[axis]);
  checked_size(op, shape, x.dtype);
  const Tensor result = make_empty(op, shape, x.dtype);
  const bool by_rows = p.format == Format::csr && kept == 1, by_columns = p.format == Format::csr && kept == 2;
  const RowProductsKernel kernel = kernels().sparse->fold[static_cast<int>(reduction)][static_cast<int>(x.dtype)];
  if (by_rows && groups.block == 1 && kernel) {
    fold_rows(reduction, p, groups, x, result, kernel);
    return result;
  }
  const Tensor numbers = by_columns ? p.indices : linear_places(op, to_coordinates(op, p), kept);
  with_fold(reduction, x.dtype, [&]<class Fold>(Fold) {
    const auto scatter = [&](const auto* group) {
      using T = typename Fold::T;
      fold_scattered<Fold>(groups, group, numbers.size, x.as<T>(), reduction != Reduction::sum, result.as<T>());
    };
    if (numbers.dtype == DType::int32) {
      scatter(numbers.as<int32_t>());
    } else {
      scatter(numbers.as<int64_t>());
    }
  });
  return result;
}

}  // namespace suanzi::sparse
