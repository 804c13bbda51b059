#include "ops/reduce/products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/kernel.h"
#include "tensor/scratch.h"
#include "walk/reduction_walk.h"

namespace suanzi {
namespace {

using walk::Cursor;
using walk::Elements;
using walk::ReductionWalk;

template <class T>
inline constexpr bool is_complex_number = !std::is_arithmetic_v<T>;

template <class T>
double size_of_number(T x) {
  if constexpr (is_complex_number<T>) {
    return std::max(std::fabs(x.real()), std::fabs(x.imag()));
  } else {
    return std::fabs(x);
  }
}

// These functions return the product of two numbers. Like the kernels, the function for complex numbers does not turn
// NaN results of infinite factors into infinities.
inline double times(double a, double b) { return a * b; }
inline std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

inline double scaled(double x, int64_t shift) { return std::scalbn(x, static_cast<int>(shift)); }
inline std::complex<double> scaled(std::complex<double> x, int64_t shift) {
  return {scaled(x.real(), shift), scaled(x.imag(), shift)};
}

// The number mantissa * 2^exponent. T is double or complex<double>.
template <class T>
struct ScaledProduct {
  T mantissa{1};
  int64_t exponent = 0;

  void multiply(T factor) {
    const T product = times(mantissa, factor);
    if (!is_moderate(product)) [[unlikely]]
      return multiply_by_parts(factor);
    mantissa = product;
  }
  void multiply(const ScaledProduct& other) {
    multiply(other.mantissa);
    exponent += other.exponent;
  }
  T value() const { return scaled(mantissa, std::clamp<int64_t>(exponent, -10000, 10000)); }

