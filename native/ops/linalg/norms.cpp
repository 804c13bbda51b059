// Norms of vectors and matrices, and condition numbers, computed by elementwise operations, reductions and singular
// values.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "ops/elementwise/elementwise.h"
#include "ops/linalg/batch.h"
#include "ops/linalg/linalg.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"
#include "walk/copy.h"

namespace suanzi::linalg {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor apply(Operation op, const Tensor& x) {
  const Operand operand{&x, {}};
  return elementwise(op, {&operand, 1});
}
Tensor apply(Operation op, const Tensor& x, const Tensor& y) {
  const Operand operands[] = {{&x, {}}, {&y, {}}};
  return elementwise(op, operands);
}
Tensor apply(Operation op, const Tensor& x, double y) {
  const Operand operands[] = {{&x, {}}, {nullptr, Scalar::of(y)}};
  return elementwise(op, operands);
}

void check_numeric(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (x.dtype == DType::string) fail(Status::type_mismatch, op, ": element type string is not a number");
}

DType floating_type(DType t) { return is_floating(t) || is_complex(t) ? t : DType::float32; }

// Returns x in the type in which norms are computed.
Tensor computed(const char* op, const Tensor& x) {
  const DType type = computing_type(x.dtype);
  return x.dtype == type ? x : cast(op, x, type);
}
Tensor rounded(const char* op, const Tensor& norm, DType of) {
  const DType type = real_part(floating_type(of));
  return norm.dtype == type ? norm : cast(op, norm, type);
}

// Returns the root of the sum of powers of `size`, which holds the magnitudes of elements. The function first divides
// the magnitudes by the dominant magnitude, so that no power overflows or underflows. The dominant magnitude is the
// least magnitude for a negative order, and the greatest magnitude otherwise.
Tensor power_norm(const char* op, const Tensor& size, uint64_t axes, bool keepdims, double order) {
  const Tensor extreme = reduce(op, order < 0 ? Reduction::min : Reduction::max, size, axes, true);
  // If the dominant magnitude is 0, infinite or NaN, its ratio to itself is NaN, and the result needs no scale.
  const Tensor usable = apply(Operation::equal, apply(Operation::true_divide, extreme, extreme), 1.0);
  const Operand choice[] = {{&usable, {}}, {&extreme, {}}, {nullptr, Scalar::of(1.0)}};
  const Tensor scale = elementwise(Operation::where, choice);
  const Tensor powers = apply(Operation::pow, apply(Operation::true_divide, size, scale), order);
  const Tensor sum = reduce(op, Reduction::sum, powers, axes, true);
  const Tensor norm = apply(Operation::multiply, apply(Operation::pow, sum, 1 / order), scale);
  if (keepdims) return norm;
  Dims shape;
  for (int axis = 0; axis < norm.rank(); ++axis)
    if (!(axes >> axis & 1)) shape.push_back(norm.shape[axis]);
  return *reshape_view(norm, shape);
}

// Returns the norm of vectors along `axes`. `size` holds the magnitudes of the elements.
Tensor norm_of_sizes(const char* op, const Tensor& size, uint64_t axes, bool keepdims, double order) {
  bool nothing = false;
  for (int axis = 0; axis < size.rank(); ++axis) nothing |= (axes >> axis & 1) && size.shape[axis] == 0;
  if (nothing && order < 0)
    fail(Status::invalid_argument, op, ": the norm of order ", order, " is undefined for shape ", size.shape,
         ", which has no elements");
  if (order == 1 || size.size == 0) return reduce(op, Reduction::sum, size, axes, keepdims);
  if (order == infinity) return reduce(op, Reduction::max, size, axes, keepdims);
  if (order == -infinity) return reduce(op, Reduction::min, size, axes, keepdims);
  if (order == 0) return reduce(op, Reduction::sum, apply(Operation::not_equal, size, 0.0), axes, keepdims, size.dtype);
  if (order == 2) return norm2(op, size, axes, keepdims, {});
  return power_norm(op, size, axes, keepdims, order);
}

// The two axes of matrices, rows and columns, as bits.
struct MatrixAxes {
  uint64_t rows, columns;
  explicit MatrixAxes(int rank) : rows(uint64_t{1} << (rank - 2)), columns(uint64_t{1} << (rank - 1)) {}
  uint64_t both() const { return rows | columns; }
};

bool is_least(MatrixNorm order) {
  return order == MatrixNorm::minus_one || order == MatrixNorm::minus_two || order == MatrixNorm::minus_infinity;
}

// Fails if the norm is a minimum over columns, rows or singular values, and a matrix of x has none of these.
void check_least(const char* op, const Tensor& x, MatrixNorm order) {
  const int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  const auto refuse = [&](const char* number, const char* missing) {
    fail(Status::invalid_argument, op, ": the norm of order ", number, " is undefined for shape ", x.shape,
         ", which has no ", missing);
  };
  if (order == MatrixNorm::minus_one && columns == 0) refuse("-1", "columns");
  if (order == MatrixNorm::minus_infinity && rows == 0) refuse("-inf", "rows");
  if (order == MatrixNorm::minus_two && (rows == 0 || columns == 0)) refuse("-2", "singular values");
}

// Returns the least (if `least` is true) or the greatest of the non-negative elements of x along `axes`. If x has no
// elements along `axes`, the greatest is 0.
Tensor extreme(const char* op, const Tensor& x, uint64_t axes, bool keepdims, bool least) {
  return norm_of_sizes(op, x, axes, keepdims, least ? -infinity : infinity);
}

// Returns the norm of each matrix of x, which has a type in which norms are computed. The norm has the same precision
// as x.
Tensor norm_of(const char* op, const Tensor& x, MatrixNorm order, bool keepdims) {
  const MatrixAxes axes(x.rank());
  check_least(op, x, order);
  const auto sizes = [&] { return apply(Operation::abs, x); };
  const auto sum_then_extreme = [&](uint64_t first, uint64_t then) {
    const Tensor sums = reduce(op, Reduction::sum, sizes(), first, true);
    return extreme(op, sums, first | then, keepdims, is_least(order));
  };
  switch (order) {
    case MatrixNorm::frobenius:
      return norm2(op, x, axes.both(), keepdims, {});
    case MatrixNorm::one:
    case MatrixNorm::minus_one:
      return sum_then_extreme(axes.rows, axes.columns);
    case MatrixNorm::infinity:
    case MatrixNorm::minus_infinity:
      return sum_then_extreme(axes.columns, axes.rows);
    default:
      break;
  }
  Tensor values = svdvals(op, x);
  const uint64_t last = uint64_t{1} << (values.rank() - 1);
  Tensor norm = order == MatrixNorm::nuclear ? reduce(op, Reduction::sum, values, last, false)
                                             : extreme(op, values, last, false, is_least(order));
  if (!keepdims) return norm;
  Dims shape = norm.shape;
  shape.push_back(1);
  shape.push_back(1);
  return *reshape_view(norm, shape);
}

// Returns the nuclear norm of the inverse of each matrix of x, or infinity for a singular matrix. The function does not
// compute the singular values of an infinite inverse.
Tensor nuclear_norm_of_inverses(const char* op, const Tensor& x) {
  const Tensor inverses = inverse_or_infinity(op, x);
  const Matrices each = matrices_of(op, inverses);
  std::vector<int64_t> singular;
  with_type(each.type, [&]<class T>(T) {
    for (int64_t i = 0; i < each.count; ++i) {
      T* const matrix = inverses.as<T>() + i * each.each();
      if (!std::isinf(std::real(matrix[0]))) continue;
      std::fill_n(matrix, each.each(), T(0));
      singular.push_back(i);
    }
  });
  const Tensor norms = norm_of(op, inverses, MatrixNorm::nuclear, false);
  with_type(norms.dtype, [&]<class T>(T) {
    for (const int64_t i : singular) norms.as<T>()[i] = T(std::numeric_limits<real_of<T>>::infinity());
  });
  return norms;
}

template <class Function>
void for_each_number(const Tensor& norms, Function function) {
  for (int64_t i = 0; i < norms.size; ++i) {
    if (norms.dtype == DType::float64) {
      function(norms.as<double>()[i], i);
    } else {
      function(norms.as<float>()[i], i);
    }
  }
}

}  // namespace

