// Singular values, and the operators that need singular values (pseudo-inverses, ranks, least squares).
//
// LAPACK receives matrices stored by rows, and reads these matrices as the transposed matrices A^T = conj(V) S U^T.
// LAPACK's right factor is therefore our left factor, and both factors are already stored by rows.
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "ops/linalg/batch.h"
#include "ops/linalg/linalg.h"
#include "runtime/share.h"
#include "walk/copy.h"

namespace suanzi::linalg {
namespace {

template <class T>
struct SvdSpace {
  ScratchArray<T> work;
  ScratchArray<real_of<T>> real_work;
  ScratchArray<Int> integers;
  Int size;
};

// Returns the size of the real work space that LAPACK's gesdd needs for complex types (LAPACK 3.7's documentation), or
// 0 for real types.
template <class T>
Int real_workspace(Int m, Int n, bool vectors) {
  if constexpr (!is_complex_number<T>) return 0;
  const Int least = std::min(m, n), greatest = std::max(m, n);
  return vectors ? std::max(5 * least * least + 5 * least, 2 * greatest * least + 2 * least * least + least)
                 : 7 * least;
}

template <class T>
Int call_gesdd(const Routines<T>& r, const char* job, Int m, Int n, T* a, real_of<T>* s, T* u, T* vt, Int height,
               T* work, Int size, real_of<T>* real_work, Int* integers) {
  const Int lda = leading(m), ldu = leading(m), ldvt = leading(height);
  Int info = 0;
  if constexpr (is_complex_number<T>) {
    r.gesdd(job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &size, real_work, integers, &info, 1);
  } else {
    (void)real_work;
    r.gesdd(job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &size, integers, &info, 1);
  }
  return info;
}

enum class Vectors { none, reduced, full };

// Decomposes the matrices whose indices are in `numbers` with LAPACK, which destroys `rows`.
void decompose_by_library(const Matrices& x, const Tensor& rows, Vectors vectors, const std::vector<int64_t>& numbers,
                          const SVD& result) {
  const Int k = x.rank(), m = x.columns, n = x.rows;  // the sizes of the transposed matrices, which LAPACK receives
  const Int left = vectors == Vectors::full ? m : k, right = vectors == Vectors::full ? n : k;
  const char* job = vectors == Vectors::none ? "N" : vectors == Vectors::reduced ? "S" : "A";
  Failure failure = with_type(x.type, [&]<class T>(T) {
    const auto make = [&](const Routines<T>& routines) {
      T answer{};
      call_gesdd<T>(routines, job, m, n, nullptr, nullptr, nullptr, nullptr, right, &answer, -1, nullptr, nullptr);
      const Int size = workspace(answer);
      return SvdSpace<T>{ScratchArray<T>(size),
                         ScratchArray<real_of<T>>(real_workspace<T>(m, n, vectors != Vectors::none)),
                         ScratchArray<Int>(8 * k), size};
    };
    const double operations = 8 * work_of(m, k, n);
    const int64_t count = std::ssize(numbers);
    return for_each_matrix<T>(x, count, operations, make, [&](const auto& routines, SvdSpace<T>& space, int64_t at) {
      const int64_t i = numbers[at];
      T* const u = result.vh.data ? result.vh.as<T>() + i * left * m : nullptr;
      T* const vt = result.u.data ? result.u.as<T>() + i * n * right : nullptr;
      return call_gesdd<T>(routines, job, m, n, rows.as<T>() + i * m * n, result.s.as<real_of<T>>() + i * k, u, vt,
                           right, space.work.data(), space.size, space.real_work.data(), space.integers.data());
    });
  });
  if (!failure) return;
  failure.matrix = numbers[failure.matrix];
  fail(Status::internal_error, x.op, ": the iteration for matrix", which_matrix(x, failure), " does not converge");
}

// Decomposes all matrices with our kernel. Returns the indices of the matrices that the kernel leaves to LAPACK.
std::vector<int64_t> decompose_small(const Matrices& x, const Tensor& rows, const SVD& result) {
  const int64_t m = x.rows, n = x.columns, k = x.rank(), size = size_of(x.type);
  const ScratchArray<int64_t> info(x.count);
  for_each_run(x.count, 24 * m * n * k, [&](int64_t first, int64_t count) {
    const auto at = [first](const Tensor& t, int64_t bytes) { return t.data ? t.data + first * bytes : nullptr; };
    small_kernels(x.type).svd(at(result.u, m * k * size), at(result.s, k * size_of(result.s.dtype)),
                              at(result.vh, k * n * size), at(rows, m * n * size), m, n, count, info.data() + first);
  });
  std::vector<int64_t> left;
  for (int64_t i = 0; i < x.count; ++i)
    if (info.data()[i] != 0) left.push_back(i);
  return left;
}

SVD decompose(const Matrices& x, Vectors vectors) {
  const int64_t k = x.rank();
  if (x.rows == x.columns && vectors == Vectors::full) vectors = Vectors::reduced;
  SVD result;
  result.s = x.empty({k}, real_part(x.type));
  if (vectors != Vectors::none) {
    result.vh = x.empty({vectors == Vectors::full ? x.columns : k, x.columns});
    result.u = x.empty({x.rows, vectors == Vectors::full ? x.rows : k});
  }
  if (k == 0) {
    if (vectors == Vectors::full) fill_identity(result.u), fill_identity(result.vh);
    return result;
  }
  const bool small = is_small(x) && vectors != Vectors::full;
  Tensor rows = small ? x.rows_to_read() : x.copy_rows();
  check_finite(x, rows);
  std::vector<int64_t> numbers;
  if (small) {
    numbers = decompose_small(x, rows, result);
  } else {
    numbers.resize(static_cast<size_t>(x.count));
    std::iota(numbers.begin(), numbers.end(), int64_t{0});
  }
  if (numbers.empty()) return result;
  if (small) {
    rows = x.copy_rows();
    // Another thread may have written to the operand, so the code checks the new copy.
    check_finite(x, rows);
  }
  decompose_by_library(x, rows, vectors, numbers, result);
  return result;
}

// Returns the limit at or below which singular values count as 0. `values` are the k singular values of one matrix.
template <class R>
R cutoff(const Matrices& x, const R* values, std::optional<double> rtol) {
  const double epsilon = std::numeric_limits<R>::epsilon();
  const double relative = rtol ? *rtol : epsilon * static_cast<double>(std::max(x.rows, x.columns));
  return x.rank() == 0 ? R(0) : static_cast<R>(relative * static_cast<double>(values[0]));
}

// The tolerance that the caller requested for each matrix.
class Tolerances {
 public:
  Tolerances(const Matrices& x, const Tensor* rtol) {
    if (!rtol) return;
    // The code reads the tolerances twice. Another thread may change the tolerances between the two reads, so the code
    // reads a copy.
    each_ = to_contiguous(x.op, expand(x.op, cast(x.op, *rtol, DType::float64), x.batch));
    for (int64_t i = 0; i < each_->size; ++i)
      if (const double one = each_->as<double>()[i]; !(one >= 0))
        fail(Status::out_of_range, x.op, ": rtol ", one, " is not a number of at least 0");
  }
  std::optional<double> of(int64_t matrix) const {
    return each_ ? std::optional(each_->as<double>()[matrix]) : std::nullopt;
  }

