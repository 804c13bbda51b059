// LU, Cholesky and QR factorisations.
#include <cstring>
#include <numeric>

#include "ops/linalg/batch.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"

namespace suanzi::linalg {
namespace {

double operations_of(const Matrices& x) { return work_of(x.rows, x.columns, x.rank()); }

// Returns the LU factors of matrices and the row exchanges. The factors are stored by rows, and the row numbers of the
// exchanges count from 0.
PackedLU factorise(const Matrices& x) {
  const int64_t k = x.rank();
  const Tensor pivots = x.empty({k}, DType::int64);
  if (is_small(x) && x.rows == x.columns) {
    const Tensor in = x.rows_to_read(), out = make_empty(x.op, x.source.shape, x.type);
    const int64_t n = x.rows, bytes = x.each() * size_of(x.type);
    if (x.source.size == 0) return {out, pivots};
    for_each_run(x.count, n * n * n, [&](int64_t first, int64_t count) {
      small_kernels(x.type).lu(out.data + first * bytes, pivots.as<int64_t>() + first * k, in.data + first * bytes, n,
                               count);
    });
    return {out, pivots};
  }
  const Tensor columns = x.copy_columns();
  if (x.source.size == 0) return {x.rounded(columns, x.type), pivots};
  with_type(x.type, [&]<class T>(T) {
    struct Space {
      Int* rows;
      int64_t each;
      Int* pivots(int64_t i) const { return rows + i * each; }
    };
    const auto make = [&](const Routines<T>&) { return Space{pivots.as<Int>(), k}; };
    for_each_lu<T>(x, columns, operations_of(x), make, [&](const auto&, const Space& space, int64_t i, Int) -> Int {
      std::for_each_n(space.pivots(i), k, [](Int& row) { --row; });
      return 0;
    });
  });
  return {x.rounded(columns, x.type), pivots};
}

// Writes L (m × k) and U (k × n) from one matrix that holds L and U.
template <class T>
void write_factors(T* l, T* u, const T* from, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i, from += n, l += k) {
    const int64_t lower = std::min(i, k);
    std::copy_n(from, lower, l);
    std::fill(l + lower, l + k, T(0));
    if (i >= k) continue;
    l[i] = T(1);
    std::fill_n(u, std::min(i, n), T(0));
    std::copy(from + i, from + n, u + i);
    u += n;
  }
}

// Writes the matrix P for which P L U = A. Row i of L U is row order[i] of A.
template <class T>
void write_permutation(T* p, const int64_t* pivots, int64_t m, int64_t k, int64_t* order) {
  std::iota(order, order + m, int64_t{0});
  for (int64_t i = 0; i < k; ++i) std::swap(order[i], order[pivots[i]]);
  std::fill_n(p, m * m, T(0));
  for (int64_t i = 0; i < m; ++i) p[order[i] * m + i] = T(1);
}

}  // namespace

PackedLU packed_lu(const Tensor& x) {
  const Matrices m = matrices_of("lu", x);
  PackedLU result = factorise(m);
  result.factors = m.rounded(result.factors);
  return result;
}

LU lu(const Tensor& x) {
  const Matrices m = matrices_of("lu", x);
  const int64_t k = m.rank();
  const LU result{m.empty({m.rows, m.rows}), m.empty({m.rows, k}), m.empty({k, m.columns})};
  const auto [factors, pivots] = factorise(m);
  if (result.p.size == 0) return {m.rounded(result.p), m.rounded(result.l), m.rounded(result.u)};
  with_type(m.type, [&, &factors = factors, &pivots = pivots]<class T>(T) {
    for_each_run(m.count, 4 * m.rows * (m.rows + m.columns), [&](int64_t first, int64_t count) {
      const ScratchArray<int64_t> order(m.rows);
      for (int64_t i = first; i < first + count; ++i) {
        write_factors(result.l.template as<T>() + i * m.rows * k, result.u.template as<T>() + i * k * m.columns,
                      factors.template as<T>() + i * m.each(), m.rows, m.columns, k);
        write_permutation(result.p.template as<T>() + i * m.rows * m.rows, pivots.template as<int64_t>() + i * k,
                          m.rows, k, order.data());
      }
    });
  });
  return {m.rounded(result.p), m.rounded(result.l), m.rounded(result.u)};
}