 private:
  // Returns true for a moderate number. A moderate product of a moderate number and any number that is not subnormal
  // loses no digits. Zeros, infinities and NaN are not moderate.
  static bool is_moderate(T x) {
    const uint64_t biased = std::bit_cast<uint64_t>(size_of_number(x)) >> 52;
    return biased - (1023 - 500) < 1000;
  }
  [[gnu::noinline]] void multiply_by_parts(T factor) {
    normalise(mantissa);
    normalise(factor);
    mantissa = times(mantissa, factor);
  }
  void normalise(T& x) {
    const double size = size_of_number(x);
    if (size == 0 || !std::isfinite(size)) return;
    const int shift = std::ilogb(size);
    exponent += shift;
    x = scaled(x, -shift);
  }
};

// Tame factors are between 2^-30 and 2^30. The product of tame_run tame factors and a number of [1, 2) is a normal
// number.
constexpr int64_t tame_bits = 30, tame_run = 32;

template <class Float>
struct Stored {
  using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  static constexpr Bits bias = sizeof(Float) == 4 ? 127 : 1023;
  static Bits exponent(Bits x) { return sizeof(Float) == 4 ? x >> 23 & 0xff : x >> 52 & 0x7ff; }
};

// Returns true if all numbers are tame factors. Old processors have no comparison of 64 bits in vectors, so the code
// uses the signs of differences.
template <class Float>
bool are_tame(const Float* in, int64_t n) {
  using Bits = typename Stored<Float>::Bits;
  constexpr Bits least = Stored<Float>::bias - tame_bits, most = Stored<Float>::bias + tame_bits - 1;
  const auto* const bits = reinterpret_cast<const Bits*>(in);
  Bits outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Bits exponent = Stored<Float>::exponent(bits[i]);
    outside |= (exponent - least) | (most - exponent);
  }
  return outside >> (8 * sizeof(Bits) - 1) == 0;
}

// Moves the exponent of a normal number to a sum of exponents. Zeros, infinities, NaN and subnormal numbers stay
// unchanged.
inline void move_exponent(double& x, int64_t& exponent) {
  const auto exponent_bits = std::bit_cast<uint64_t>(HUGE_VAL);
  const auto bits = std::bit_cast<uint64_t>(x), stored = bits & exponent_bits;
  const bool normal = stored != 0 && stored != exponent_bits;
  exponent += normal ? static_cast<int64_t>(stored >> 52) - 1023 : 0;
  x = std::bit_cast<double>(normal ? (bits ^ stored) | std::bit_cast<uint64_t>(1.0) : bits);
}

// Multiplies each product by `count` tame factors. The factors of product k begin k * apart elements after the first
// factor.
template <int64_t Products, class In>
void multiply_tame(ScaledProduct<double>* products, const In* in, int64_t apart, int64_t count) {
  double running[Products];
  int64_t exponents[Products];
  const auto move_exponents = [&] {
    for (int64_t s = 0; s < Products; ++s) move_exponent(running[s], exponents[s]);
  };
  for (int64_t s = 0; s < Products; ++s) running[s] = products[s].mantissa, exponents[s] = products[s].exponent;
  move_exponents();
  for (int64_t begin = 0; begin < count; begin += tame_run) {
    const int64_t end = std::min(count, begin + tame_run);
    for (int64_t i = begin; i < end; ++i)
      for (int64_t s = 0; s < Products; ++s) running[s] *= static_cast<double>(in[s * apart + i]);
    move_exponents();
  }
  for (int64_t s = 0; s < Products; ++s) products[s] = {running[s], exponents[s]};
}

// Returns the product of n elements. The function divides the elements into four parts and multiplies the four parts at
// once, so that the processor computes the four products in parallel. Most factors are tame. For tame factors, the code
// does not test each product. The omitted tests save three quarters of the time. The omission changes no rounding.
template <class T, class In>
ScaledProduct<T> product_of(const In* in, int64_t n) {
  constexpr int64_t stretches = 4;
  ScaledProduct<T> products[stretches];
  const int64_t each = n >= 16 * stretches ? n / stretches : 0;
  for (int64_t begin = 0, count; begin < each; begin += count) {
    count = std::min(8 * tame_run, each - begin);
    if constexpr (!is_complex_number<T>) {
      bool tame = true;
      for (int64_t s = 0; s < stretches; ++s) tame &= are_tame(in + s * each + begin, count);
      if (tame) {
        multiply_tame<stretches>(products, in + begin, each, count);
        continue;
      }
    }
    for (int64_t i = begin; i < begin + count; ++i)
      for (int64_t s = 0; s < stretches; ++s) products[s].multiply(static_cast<T>(in[s * each + i]));
  }
  for (int64_t s = 1; s < stretches; ++s) products[0].multiply(products[s]);
  for (int64_t i = stretches * each; i < n; ++i) products[0].multiply(static_cast<T>(in[i]));
  return products[0];
}

// Multiplies columns row by row, and holds the products of the columns.
template <class T>
class ColumnProducts {
 public:
  ColumnProducts() { std::fill_n(mantissas_, walk::piece_elements, T(1)); }

