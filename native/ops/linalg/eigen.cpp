// Eigenvalues and eigenvectors of Hermitian and of general matrices.
#include "ops/linalg/batch.h"
#include "ops/linalg/linalg.h"

namespace suanzi::linalg {
namespace {

template <class T>
struct EigenSpace {
  ScratchArray<T> work;
  ScratchArray<real_of<T>> real_work;
  ScratchArray<Int> integers;
  Int size, real_size, integer_size;
};

[[noreturn]] void fail_to_converge(const Matrices& x, const Failure& failure) {
  fail(Status::internal_error, x.op, ": the iteration for matrix", which_matrix(x, failure), " does not converge");
}

// Calls LAPACK's syevd, which computes the eigenvalues of a Hermitian matrix from the lower triangle of `a`. If `job`
// is "V", the eigenvectors replace the matrix. For a size of -1, LAPACK only returns the size of the work space.
template <class T>
Int call_syevd(const Routines<T>& r, const char* job, Int n, T* a, real_of<T>* w, T* work, Int size,
               real_of<T>* real_work, Int real_size, Int* integers, Int integer_size) {
  const Int ld = leading(n);
  Int info = 0;
  if constexpr (is_complex_number<T>) {
    r.syevd(job, "L", &n, a, &ld, w, work, &size, real_work, &real_size, integers, &integer_size, &info, 1, 1);
  } else {
    (void)real_work, (void)real_size;
    r.syevd(job, "L", &n, a, &ld, w, work, &size, integers, &integer_size, &info, 1, 1);
  }
  return info;
}

// Computes the eigenvalues of small matrices and, if `vectors` is true, the eigenvectors, with our kernel. Returns
// nothing if the kernel leaves a matrix to LAPACK.
std::optional<Eigen> small_hermitian(const Matrices& x, bool vectors) {
  const int64_t n = x.rows, size = size_of(x.type), real_size = size_of(real_part(x.type));
  const Tensor rows = x.rows_to_read(), values = x.empty({n}, real_part(x.type));
  const Tensor result = vectors ? x.empty({n, n}) : Tensor{};
  check_finite(x, rows);
  const ScratchArray<int64_t> info(x.count);
  for_each_run(x.count, 12 * n * n * n, [&](int64_t first, int64_t count) {
    small_kernels(x.type).eigh(values.data + first * n * real_size,
                               vectors ? result.data + first * n * n * size : nullptr, rows.data + first * n * n * size,
                               n, count, info.data() + first);
  });
  if (first_failure(info, x.count)) return std::nullopt;
  return Eigen{x.rounded(values), vectors ? x.rounded(result) : Tensor{}};
}

Eigen hermitian(const Matrices& x, bool vectors) {
  const Int n = x.rows;
  if (is_small(x) && x.source.size > 0)
    if (auto result = small_hermitian(x, vectors)) return *std::move(result);
  const Tensor columns = x.copy_columns(), values = x.empty({n}, real_part(x.type));
  if (x.source.size == 0) return {x.rounded(values), x.rounded(columns)};
  check_finite(x, columns);
  const char* job = vectors ? "V" : "N";
  const Failure failure = with_type(x.type, [&]<class T>(T) {
    using R = real_of<T>;
    const auto make = [&](const Routines<T>& routines) {
      T answer{};
      R real_answer{};
      Int integer_answer = 0;
      call_syevd<T>(routines, job, n, nullptr, nullptr, &answer, -1, &real_answer, -1, &integer_answer, -1);
      const Int size = workspace(answer), real_size = is_complex_number<T> ? workspace(real_answer) : 0;
      return EigenSpace<T>{
          ScratchArray<T>(size), ScratchArray<R>(real_size), ScratchArray<Int>(integer_answer), size, real_size,
          integer_answer};
    };
    const double operations = 9 * work_of(n, n, n);
    return for_each_matrix<T>(x, x.count, operations, make, [&](const auto& routines, EigenSpace<T>& space, int64_t i) {
      return call_syevd<T>(routines, job, n, columns.as<T>() + i * n * n, values.as<R>() + i * n, space.work.data(),
                           space.size, space.real_work.data(), space.real_size, space.integers.data(),
                           space.integer_size);
    });
  });
  if (failure) fail_to_converge(x, failure);
  return {x.rounded(values), vectors ? x.rounded(columns) : Tensor{}};
}

// Calls LAPACK's geev, which writes the right eigenvectors to the columns of v. LAPACK packs the eigenvectors of real
// matrices. Two columns hold the real part and the imaginary part of a conjugate pair.
template <class T>
Int call_geev(const Routines<T>& r, const char* job, Int n, T* a, T* re, T* im, T* v, T* work, Int size, T*) {
  const Int ld = leading(n), one = 1;
  Int info = 0;
  r.geev("N", job, &n, a, &ld, re, im, nullptr, &one, v, &ld, work, &size, &info, 1, 1);
  return info;
}
template <class T>
Int call_geev(const Routines<std::complex<T>>& r, const char* job, Int n, std::complex<T>* a, std::complex<T>* w,
              std::complex<T>*, std::complex<T>* v, std::complex<T>* work, Int size, T* real_work) {
  const Int ld = leading(n), one = 1;
  Int info = 0;
  r.geev("N", job, &n, a, &ld, w, nullptr, &one, v, &ld, work, &size, real_work, &info, 1, 1);
  return info;
}

// Converts the results of LAPACK's geev to complex numbers. Unless `vectors` is null, the function also writes the
// eigenvectors, as the columns of a matrix that is stored by rows.
template <class R>
void unpack(std::complex<R>* values, std::complex<R>* vectors, const R* re, const R* im, const R* v, Int n) {
  for (Int j = 0; j < n; ++j) {
    values[j] = {re[j], im[j]};
    if (!vectors) continue;
    // The imaginary part of a pair's first eigenvalue is positive.
    const Int real = im[j] < 0 ? j - 1 : j;
    for (Int i = 0; i < n; ++i) {
      const R imaginary = im[j] == 0 ? R(0) : v[(real + 1) * n + i];
      vectors[i * n + j] = {v[real * n + i], im[j] < 0 ? -imaginary : imaginary};
    }
  }
}
template <class R>
void unpack(std::complex<R>* values, std::complex<R>* vectors, const std::complex<R>* w, const std::complex<R>*,
            const std::complex<R>* v, Int n) {
  std::copy_n(w, n, values);
  for (Int i = 0; vectors && i < n; ++i)
    for (Int j = 0; j < n; ++j) vectors[i * n + j] = v[j * n + i];
}

template <class T>
struct GeneralSpace {
  ScratchArray<T> re, im, vectors, work;
  ScratchArray<real_of<T>> real_work;
  Int size;
};

Eigen general(const Matrices& x, bool vectors) {
  const Int n = x.rows;
  const DType type = is_complex(x.type) ? x.type : complex_of(x.type);
  const Eigen result{x.empty({n}, type), vectors ? x.empty({n, n}, type) : Tensor{}};
  if (x.source.size == 0) return {x.rounded(result.values), vectors ? x.rounded(result.vectors) : Tensor{}};
  const Tensor columns = x.copy_columns();
  check_finite(x, columns);
  const char* job = vectors ? "V" : "N";
  const Failure failure = with_type(x.type, [&]<class T>(T) {
    using R = real_of<T>;
    using C = std::complex<R>;
    const auto make = [&](const Routines<T>& routines) {
      T answer{};
      R real_answer{};  // complex geev writes to this number during the size query
      call_geev(routines, job, n, static_cast<T*>(nullptr), static_cast<T*>(nullptr), static_cast<T*>(nullptr),
                static_cast<T*>(nullptr), &answer, Int{-1}, &real_answer);
      const Int size = workspace(answer);
      return GeneralSpace<T>{ScratchArray<T>(n),    ScratchArray<T>(n),     ScratchArray<T>(vectors ? n * n : 0),
                             ScratchArray<T>(size), ScratchArray<R>(2 * n), size};
    };
    const double operations = 25 * work_of(n, n, n);
    return for_each_matrix<T>(
        x, x.count, operations, make, [&](const auto& routines, GeneralSpace<T>& space, int64_t i) {
          const Int info = call_geev(routines, job, n, columns.as<T>() + i * n * n, space.re.data(), space.im.data(),
                                     space.vectors.data(), space.work.data(), space.size, space.real_work.data());
          if (info == 0)
            unpack(result.values.as<C>() + i * n, vectors ? result.vectors.as<C>() + i * n * n : nullptr,
                   std::as_const(space).re.data(), std::as_const(space).im.data(), std::as_const(space).vectors.data(),
                   n);
          return info;
        });
  });
  if (failure) fail_to_converge(x, failure);
  return {x.rounded(result.values), vectors ? x.rounded(result.vectors) : Tensor{}};
}

}  // namespace

Eigen eigh(const Tensor& x) { return hermitian(square_matrices_of("eigh", x), true); }
Tensor eigvalsh(const Tensor& x) { return hermitian(square_matrices_of("eigvalsh", x), false).values; }
Eigen eig(const Tensor& x) { return general(square_matrices_of("eig", x), true); }
Tensor eigvals(const Tensor& x) { return general(square_matrices_of("eigvals", x), false).values; }

}  // namespace suanzi::linalg
