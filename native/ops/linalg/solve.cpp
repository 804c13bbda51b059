// Linear systems, inverses and determinants, computed from LU factors with partial pivoting.
#include <cmath>
#include <limits>

#include "ops/linalg/batch.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"

namespace suanzi::linalg {
namespace {

[[noreturn]] void fail_singular(const Matrices& x, const Failure& failure) {
  fail(Status::invalid_argument, x.op, ": matrix", which_matrix(x, failure), " is singular: pivot ", failure.info - 1,
       " is 0");
}

// Solves systems of small matrices with our kernel. `in` holds the matrices, and `right` holds `columns` right-hand
// sides for each matrix. The matrices and right-hand sides are contiguous by rows. A null `right` means the unit
// matrix. `x` receives the solutions.
void solve_small(const Matrices& a, const Tensor& x, const Tensor& in, const Tensor* right, int64_t columns,
                 const ScratchArray<int64_t>& info) {
  const int64_t n = a.rows, size = size_of(a.type);
  for_each_run(a.count, n * n * (n + columns), [&](int64_t first, int64_t count) {
    small_kernels(a.type).solve(x.data + first * n * columns * size, in.data + first * n * n * size,
                                right ? right->data + first * n * columns * size : nullptr, n, columns, count,
                                info.data() + first);
  });
}

// The memory for the row exchanges of one matrix at a time.
class Pivots {
 public:
  explicit Pivots(int64_t n) : rows_(n) {}
  Int* pivots(int64_t) const { return rows_.data(); }

 private:
  ScratchArray<Int> rows_;
};

// Inverts matrices stored by rows. The factors replace the matrices. `out` may be the same memory, unless the code
// factorises the matrices by panels. The inverse of the transposed matrix is the transposed inverse. For a singular
// matrix, the result of failed(i, pivot) becomes LAPACK's info.
template <class T, class Failed>
Failure invert(const Matrices& x, double operations, const Tensor& rows, const Tensor& out, Failed failed) {
  const Int n = x.rows;
  const bool panels = by_panels(x, operations);
  struct Space {
    ScratchArray<Int> rows;
    ScratchArray<T> work;
    Int size;
    Int* pivots(int64_t) const { return rows.data(); }
  };
  const auto make = [&](const Routines<T>& routines) {
    T answer{};
    const Int question = -1;
    Int info = 0;
    if (!panels) routines.getri(&n, rows.as<T>(), &n, nullptr, &answer, &question, &info);
    const Int size = workspace(answer);
    return Space{ScratchArray<Int>(n), ScratchArray<T>(size), size};
  };
  const auto then = [&](const auto& routines, const Space& space, int64_t i, Int info) -> Int {
    if (info != 0) return failed(i, info);
    T* const a = rows.as<T>() + i * n * n;
    if (panels) {
      solve_by_panels(n, a, space.pivots(i), out.as<T>() + i * n * n, n, Sides::unit);
    } else {
      routines.getri(&n, a, &n, space.pivots(i), space.work.data(), &space.size, &info);
    }
    return info == 0 ? 0 : failed(i, info);
  };
  return for_each_lu<T>(x, rows, operations, make, then);
}

template <class Failed>
Tensor inverse(const Matrices& x, Failed failed) {
  if (x.source.size == 0) return make_empty(x.op, x.source.shape, x.result);
  if (is_small(x)) {
    const Tensor in = x.rows_to_read(), out = make_empty(x.op, x.source.shape, x.type);
    ScratchArray<int64_t> info(x.count);
    solve_small(x, out, in, nullptr, x.columns, info);
    for (int64_t i = 0; i < x.count; ++i)
      if (const Int pivot = info.data()[i]; pivot != 0 && failed(out, i, pivot) != 0) fail_singular(x, {i, pivot});
    return x.rounded(out);
  }
  const double operations = 2 * work_of(x.rows, x.rows, x.rows);
  const Tensor rows = x.copy_rows();
  const Tensor out = by_panels(x, operations) ? make_empty(x.op, x.source.shape, x.type) : rows;
  const Failure failure = with_type(x.type, [&]<class T>(T) {
    return invert<T>(x, operations, rows, out, [&](int64_t i, Int pivot) { return failed(out, i, pivot); });
  });
  if (failure) fail_singular(x, failure);
  return x.rounded(out);
}

// The product of the diagonal elements as mantissa × 2^exponent, because partial products may overflow or underflow.
template <class T>
struct ScaledProduct {
  T mantissa{1};
  int64_t exponent = 0;