  // Multiplies the products of `count` columns by the elements of a row. The first of these columns is `first`.
  template <class In>
  void multiply(const In* in, int64_t first, int64_t count) {
    if constexpr (!is_complex_number<T>) {
      if (are_tame(in, count)) {
        if (run_ == tame_run) move_exponents();
        ++run_;
        for (int64_t i = 0; i < count; ++i) mantissas_[first + i] *= static_cast<T>(in[i]);
        return;
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      ScaledProduct<T> product = at(first + i);
      product.multiply(static_cast<T>(in[i]));
      mantissas_[first + i] = product.mantissa;
      exponents_[first + i] = product.exponent;
    }
    if constexpr (!is_complex_number<T>) move_exponents();
  }
  ScaledProduct<T> at(int64_t column) const { return {mantissas_[column], exponents_[column]}; }

 private:
  void move_exponents() {
    for (int64_t i = 0; i < walk::piece_elements; ++i) move_exponent(mantissas_[i], exponents_[i]);
    run_ = 0;
  }

  int64_t run_ = 0;  // the number of tame factors since the last move of an exponent
  T mantissas_[walk::piece_elements];
  int64_t exponents_[walk::piece_elements] = {};
};

// The sum of the stored exponents of floating numbers, and the number of stored exponents that are 0. A stored exponent
// includes the bias of its type. The stored exponent of zeros and subnormal numbers is 0.
struct ExponentSum {
  int64_t stored = 0, zeros = 0;
};

template <class Float>
void add_exponents(ExponentSum& sum, const void* in, int64_t n) {
  using Bits = typename Stored<Float>::Bits;
  constexpr int64_t chunk = 1 << 20;  // the number of elements whose sum fits 32 bits
  const auto* bits = static_cast<const Bits*>(in);
  for (int64_t count; n > 0; n -= count, bits += count) {
    count = std::min(chunk, n);
    Bits stored = 0, zeros = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Bits exponent = Stored<Float>::exponent(bits[i]);
      stored += exponent;
      // Vectors of old processors have no comparison of 64 bits.
      zeros += (exponent - 1) >> (8 * sizeof(Bits) - 1);
    }
    sum.stored += static_cast<int64_t>(stored);
    sum.zeros += static_cast<int64_t>(zeros);
  }
}

// Adds the exponents of a row's n elements to the sums of the columns. Callers add at most 2^20 rows.
template <class Float>
void add_exponents(uint32_t* __restrict stored, uint32_t* __restrict zeros, const void* in, int64_t n) {
  const auto* const bits = static_cast<const typename Stored<Float>::Bits*>(in);
  for (int64_t i = 0; i < n; ++i) {
    const auto exponent = static_cast<uint32_t>(Stored<Float>::exponent(bits[i]));
    stored[i] += exponent;
    zeros[i] += (exponent - 1) >> 31;
  }
}

// Returns true if a product of n numbers of the type is certainly outside the range of float64, and the plain product,
// which the kernels computed in float64, has also left this range. The plain product is then 0, with its sign, or
// infinity. An infinite or NaN factor prevents the results 0 and infinity, and a factor 0 prevents infinity.
bool left_range(double plain, ExponentSum sum, DType type, int64_t n) {
  const bool narrow = type == DType::float32;
  // `subnormal` is the number of binary orders that subnormal numbers span.
  const int64_t bias = narrow ? 127 : 1023, subnormal = narrow ? 22 : 51;
  if (plain == 0) return sum.stored - (bias - 1) * n < -1080;
  return std::isinf(plain) && sum.stored - bias * n - subnormal * sum.zeros > 1030;
}

template <class T>
class Mender {
 public:
  Mender(const Elements& x, uint64_t axes, const Staging& staging, const Tensor& plain)
      : input_(staging.input),
        read_(is_half(input_) ? DType::float32 : input_),
        plain_(plain),
        walk_(x, axes, input_, staging.convert, plain) {}

  void run() {
    if (walk_.kept() == 0 || walk_.reduced() == 0) return;
    if (!walk_.along()) {
      across();
    } else if (walk_.chunks_along() == 1) {
      along_rows();
    } else {
      along_chunks();
    }
  }

 private:
  using Product = ScaledProduct<T>;
  using Scratch = ReductionWalk::Scratch;
  using Run = ReductionWalk::Run;

  // Calls f(elements, first, count) with elements of the type that kernels read. The function widens 16-bit floating
  // types a piece at a time.
  template <class F>
  void for_read(const void* elements, int64_t n, F&& f) const {
    if (read_ == input_) return f(elements, int64_t{0}, n);
    float wide[walk::piece_elements];
    for (int64_t first = 0, count; first < n; first += count) {
      count = std::min(walk::piece_elements, n - first);
      const void* const piece = static_cast<const std::byte*>(elements) + first * size_of(input_);
      converter(input_, read_)(wide, &piece, count, {});
      f(wide, first, count);
    }
  }
  // Calls f with `elements`, converted to a pointer to the C++ type of the elements.
  template <class F>
  void typed(const void* elements, F&& f) const {
    if constexpr (is_complex_number<T>) {
      if (read_ == DType::complex64) return f(static_cast<const std::complex<float>*>(elements));
      f(static_cast<const std::complex<double>*>(elements));
    } else {
      if (read_ == DType::float32) return f(static_cast<const float*>(elements));
      f(static_cast<const double*>(elements));
    }
  }

