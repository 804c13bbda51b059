// The kernels multiply a matrix and a vector, a few rows at a time. One kernel computes the inner products of the rows
// with x and loads x once for these rows. The other kernel adds the products of the rows and their elements of x to y,
// and loads and stores y once for these rows. Products with a few vectors are in thin.tile.h, and products with packed
// codes are in packed.kernels.cpp.
#include "ops/product/gemv.kernels.h"

#include <algorithm>
#include <type_traits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/product/packed.kernels.h"
#include "ops/product/product_sums.h"
#include "ops/product/thin.tile.h"

namespace suanzi::SUANZI_LEVEL {

extern const PackedKernels packed_kernels;

namespace {

constexpr int product_rows = 4;
constexpr int sum_rows = 8;
// The number of sums into which the kernel divides the inner product of one row. This number does not depend on the
// number of rows, so the bits do not depend on the division into tasks.
constexpr int chains = 2;

// The least distance in bytes between the elements that a kernel reads and the elements that the kernel prefetches.
constexpr int64_t bytes_ahead = 16 * 1024;
// If x has at most this number of bytes, x stays in the L1 cache while a kernel reads the next rows.
constexpr int64_t short_vector = 16 * 1024;

// Prefetches the cache lines that begin with element i of the rows after the `Rows` rows at `a` into the L2 cache.
template <int Rows, class T>
SUANZI_INLINE void fetch_next(const T* a, int64_t a_row, int64_t i) {
  constexpr int64_t size = sizeof(T);
  if (i % (cache_line / size) != 0) return;
  const T* const next = a + std::max(Rows * a_row, bytes_ahead / size) + i;
  for (int r = 0; r < Rows; ++r) __builtin_prefetch(next + r * a_row, 0, 2);
}

template <class Sum, class In, int Rows, bool InMemory = false>
struct Products {
  static SUANZI_INLINE void run(const GemvBlock& g, int64_t row) {
    using T = typename Sum::part;
    constexpr int N = lanes<T>;
    const int64_t a_row = g.a_row * Sum::parts, count = g.columns * Sum::parts;
    const auto* const a = reinterpret_cast<const Stored<In>*>(g.a) + row * a_row;
    const T* const x = reinterpret_cast<const T*>(g.x);
    Sum sums[Rows][chains];
    int64_t i = 0;
    for (; i + chains * N <= count; i += chains * N) {
      if constexpr (InMemory) fetch_next<Rows>(a, a_row, i);
      for (int k = 0; k < chains; ++k) {
        const auto elements = Vec<T, N>::load(x + i + k * N);
        for (int r = 0; r < Rows; ++r)
          sums[r][k].multiply(widen<In>(Vec<Stored<In>, N>::load(a + r * a_row + i + k * N)), elements);
      }
    }
    for (int k = 0; k < chains; ++k, i += N) {
      if (i >= count) break;
      const int left = count - i < N ? static_cast<int>(count - i) : N;
      const auto elements = Vec<T, N>::load_first(x + i, left, T(0));
      for (int r = 0; r < Rows; ++r)
        sums[r][k].multiply(widen<In>(Vec<Stored<In>, N>::load_first(a + r * a_row + i, left, 0)), elements);
    }
    for (int r = 0; r < Rows; ++r) {
      T total[Sum::parts] = {};
      if (g.start) __builtin_memcpy(total, g.start + (row + r) * static_cast<int64_t>(sizeof(total)), sizeof(total));
      sums[r][0].join(sums[r][1]);
      sums[r][0].total(total);
      __builtin_memcpy(g.y + (row + r) * g.y_step * static_cast<int64_t>(sizeof(total)), total, sizeof(total));
    }
  }
};

// ProductsInMemory and SumsInMemory compute the same bits as Products and Sums, for a matrix of 16-bit elements that
// does not fit the caches. The kernels prefetch the next rows into the L2 cache. On Zen 4, the product of one row of x
// and a matrix of 4096 x 4096 bfloat16 numbers takes 0.9 ms if the lines of the matrix are contiguous, and 0.7 ms if
// the columns are contiguous. With prefetches into the L1 cache, which evict x, the products take 1.8 ms and 1.3 ms.
template <class Sum, class In, int Rows>
using ProductsInMemory = Products<Sum, In, Rows, true>;

template <class Sum, class In, int Rows, bool InMemory = false>
struct Sums {
  static SUANZI_INLINE void run(const GemvBlock& g, int64_t row) {
    using T = typename Sum::part;
    constexpr int N = lanes<T>;
    const int64_t a_row = g.a_row * Sum::parts, count = g.columns * Sum::parts;
    const auto* const a = reinterpret_cast<const Stored<In>*>(g.a) + row * a_row;
    T factors[Rows][Sum::parts];
    for (int r = 0; r < Rows; ++r)
      __builtin_memcpy(factors[r], g.x + (row + r) * g.x_step * static_cast<int64_t>(sizeof(factors[r])),
                       sizeof(factors[r]));
    T* const y = reinterpret_cast<T*>(g.y);
    const T* const start = row > 0 ? y : reinterpret_cast<const T*>(g.start);
    walk<N>(count, [&](int64_t i, auto access) __attribute__((always_inline)) {
      Sum sum;
      if constexpr (InMemory) fetch_next<Rows>(a, a_row, i);
      for (int r = 0; r < Rows; ++r) sum.add(factors[r], widen<In>(access.template load<N>(a + r * a_row + i)));
      access.store(start ? sum.finish(access.template load<N>(start + i)) : sum.finish(), y + i);
    });
  }
};

template <class Sum, class In, int Rows>
using SumsInMemory = Sums<Sum, In, Rows, true>;

template <template <class, class, int> class Form, class Sum, class In, int rows, Rest rest>
void run(const GemvBlock& g) {
  for_runs<rows, rest>(g.rows,
                       [&]<int Rows>(int64_t row) __attribute__((always_inline)) { Form<Sum, In, Rows>::run(g, row); });
}

// The memory delivers a single row faster than several rows at a time. However, if x does not stay in the L1 cache, the
// kernel must read x for several rows at a time.
template <class Sum, class In, int rows, Rest rest>
void products_in_memory(const GemvBlock& g) {
  const bool is_short = g.columns * static_cast<int64_t>(sizeof(typename Sum::part)) <= short_vector;
  (is_short ? run<ProductsInMemory, Sum, In, 1, rest> : run<ProductsInMemory, Sum, In, rows, rest>)(g);
}

template <class Sum, class T, class In = typename Sum::part>
void fill_one(GemvKernels* of_type) {
  GemvKernels& kernels = of_type[static_cast<int>(dtype_of<T>)];
  constexpr int rows = brief ? 1 : product_rows;
  constexpr Rest rest = rest_of_rows<Sum>;
  // The order of floating additions depends on the runs into which the rows are divided.
  constexpr Rest rest_of_sums = std::is_floating_point_v<typename Sum::part> ? Rest::at_once : rest;
  kernels = {run<Products, Sum, In, rows, rest>, run<Sums, Sum, In, sum_rows, rest_of_sums>};
  if constexpr (is_half_storage<In>) {
    kernels.products_in_memory = products_in_memory<Sum, In, rows, rest>;
    kernels.sums_in_memory = run<SumsInMemory, Sum, In, sum_rows, rest_of_sums>;
  }
  if constexpr (std::is_floating_point_v<typename Sum::part> && Sum::parts == 1) {
    kernels.thin_along = thin_along<typename Sum::part, In>;
    kernels.thin_across = thin_across<typename Sum::part, In>;
  }
}

}  // namespace

void fill_gemv(GemvKernels* of_type) {
  for_all_products([&]<class Sum, class T>() { fill_one<Sum, T>(of_type); });
  fill_one<Numbers<float>, Float16, Float16>(of_type);
  fill_one<Numbers<float>, BFloat16, BFloat16>(of_type);
  of_type[static_cast<int>(DType::uint8)].packed = &packed_kernels;
}

}  // namespace suanzi::SUANZI_LEVEL