  void multiply(T factor) {
    normalise(factor);
    mantissa *= factor;
    normalise(mantissa);
  }
  T value() const { return scaled(mantissa, static_cast<int>(std::clamp<int64_t>(exponent, -10000, 10000))); }
  real_of<T> log() const {
    return static_cast<real_of<T>>(std::log(static_cast<double>(std::abs(mantissa))) +
                                   // 0x1.62e42fefa39efp-1 is log 2.
                                   static_cast<double>(exponent) * 0x1.62e42fefa39efp-1);
  }
  T sign() const {
    const auto size = std::abs(mantissa);
    if constexpr (!is_complex_number<T>) {
      if (std::isinf(size)) return std::copysign(T(1), mantissa);
    }
    return size == 0 ? T(0) : mantissa / size;
  }

 private:
  // Moves the scale of a very large or small number x to the exponent, so that a product of two scaled numbers stays in
  // range.
  void normalise(T& x) {
    constexpr real_of<T> most = sizeof(real_of<T>) == 8 ? 0x1p500 : 0x1p60;
    const auto size = std::max(std::abs(std::real(x)), std::abs(std::imag(x)));
    if ((size < most && size > 1 / most) || size == 0 || !std::isfinite(size)) return;
    const int shift = std::ilogb(size);
    exponent += shift;
    x = scaled(x, -shift);
  }
  static T scaled(T x, int shift) {
    if constexpr (is_complex_number<T>) {
      return {std::scalbn(x.real(), shift), std::scalbn(x.imag(), shift)};
    } else {
      return std::scalbn(x, shift);
    }
  }
};

// Returns the determinant of a matrix from its LU factors and row exchanges. `base` is the number of the first row,
// which is 1 in LAPACK's pivots and 0 in our pivots.
template <class T>
ScaledProduct<T> determinant(const T* factors, const Int* pivots, int64_t n, Int base) {
  ScaledProduct<T> product;
  for (int64_t k = 0; k < n; ++k) product.multiply(pivots[k] == k + base ? factors[k * n + k] : -factors[k * n + k]);
  return product;
}

// Calls use(i, product) for each matrix i, where the product is the determinant of the matrix.
template <class T, class Use>
void for_each_determinant(const Matrices& x, Use use) {
  const Int n = x.rows;
  if (is_small(x)) {
    const Tensor in = x.rows_to_read(), factors = make_empty(x.op, x.source.shape, x.type);
    const ScratchArray<Int> pivots(x.count * n);
    for_each_run(x.count, n * n * n, [&](int64_t first, int64_t count) {
      T* const at = factors.as<T>() + first * n * n;
      Int* const rows = pivots.data() + first * n;
      small_kernels(x.type).lu(at, rows, in.as<T>() + first * n * n, n, count);
      for (int64_t i = 0; i < count; ++i) use(first + i, determinant(at + i * n * n, rows + i * n, n, 0));
    });
    return;
  }
  const Tensor rows = x.copy_rows();
  const auto make = [&](const Routines<T>&) { return Pivots(n); };
  for_each_lu<T>(x, rows, work_of(n, n, n) * 2 / 3, make, [&](const auto&, const Pivots& space, int64_t i, Int) -> Int {
    use(i, determinant(rows.as<T>() + i * n * n, space.pivots(i), n, 1));
    return 0;
  });
}

// The matrices and right-hand sides of `solve` as batches, which are broadcast with each other.
struct System {
  Matrices a, b;
  bool vector;
};

System system_of(const Tensor& left, const Tensor& right) {
  constexpr const char* op = "solve";
  Matrices a = square_matrices_of(op, left);
  if (right.rank() == 0) fail(Status::dimensions_mismatch, op, ": shape () is neither a vector nor a matrix");
  const bool vector = right.rank() == 1;
  Matrices b = matrices_of(op, vector ? make_view(right, {right.shape[0], 1}, {right.strides[0], 1}) : right);
  if (b.rows != a.rows)
    fail(Status::dimensions_mismatch, op, ": shapes ", left.shape, " and ", right.shape, " have ", a.rows, " and ",
         b.rows, " rows");
  unify(a, b);
  const Dims batch = broadcast(op, a.batch, b.batch);
  const auto expanded = [&](const Matrices& x) {
    Dims shape = batch;
    shape.push_back(x.rows);
    shape.push_back(x.columns);
    Matrices result = matrices_of(op, x.batch == batch ? x.source : expand(op, x.source, shape));
    result.type = x.type;
    result.result = x.result;
    return result;
  };
  return {expanded(a), expanded(b), vector};
}

// Solves systems that are too large for the kernels on small matrices. The matrices are stored by rows, so LAPACK
// factorises their transposes.
Tensor solve_large(const Matrices& a, const Matrices& b) {
  const Int n = a.rows, sides = b.columns;
  const double operations = work_of(n, n, n) * 2 / 3 + 2 * work_of(n, n, sides);
  const bool panels = by_panels(a, operations) && sides >= costs::panel_sides;
  const Tensor rows = a.copy_rows(), result = panels ? b.copy_rows() : b.copy_columns();
  const Failure failure = with_type(a.type, [&]<class T>(T) {
    const auto make = [&](const Routines<T>&) { return Pivots(n); };
    const auto then = [&](const auto& routines, const Pivots& space, int64_t i, Int info) -> Int {
      T* const matrix = rows.as<T>() + i * n * n;
      T* const x = result.as<T>() + i * n * sides;
      if (info != 0) return info;
      if (panels) {
        solve_by_panels(n, matrix, space.pivots(i), x, sides, Sides::given);
      } else {
        routines.getrs("T", &n, &sides, matrix, &n, space.pivots(i), x, &n, &info, 1);
      }
      return info;
    };
    return for_each_lu<T>(a, rows, operations, make, then);
  });
  if (failure) fail_singular(a, failure);
  return result;
}

}  // namespace

Tensor solve(const Tensor& left, const Tensor& right) {
  const auto [a, b, vector] = system_of(left, right);
  Tensor result;
  if (b.source.size == 0) {
    result = b.empty({b.rows, b.columns});
  } else if (is_small(a) && is_small(b)) {
    const Tensor in = a.rows_to_read(), sides = b.rows_to_read();
    result = b.empty({b.rows, b.columns});
    ScratchArray<int64_t> info(a.count);
    solve_small(a, result, in, &sides, b.columns, info);
    if (const Failure failure = first_failure(info, a.count)) fail_singular(a, failure);
  } else {
    result = solve_large(a, b);
  }
  result = b.rounded(result);
  if (!vector) return result;
  Dims shape = a.batch;
  shape.push_back(a.rows);
  return *reshape_view(result, shape);
}

Tensor inv(const char* op, const Tensor& x) {
  return inverse(square_matrices_of(op, x), [](const Tensor&, int64_t, Int pivot) { return pivot; });
}

Tensor inverse_or_infinity(const char* op, const Tensor& x) {
  const Matrices matrices = square_matrices_of(op, x);
  return inverse(matrices, [&](const Tensor& out, int64_t i, Int) -> Int {
    with_type(matrices.type, [&]<class T>(T) {
      std::fill_n(out.as<T>() + i * matrices.each(), matrices.each(), T(std::numeric_limits<real_of<T>>::infinity()));
    });
    return 0;
  });
}

Tensor det(const Tensor& x) {
  const Matrices m = square_matrices_of("det", x);
  const Tensor result = m.empty({});
  with_type(m.type, [&]<class T>(T) {
    for_each_determinant<T>(m, [&](int64_t i, const ScaledProduct<T>& d) { result.as<T>()[i] = d.value(); });
  });
  return m.rounded(result);
}

SignedLog slogdet(const Tensor& x) {
  const Matrices m = square_matrices_of("slogdet", x);
  const Tensor sign = m.empty({}), logarithm = m.empty({}, real_part(m.type));
  with_type(m.type, [&]<class T>(T) {
    for_each_determinant<T>(m, [&](int64_t i, const ScaledProduct<T>& d) {
      sign.as<T>()[i] = d.sign();
      logarithm.as<real_of<T>>()[i] = d.log();
    });
  });
  return {m.rounded(sign), m.rounded(logarithm)};
}

}  // namespace suanzi::linalg