  T& plain_at(int64_t offset) const { return *reinterpret_cast<T*>(plain_.data + offset); }
  // Returns true if the plain product is 0 or infinite. The exponents of the factors may then show that this product is
  // correct.
  bool is_extreme(int64_t offset) const {
    if constexpr (is_complex_number<T>) return false;
    const double size = size_of_number(plain_at(offset));
    return size == 0 || std::isinf(size);
  }
  bool left_range(int64_t offset, ExponentSum sum) const {
    if constexpr (is_complex_number<T>) {
      return false;
    } else {
      return suanzi::left_range(plain_at(offset), sum, read_, walk_.reduced());
    }
  }

  // Replaces the plain product of n factors unless its error is at most the error of n roundings.
  void settle(int64_t offset, const Product& product) const {
    T& plain = plain_at(offset);
    const T exact = product.value();
    const double size = size_of_number(exact);
    const bool infinite = std::isinf(size) && std::isinf(size_of_number(plain));
    const double near = 0x1p-51 * static_cast<double>(walk_.reduced()) * size;
    if (!infinite && !(size_of_number(plain - exact) <= near)) plain = exact;
  }

  Product product_of_run(Scratch& scratch, const Run& run) const {
    Product product;
    walk_.for_tiles(scratch, run, [&](const void* elements, int64_t, int64_t n) {
      for_read(elements, n, [&](const void* read, int64_t, int64_t count) {
        typed(read, [&](const auto* in) { product.multiply(product_of<T>(in, count)); });
      });
    });
    return product;
  }
  ExponentSum exponents_of_run(Scratch& scratch, const Run& run) const {
    ExponentSum sum;
    walk_.for_tiles(scratch, run, [&](const void* elements, int64_t, int64_t n) {
      for_read(elements, n, [&](const void* read, int64_t, int64_t count) {
        read_ == DType::float32 ? add_exponents<float>(sum, read, count) : add_exponents<double>(sum, read, count);
      });
    });
    return sum;
  }

  void along_rows() {
    walk_.for_runs(ReductionWalk::Settles::nothing, [&](Scratch& scratch, const Run& run) {
      if (!is_extreme(run.target) || !left_range(run.target, exponents_of_run(scratch, run)))
        settle(run.target, product_of_run(scratch, run));
      return false;
    });
  }

  void along_chunks() {
    const int64_t chunks = walk_.chunks_along(), kept = walk_.kept();
    const ScratchArray<Product> partial(kept * chunks);
    const ScratchArray<bool> wanted(kept);
    const ScratchArray<ExponentSum> sums(is_complex_number<T> ? 0 : kept * chunks);
    const auto for_results = [&](auto&& body) {
      Cursor target(walk_.result_path(), 0);
      for (int64_t k = 0; k < kept; ++k, target.advance(1)) body(k, target.offset());
    };
    bool any_extreme = false;
    for_results([&](int64_t k, int64_t offset) {
      wanted.data()[k] = !is_extreme(offset);
      any_extreme |= !wanted.data()[k];
    });
    if (any_extreme) {
      walk_.for_runs(ReductionWalk::Settles::nothing, [&](Scratch& scratch, const Run& run) {
        if (!wanted.data()[run.kept]) sums.data()[run.kept * chunks + run.chunk] = exponents_of_run(scratch, run);
        return false;
      });
      for_results([&](int64_t k, int64_t offset) {
        if (wanted.data()[k]) return;
        ExponentSum sum;
        for (int64_t c = 0; c < chunks; ++c) {
          sum.stored += sums.data()[k * chunks + c].stored;
          sum.zeros += sums.data()[k * chunks + c].zeros;
        }
        wanted.data()[k] = !left_range(offset, sum);
      });
    }
    if (std::none_of(wanted.data(), wanted.data() + kept, [](bool is) { return is; })) return;
    walk_.for_runs(ReductionWalk::Settles::nothing, [&](Scratch& scratch, const Run& run) {
      if (wanted.data()[run.kept]) partial.data()[run.kept * chunks + run.chunk] = product_of_run(scratch, run);
      return false;
    });
    for_results([&](int64_t k, int64_t offset) {
      if (!wanted.data()[k]) return;
      Product product;
      for (int64_t c = 0; c < chunks; ++c) product.multiply(partial.data()[k * chunks + c]);
      settle(offset, product);
    });
  }

