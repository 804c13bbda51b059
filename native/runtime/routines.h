// The BLAS and LAPACK routines that the core calls, as typed function pointers. runtime/library.h fills and returns the
// table. All integers have 64 bits.
//
// The first argument of cblas routines determines whether matrices are row-major or column-major. Matrices of LAPACK
// routines are column-major. The arguments of LAPACK routines are pointers as in Fortran, and the lengths of their
// texts (all 1) come last.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace suanzi::blas {

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using real_of = typename RealOf<T>::type;

// The values of the cblas interface's enumerations.
enum class Order : int { row_major = 101, column_major = 102 };
enum class Transpose : int { no = 111, yes = 112, conjugate = 113 };
enum class Triangle : int { upper = 121, lower = 122 };
enum class Diagonal : int { general = 131, unit = 132 };
enum class Side : int { left = 141, right = 142 };

using Int = int64_t;
using StringLength = size_t;
template <class... Args>
using Routine = void (*)(Args...);

// The routines that exist for every element type (float, double and their complex numbers).
template <class T>
struct CommonRoutines {
  // cblas routines receive real factors by value and complex factors by address.
  using Factor = std::conditional_t<is_complex_number<T>, const T*, T>;

  Routine<Order, Transpose, Transpose, Int, Int, Int, Factor, const T*, Int, const T*, Int, Factor, T*, Int> gemm;
  Routine<Order, Side, Triangle, Transpose, Diagonal, Int, Int, Factor, const T*, Int, T*, Int> trsm;

  // The arguments are m, n, a, lda, pivots, info.
  Routine<const Int*, const Int*, T*, const Int*, Int*, Int*> getrf;
  // The arguments are trans, n, right-hand sides, a, lda, pivots, b, ldb, info.
  Routine<const char*, const Int*, const Int*, const T*, const Int*, const Int*, T*, const Int*, Int*, StringLength>
      getrs;
  // The arguments are n, right-hand sides, a, lda, pivots, b, ldb, info.
  Routine<const Int*, const Int*, T*, const Int*, Int*, T*, const Int*, Int*> gesv;
  // The arguments are n, a, lda, pivots, work, lwork, info.
  Routine<const Int*, T*, const Int*, const Int*, T*, const Int*, Int*> getri;
  // The arguments are uplo, n, a, lda, info.
  Routine<const char*, const Int*, T*, const Int*, Int*, StringLength> potrf;
  // The arguments are uplo, n, right-hand sides, a, lda, b, ldb, info.
  Routine<const char*, const Int*, const Int*, const T*, const Int*, T*, const Int*, Int*, StringLength> potrs;
  // The arguments are m, n, a, lda, tau, work, lwork, info.
  Routine<const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*> geqrf;
  // The arguments are m, n, k, a, lda, tau, work, lwork, info. The routine's name is ungqr if T is complex.
  Routine<const Int*, const Int*, const Int*, T*, const Int*, const T*, T*, const Int*, Int*> orgqr;
  // The arguments are uplo, trans, diag, n, right-hand sides, a, lda, b, ldb, info.
  Routine<const char*, const char*, const char*, const Int*, const Int*, const T*, const Int*, T*, const Int*, Int*,
          StringLength, StringLength, StringLength>
      trtrs;
};

// Returns a number in the form in which cblas routines accept factors. x must live until the end of the call.
template <class T>
typename CommonRoutines<T>::Factor as_factor(const T& x) {
  if constexpr (is_complex_number<T>) {
    return &x;
  } else {
    return x;
  }
}

template <class T>
struct Routines : CommonRoutines<T> {
  // The arguments are n, x, increment, y, increment.
  T (*dot)(Int, const T*, Int, const T*, Int);
  // The arguments are jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info.
  Routine<const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, T*, const Int*, T*, const Int*, Int*,
          Int*, StringLength>
      gesdd;
  // The arguments are jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info.
  Routine<const char*, const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, T*, const Int*, T*,
          const Int*, Int*, StringLength, StringLength>
      gesvd;
  // The arguments are m, n, right-hand sides, a, lda, b, ldb, s, rcond, rank, work, lwork, iwork, info.
  Routine<const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*, T*, const T*, Int*, T*, const Int*, Int*,
          Int*>
      gelsd;
  // The arguments are jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info. The routine's name is heevd if T is
  // complex.
  Routine<const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, Int*, const Int*, Int*,
          StringLength, StringLength>
      syevd;
  // The arguments are jobvl, jobvr, n, a, lda, real parts, imaginary parts, vl, ldvl, vr, ldvr, work, lwork, info.
  Routine<const char*, const char*, const Int*, T*, const Int*, T*, T*, T*, const Int*, T*, const Int*, T*, const Int*,
          Int*, StringLength, StringLength>
      geev;
};

// Complex routines have one more argument, a real work space after the complex work space.
template <class T>
struct Routines<std::complex<T>> : CommonRoutines<std::complex<T>> {
  using C = std::complex<T>;
  // The arguments are n, x, increment, y, increment, result. The results are the sums of x y and of conj(x) y.
  Routine<Int, const C*, Int, const C*, Int, C*> dotu;
  Routine<Int, const C*, Int, const C*, Int, C*> dotc;
  Routine<const char*, const Int*, const Int*, C*, const Int*, T*, C*, const Int*, C*, const Int*, C*, const Int*, T*,
          Int*, Int*, StringLength>
      gesdd;
  Routine<const char*, const char*, const Int*, const Int*, C*, const Int*, T*, C*, const Int*, C*, const Int*, C*,
          const Int*, T*, Int*, StringLength, StringLength>
      gesvd;
  Routine<const Int*, const Int*, const Int*, C*, const Int*, C*, const Int*, T*, const T*, Int*, C*, const Int*, T*,
          Int*, Int*>
      gelsd;
  // The last arguments are work, lwork, rwork, lrwork, iwork, liwork, info.
  Routine<const char*, const char*, const Int*, C*, const Int*, T*, C*, const Int*, T*, const Int*, Int*, const Int*,
          Int*, StringLength, StringLength>
      syevd;
  // The arguments are jobvl, jobvr, n, a, lda, w, vl, ldvl, vr, ldvr, work, lwork, rwork, info.
  Routine<const char*, const char*, const Int*, C*, const Int*, C*, C*, const Int*, C*, const Int*, C*, const Int*, T*,
          Int*, StringLength, StringLength>
      geev;
};

}  // namespace suanzi::blas