Tensor cholesky(const Tensor& x, bool upper) {
  const Matrices m = square_matrices_of("cholesky", x);
  const Int n = m.rows;
  Failure failure;
  Tensor result;
  if (is_small(m)) {
    const Tensor in = m.rows_to_read();
    result = make_empty(m.op, x.shape, m.type);
    if (x.size == 0) return m.rounded(result);
    const int64_t bytes = m.each() * size_of(m.type);
    const ScratchArray<int64_t> info(m.count);
    for_each_run(m.count, n * n * n, [&](int64_t first, int64_t count) {
      small_kernels(m.type).cholesky(result.data + first * bytes, in.data + first * bytes, n, upper, count,
                                     info.data() + first);
    });
    failure = first_failure(info, m.count);
  } else {
    const double operations = operations_of(m) / 3;
    const bool panels = by_panels(m, operations);
    result = panels && upper ? m.copy_columns() : m.copy_rows();
    with_type(m.type, [&]<class T>(T) {
      const auto at = [&](int64_t i) { return result.as<T>() + i * n * n; };
      if (panels) {
        for (int64_t i = 0; i < m.count && !failure; ++i)
          if (const Int info = cholesky_by_panels(n, at(i))) failure = {i, info};
        return;
      }
      // LAPACK reads matrices by columns. For LAPACK, the lower triangle of a matrix or factor stored by rows is
      // therefore the upper triangle of the transpose.
      const char* triangle = upper ? "L" : "U";
      const auto make = [](const Routines<T>&) { return 0; };
      const auto factorise = [&](const auto& routines, int, int64_t i) {
        Int info = 0;
        routines.potrf(triangle, &n, at(i), &n, &info, 1);
        return info;
      };
      failure = for_each_matrix<T>(m, m.count, operations, make, factorise, factor_threads());
    });
    if (panels && upper) result = m.rounded(result, m.type);
    upper ? clear_below(result) : clear_above(result);
  }
  if (failure)
    fail(Status::invalid_argument, m.op, ": matrix", which_matrix(m, failure), " is not positive definite: pivot ",
         failure.info - 1, " is not positive");
  return m.rounded(result);
}

namespace {

// Computes Q and R of small matrices with our kernel. `width` is the number of columns of Q.
QR small_qr(const Matrices& x, int64_t width) {
  const int64_t m = x.rows, n = x.columns, size = size_of(x.type);
  const Tensor in = x.rows_to_read(), q = x.empty({m, width}), r = x.empty({width, n});
  for_each_run(x.count, 2 * m * n * (width + n), [&](int64_t first, int64_t count) {
    small_kernels(x.type).qr(q.data + first * m * width * size, r.data + first * width * n * size,
                             in.data + first * m * n * size, m, n, width, count);
  });
  return {x.rounded(q), x.rounded(r)};
}

}  // namespace

QR qr(const Tensor& x, bool complete) {
  const Matrices a = matrices_of("qr", x);
  if (is_small(a) && a.source.size > 0) return small_qr(a, complete ? a.rows : a.rank());
  const Int m = a.rows, n = a.columns, k = a.rank(), width = complete ? m : k, ld = leading(m);
  const Tensor columns = a.copy_columns(), q = width == n ? columns : a.empty_columns(m, width);
  const Tensor r = a.empty({width, n});
  if (q.size == 0 && r.size == 0) return {a.rounded(q), a.rounded(r)};
  with_type(a.type, [&]<class T>(T) {
    struct Space {
      ScratchArray<T> tau, work;
      Int size;
    };
    const auto make = [&](const Routines<T>& routines) {
      T factor{}, multiply{};
      const Int question = -1;
      Int info = 0;
      routines.geqrf(&m, &n, nullptr, &ld, nullptr, &factor, &question, &info);
      routines.orgqr(&m, &width, &k, nullptr, &ld, nullptr, &multiply, &question, &info);
      const Int size = std::max(workspace(factor), workspace(multiply));
      return Space{ScratchArray<T>(k), ScratchArray<T>(size), size};
    };
    const double operations = 2 * operations_of(a) + 2 * work_of(m, width, k);
    for_each_matrix<T>(a, a.count, operations, make, [&](const auto& routines, Space& space, int64_t i) -> Int {
      T* const from = columns.as<T>() + i * m * n;
      T* const to = q.as<T>() + i * m * width;
      Int info = 0;
      routines.geqrf(&m, &n, from, &ld, space.tau.data(), space.work.data(), &space.size, &info);
      for (int64_t row = 0; row < width; ++row) {
        T* const target = r.as<T>() + (i * width + row) * n;
        for (int64_t j = 0; j < n; ++j) target[j] = j < row ? T(0) : from[j * m + row];
      }
      if (to != from) std::copy_n(from, m * k, to);
      routines.orgqr(&m, &width, &k, to, &ld, space.tau.data(), space.work.data(), &space.size, &info);
      return 0;
    });
  });
  return {a.rounded(q), a.rounded(r)};
}

}  // namespace suanzi::linalg