Tensor vector_norm(const Tensor& x, uint64_t axes, bool keepdims, double order) {
  constexpr const char* op = "vector_norm";
  if (std::isnan(order)) fail(Status::invalid_argument, op, ": the order is NaN");
  check_numeric(op, x);
  // For the usual orders, the code reduces the elements directly, without a copy of their magnitudes.
  if (order == 1) return norm1(op, x, axes, keepdims, {});
  if (order == 2) return norm2(op, x, axes, keepdims, {});
  const Tensor sizes = apply(Operation::abs, computed(op, x));
  return rounded(op, norm_of_sizes(op, sizes, axes, keepdims, order), x.dtype);
}

Tensor matrix_norm(const char* op, const Tensor& x, MatrixNorm order, bool keepdims) {
  check_numeric(op, x);
  (void)matrices_of(op, x);
  if (order == MatrixNorm::frobenius) return norm2(op, x, MatrixAxes(x.rank()).both(), keepdims, {});
  return rounded(op, norm_of(op, computed(op, x), order, keepdims), x.dtype);
}

Tensor cond(const Tensor& x, MatrixNorm order) {
  constexpr const char* op = "cond";
  const bool spectral = order == MatrixNorm::two || order == MatrixNorm::minus_two;
  const Matrices m = spectral ? matrices_of(op, x) : square_matrices_of(op, x);
  if (m.each() == 0)
    fail(Status::invalid_argument, op, ": matrices of shape (", m.rows, ", ", m.columns, ") have no elements");
  const Tensor matrices = computed(op, x);
  Tensor size, result;
  if (spectral) {
    const Tensor values = svdvals(op, matrices);
    const uint64_t last = uint64_t{1} << (values.rank() - 1);
    size = extreme(op, values, last, false, order == MatrixNorm::minus_two);
    result = apply(Operation::true_divide, size, extreme(op, values, last, false, order == MatrixNorm::two));
  } else {
    size = norm_of(op, matrices, order, false);
    const Tensor inverse_size = order == MatrixNorm::nuclear
                                    ? nuclear_norm_of_inverses(op, matrices)
                                    : norm_of(op, inverse_or_infinity(op, matrices), order, false);
    result = apply(Operation::multiply, size, inverse_size);
  }
  // Singular matrices lead to quotients 0 / 0 and products 0 × ∞. The code replaces these NaNs by infinity.
  for_each_number(result, [&](auto& number, int64_t i) {
    using R = std::remove_reference_t<decltype(number)>;
    if (std::isnan(number) && !std::isnan(size.as<R>()[i])) number = std::numeric_limits<R>::infinity();
  });
  return rounded(op, result, x.dtype);
}

}  // namespace suanzi::linalg