 private:
  std::optional<Tensor> each_;
};

void check_tolerance_type(const char* op, const Tensor* rtol) {
  if (!rtol) return;
  check_alive(op, *rtol);
  if (is_complex(rtol->dtype) || rtol->dtype == DType::string)
    fail(Status::type_mismatch, op, ": rtol of element type ", name(rtol->dtype), " is not real");
}

// Returns the matrices of x. If the tolerances broadcast to a larger batch, the function repeats the matrices.
Matrices matrices_with(const char* op, const Tensor& x, const Tensor* rtol) {
  const Matrices m = matrices_of(op, x);
  check_tolerance_type(op, rtol);
  if (!rtol) return m;
  Dims shape = broadcast(op, m.batch, rtol->shape);
  if (shape == m.batch) return m;
  if (shape.size() + 2 > max_rank)
    fail(Status::invalid_argument, op, ": ", shape.size() + 2, " dimensions are more than the ", max_rank,
         " supported");
  shape.push_back(m.rows);
  shape.push_back(m.columns);
  return matrices_of(op, expand(op, x, shape));
}

}  // namespace

SVD svd(const Tensor& x, bool full) {
  const Matrices m = matrices_of("svd", x);
  const SVD result = decompose(m, full ? Vectors::full : Vectors::reduced);
  return {m.rounded(result.u), m.rounded(result.s), m.rounded(result.vh)};
}

Tensor svdvals(const char* op, const Tensor& x) {
  const Matrices m = matrices_of(op, x);
  return m.rounded(decompose(m, Vectors::none).s);
}

Tensor pinv(const Tensor& x, const Tensor* rtol) {
  const Matrices m = matrices_with("pinv", x, rtol);
  const Tolerances tolerances(m, rtol);
  const Int k = m.rank();
  const Tensor result = m.empty({m.columns, m.rows});
  if (result.size == 0) return m.rounded(result);
  const SVD factors = decompose(m, Vectors::reduced);
  with_type(m.type, [&]<class T>(T) {
    using R = real_of<T>;
    const double operations = 2 * work_of(m.rows, m.columns, k);
    for_each_matrix<T>(
        m, m.count, operations, [](const Routines<T>&) { return 0; },
        [&](const auto& routines, int, int64_t i) -> Int {
          const R* const s = factors.s.as<R>() + i * k;
          T* const u = factors.u.as<T>() + i * m.rows * k;
          const R least = cutoff(m, s, tolerances.of(i));
          for (int64_t row = 0; row < m.rows; ++row)
            for (int64_t j = 0; j < k; ++j) u[row * k + j] = s[j] > least ? u[row * k + j] / s[j] : T(0);
          const T one(1), zero(0);
          // Multiplies V S⁻¹ by Uᴴ.
          routines.gemm(Order::row_major, Transpose::conjugate, Transpose::conjugate, m.columns, m.rows, k,
                        as_factor(one), factors.vh.as<T>() + i * k * m.columns, m.columns, u, k, as_factor(zero),
                        result.as<T>() + i * m.each(), m.rows);
          return 0;
        });
  });
  return m.rounded(result);
}

Tensor matrix_rank(const Tensor& x, const Tensor* rtol) {
  const Matrices m = matrices_with("matrix_rank", x, rtol);
  const Tolerances tolerances(m, rtol);
  const Tensor values = decompose(m, Vectors::none).s, result = m.empty({}, DType::int64);
  const Int k = m.rank();
  with_type(real_part(m.type), [&]<class R>(R) {
    if constexpr (!is_complex_number<R>) {
      for (int64_t i = 0; i < m.count; ++i) {
        const R* const s = values.as<R>() + i * k;
        const R least = cutoff(m, s, tolerances.of(i));
        result.as<int64_t>()[i] = std::count_if(s, s + k, [&](R value) { return value > least; });
      }
    }
  });
  return result;
}

namespace {

// The memory that gelsd needs for one matrix. gelsd reports the size of the work space.
template <class T>
struct LeastSquaresSpace {
  ScratchArray<T> a, work;
  ScratchArray<real_of<T>> real_work;
  ScratchArray<Int> integers;
  Int size;
};

template <class T>
Int call_gelsd(const Routines<T>& r, Int m, Int n, Int sides, T* a, T* b, real_of<T>* s, real_of<T> rcond, Int* rank,
               T* work, Int size, real_of<T>* real_work, Int* integers) {
  const Int lda = leading(m), ldb = leading(std::max(m, n));
  Int info = 0;
  if constexpr (is_complex_number<T>) {
    r.gelsd(&m, &n, &sides, a, &lda, b, &ldb, s, &rcond, rank, work, &size, real_work, integers, &info);
  } else {
    (void)real_work;
    r.gelsd(&m, &n, &sides, a, &lda, b, &ldb, s, &rcond, rank, work, &size, integers, &info);
  }
  return info;
}

template <class T>
LeastSquaresSpace<T> make_least_squares_space(const Routines<T>& routines, Int m, Int n, Int sides) {
  T answer{};
  real_of<T> real_answer{};
  Int integer_answer = 0, rank = 0;
  call_gelsd<T>(routines, m, n, sides, nullptr, nullptr, nullptr, 0, &rank, &answer, -1, &real_answer, &integer_answer);
  const Int size = workspace(answer);
  return {ScratchArray<T>(m * n), ScratchArray<T>(size),
          ScratchArray<real_of<T>>(is_complex_number<T> ? workspace(real_answer) : 0),
          ScratchArray<Int>(std::max<Int>(integer_answer, 1)), size};
}

template <class T>
real_of<T> squared(T x) {
  return std::real(x) * std::real(x) + std::imag(x) * std::imag(x);
}

// Writes the sum of squares of each column of b - a x. The matrices `a` and `b` are stored by columns, and `down` and
// `across` are the strides of x.
template <class T>
void write_residuals(real_of<T>* out, const T* a, const T* b, const T* x, Int m, Int n, Int sides, Int down,
                     Int across) {
  for (Int j = 0; j < sides; ++j) {
    real_of<T> sum = 0;
    for (Int i = 0; i < m; ++i) {
      T rest = b[j * m + i];
      for (Int k = 0; k < n; ++k) rest -= a[k * m + i] * x[j * across + k * down];
      sum += squared(rest);
    }
    out[j] = sum;
  }
}

template <class T>
T conjugate(T x) {
  if constexpr (is_complex_number<T>) return std::conj(x);
  return x;
}

// Solves the small system i with the singular values and vectors of its matrix, which our kernels compute for many
// matrices at once.
template <class T>
void solve_small(const Matrices& a, const SVD& factors, const Tensor& matrices, const Tensor& goals,
                 const LeastSquares& result, std::optional<double> rtol, Int sides, int64_t i) {
  using R = real_of<T>;
  const Int m = a.rows, n = a.columns, k = a.rank();
  const T* const u = factors.u.as<T>() + i * m * k;
  const T* const vh = factors.vh.as<T>() + i * k * n;
  const T* const goal = goals.as<T>() + i * m * sides;
  const R* const s = factors.s.as<R>() + i * k;
  const R least = cutoff(a, s, rtol);
  T* const x = result.solution.as<T>() + i * n * sides;
  std::fill_n(x, n * sides, T(0));
  std::copy_n(s, k, result.singular_values.as<R>() + i * k);
  int64_t rank = 0;
  for (Int j = 0; j < k; ++j) {
    if (!(s[j] > least)) continue;
    ++rank;
    for (Int side = 0; side < sides; ++side) {
      T sum(0);
      for (Int row = 0; row < m; ++row) sum += conjugate(u[row * k + j]) * goal[side * m + row];
      sum /= s[j];
      for (Int row = 0; row < n; ++row) x[row * sides + side] += conjugate(vh[j * n + row]) * sum;
    }
  }
  result.rank.as<int64_t>()[i] = rank;
  write_residuals(result.residuals.as<R>() + i * sides, matrices.as<T>() + i * m * n, goal, x, m, n, sides, sides,
                  Int{1});
}

// The memory for a QR factorisation of one matrix [A b], and for the singular values of the triangular factor of A.
template <class T>
struct TriangleSpace {
  ScratchArray<T> all, factors, triangle, work;
  ScratchArray<real_of<T>> real_work;
  ScratchArray<Int> integers;
  Int size;
};

// Returns true if solve_by_triangle accepts systems of these shapes.
bool is_tall(Int m, Int n, Int sides) { return m >= n && sides > 0 && sides <= n; }

template <class T>
TriangleSpace<T> make_triangle_space(const Routines<T>& routines, Int m, Int n, Int sides) {
  const Int columns = n + sides, lda = leading(m), query = -1;
  T answers[2]{};
  Int info = 0;
  routines.geqrf(&m, &columns, nullptr, &lda, nullptr, &answers[0], &query, &info);
  call_gesdd<T>(routines, "N", n, n, nullptr, nullptr, nullptr, nullptr, n, &answers[1], query, nullptr, nullptr);
  const Int size = std::max(workspace(answers[0]), workspace(answers[1]));
  return {ScratchArray<T>(m * columns),
          ScratchArray<T>(columns),
          ScratchArray<T>(n * n),
          ScratchArray<T>(size),
          ScratchArray<real_of<T>>(real_workspace<T>(n, n, false)),
          ScratchArray<Int>(8 * n),
          size};
}

// Returns true if the squares of the numbers neither overflow nor underflow. LAPACK's gelsd scales other numbers.
template <class T>
bool is_moderate(const T* x, Int count) {
  using R = real_of<T>;
  constexpr R greatest = sizeof(R) == 4 ? R(0x1p40) : R(0x1p300);
  R most = 0;
  for (Int i = 0; i < count; ++i) most = std::max({most, std::abs(std::real(x[i])), std::abs(std::imag(x[i]))});
  return most == 0 || (most < greatest && most > 1 / greatest);
}

// Solves a tall system of full rank with the triangular factor of [A b], and computes the singular values of A from
// this factor. The singular values take most of the time. The function takes a third of the time of gelsd, which also
// computes singular vectors. Returns false if the numbers are not moderate, or if the rank is not full. In both cases,
// the output has no meaning. x is stored by columns of m elements.
template <class T>
bool solve_by_triangle(const Routines<T>& routines, TriangleSpace<T>& space, const T* matrix, const T* goal, T* x,
                       real_of<T>* values, real_of<T> rcond, Int m, Int n, Int sides) {
  if (!is_moderate(matrix, m * n) || !is_moderate(goal, m * sides)) return false;
  const Int columns = n + sides, lda = leading(m);
  T* const all = space.all.data();
  std::copy_n(matrix, m * n, all);
  std::copy_n(goal, m * sides, all + m * n);
  Int info = 0;
  routines.geqrf(&m, &columns, all, &lda, space.factors.data(), space.work.data(), &space.size, &info);
  if (info != 0) return false;
  T* const triangle = space.triangle.data();
  std::fill_n(triangle, n * n, T(0));
  for (Int j = 0; j < n; ++j) std::copy_n(all + j * m, j + 1, triangle + j * n);
  info = call_gesdd<T>(routines, "N", n, n, triangle, values, nullptr, nullptr, n, space.work.data(), space.size,
                       space.real_work.data(), space.integers.data());
  if (info != 0 || !(values[n - 1] > rcond * values[0])) return false;
  routines.trtrs("U", "N", "N", &n, &sides, all, &lda, all + m * n, &lda, &info, 1, 1, 1);
  if (info != 0) return false;
  std::copy_n(all + m * n, m * sides, x);
  return true;
}

// The scratch memory of a task for its systems. The task allocates the memory for gelsd only if a system is not tall or
// not of full rank.
template <class T>
struct SystemSpace {
  std::optional<TriangleSpace<T>> triangle;
  std::optional<LeastSquaresSpace<T>> general;
  ScratchArray<T> solution;
};

// Solves system i. The function first copies the matrix and the right-hand sides to the scratch memory by columns.
template <class T>
Int solve_least_squares(const Routines<T>& routines, SystemSpace<T>& space, const Tensor& matrices, const Tensor& goals,
                        const LeastSquares& result, std::optional<double> rtol, Int m, Int n, Int sides, int64_t i) {
  using R = real_of<T>;
  const Int k = std::min(m, n), tall = std::max(m, n);
  // LAPACK treats tolerances that are not between 0 and 1 as the default.
  const bool all_vanish = rtol && *rtol >= 1;
  const double relative = std::numeric_limits<R>::epsilon() * static_cast<double>(tall);
  const R rcond =
      rtol && !all_vanish ? std::max(static_cast<R>(*rtol), std::numeric_limits<R>::min()) : static_cast<R>(relative);
  const T* const matrix = matrices.as<T>() + i * m * n;
  const T* const goal = goals.as<T>() + i * m * sides;
  T* const x = space.solution.data();
  R* const values = result.singular_values.as<R>() + i * k;
  Int rank = 0, info = 0;
  if (k > 0 && space.triangle && !all_vanish &&
      solve_by_triangle<T>(routines, *space.triangle, matrix, goal, x, values, rcond, m, n, sides)) {
    rank = n;
  } else if (k > 0) {
    if (!space.general) space.general.emplace(make_least_squares_space<T>(routines, m, n, leading(sides)));
    LeastSquaresSpace<T>& general = *space.general;
    std::copy_n(matrix, m * n, general.a.data());
    std::fill_n(x, tall * leading(sides), T(0));
    for (Int j = 0; j < sides; ++j) std::copy_n(goal + j * m, m, x + j * tall);
    info = call_gelsd<T>(routines, m, n, leading(sides), general.a.data(), x, values, rcond, &rank, general.work.data(),
                         general.size, general.real_work.data(), general.integers.data());
  }
  if (k == 0 || all_vanish) {
    std::fill_n(x, tall * sides, T(0));
    rank = 0;
  }
  result.rank.as<int64_t>()[i] = rank;
  write_residuals(result.residuals.as<R>() + i * sides, matrix, goal, x, m, n, sides, Int{1}, tall);
  T* const out = result.solution.as<T>() + i * n * sides;
  for (Int row = 0; row < n; ++row)
    for (Int j = 0; j < sides; ++j) out[row * sides + j] = x[j * tall + row];
  return info;
}

}  // namespace

LeastSquares lstsq(const Tensor& left, const Tensor& right, const Tensor* rtol) {
  constexpr const char* op = "lstsq";
  Matrices a = matrices_of(op, left);
  check_tolerance_type(op, rtol);
  const Tolerances tolerances(a, rtol);
  const bool vector = right.rank() == 1;
  if (right.rank() == 0) fail(Status::dimensions_mismatch, op, ": shape () is neither a vector nor a matrix");
  Matrices b = matrices_of(op, vector ? make_view(right, {right.shape[0], 1}, {right.strides[0], 1}) : right);
  if (a.rows != b.rows || !(vector || a.batch == b.batch))
    fail(Status::dimensions_mismatch, op, ": shapes ", left.shape, " and ", right.shape,
         " do not have the same batch and number of rows");
  unify(a, b);
  if (vector && !a.batch.empty()) {
    const DType type = b.type, result = b.result;
    b = matrices_of(op, expand(op, b.source, a.shape({b.rows, 1})));
    b.type = type, b.result = result;
  }
  const Int m = a.rows, n = a.columns, sides = b.columns, k = a.rank();
  LeastSquares result{a.empty({n, sides}), a.empty({sides}, real_part(a.type)), a.empty({}, DType::int64),
                      a.empty({k}, real_part(a.type))};
  const Tensor matrices = a.copy_columns(), goals = b.copy_columns();
  check_finite(a, matrices);
  check_finite(b, goals);
  const bool small = is_small(a) && k > 0;
  const SVD factors = small ? decompose(a, Vectors::reduced) : SVD{};
  const Failure failure = with_type(a.type, [&]<class T>(T) -> Failure {
    const double operations = 8 * work_of(m, n, k + sides);
    if (small) {
      share(static_cast<int64_t>(operations) * a.count, a.count, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i)
          solve_small<T>(a, factors, matrices, goals, result, tolerances.of(i), sides, i);
      });
      return {};
    }
    const auto make = [&](const Routines<T>& routines) {
      // gelsd needs right-hand sides of max(m, n) rows, and at least one right-hand side.
      SystemSpace<T> space{{}, {}, ScratchArray<T>(std::max(m, n) * leading(sides))};
      if (k > 0 && is_tall(m, n, sides)) space.triangle.emplace(make_triangle_space<T>(routines, m, n, sides));
      return space;
    };
    return for_each_matrix<T>(a, a.count, operations, make, [&](const auto& routines, auto& space, int64_t i) -> Int {
      return solve_least_squares<T>(routines, space, matrices, goals, result, tolerances.of(i), m, n, sides, i);
    });
  });
  if (failure)
    fail(Status::internal_error, op, ": the iteration for matrix", which_matrix(a, failure), " does not converge");
  result = {a.rounded(result.solution), a.rounded(result.residuals), result.rank, a.rounded(result.singular_values)};
  if (!vector) return result;
  result.solution = *reshape_view(result.solution, a.shape({n}));
  result.residuals = *reshape_view(result.residuals, a.batch);
  return result;
}

}  // namespace suanzi::linalg