  // Computes the products of columns, slab by slab, and then multiplies the products of all chunks.
  void across() {
    const int64_t kept = walk_.kept(), chunks = walk_.chunks_across();
    const ScratchArray<Product> partial(chunks == 1 ? 0 : kept * chunks);
    walk_.for_slabs([&](Scratch& scratch, const ReductionWalk::Slab& slab) {
      if (chunks == 1 && slab_left_range(scratch, slab)) return;
      ColumnProducts<T> products;
      for_rows(scratch, slab, [&](const void* row) {
        for_read(row, slab.count, [&](const void* read, int64_t first, int64_t count) {
          typed(read, [&](const auto* in) { products.multiply(in, first, count); });
        });
      });
      if (chunks == 1) {
        Cursor target(walk_.result_path(), slab.start);
        for (int64_t i = 0; i < slab.count; ++i, target.advance(1)) settle(target.offset(), products.at(i));
      } else {
        for (int64_t i = 0; i < slab.count; ++i) partial.data()[slab.chunk * kept + slab.start + i] = products.at(i);
      }
    });
    if (chunks == 1) return;
    Cursor target(walk_.result_path(), 0);
    for (int64_t k = 0; k < kept; ++k, target.advance(1)) {
      Product product;
      for (int64_t c = 0; c < chunks; ++c) product.multiply(partial.data()[c * kept + k]);
      settle(target.offset(), product);
    }
  }

  // Calls body(row) for each row of a slab.
  template <class Body>
  void for_rows(Scratch& scratch, const ReductionWalk::Slab& slab, Body&& body) const {
    walk_.for_rows(scratch, slab, [&](const void* elements, int64_t, int64_t rows, int64_t step) {
      for (; rows > 0; --rows, elements = static_cast<const std::byte*>(elements) + step) body(elements);
    });
  }

  // Returns true if the products of all columns of a slab have certainly left the range. The slab must have all rows.
  bool slab_left_range(Scratch& scratch, const ReductionWalk::Slab& slab) const {
    Cursor target(walk_.result_path(), slab.start);
    for (int64_t i = 0; i < slab.count; ++i, target.advance(1))
      if (!is_extreme(target.offset())) return false;
    uint32_t stored[walk::piece_elements] = {}, zeros[walk::piece_elements] = {};
    for_rows(scratch, slab, [&](const void* row) {
      for_read(row, slab.count, [&](const void* read, int64_t first, int64_t count) {
        read_ == DType::float32 ? add_exponents<float>(stored + first, zeros + first, read, count)
                                : add_exponents<double>(stored + first, zeros + first, read, count);
      });
    });
    Cursor again(walk_.result_path(), slab.start);
    for (int64_t i = 0; i < slab.count; ++i, again.advance(1))
      if (!left_range(again.offset(), {stored[i], zeros[i]})) return false;
    return true;
  }

  DType input_;
  DType read_;  // the type that kernels read, which is float32 for 16-bit floating types
  const Tensor& plain_;
  ReductionWalk walk_;
};

}  // namespace

void mend_products(const Elements& x, uint64_t axes, const Staging& staging, const Tensor& plain) {
  Dims kept;
  for (int i = 0; i < x.tensor.rank(); ++i)
    if (!(axes >> i & 1)) kept.push_back(x.tensor.shape[i]);
  const Tensor products = *reshape_view(plain, kept);
  if (is_complex(staging.input)) {
    Mender<std::complex<double>>(x, axes, staging, products).run();
  } else {
    Mender<double>(x, axes, staging, products).run();
  }
}

}  // namespace suanzi
