// The BLAS and LAPACK library of this process, as a table of function pointers. The first use finds and loads the BLAS
// library.
//
// operators/linalg/library.py finds the BLAS library for the Python module, and c/runtime.cpp finds the BLAS library
// for the C interface. The environment variable SUANZI_BLAS selects MKL or OpenBLAS. Without this variable, the BLAS
// library is MKL if MKL is installed, and OpenBLAS otherwise. For the C interface, suanzi_set_blas and the variable
// SUANZI_BLAS_PATH name a file and have precedence.
#pragma once

#include <string>

#include "runtime/routines.h"

namespace suanzi::blas {

struct Library {
  std::string name;     // "OpenBLAS" or "MKL"
  std::string version;  // the version in the library's own words
  std::string path;
  int64_t small_order = 0;  // the greatest order of matrices for which our kernels in narrow registers are faster
  Routines<float> s;
  Routines<double> d;
  Routines<std::complex<float>> c;
  Routines<std::complex<double>> z;
  // `set_threads` sets the number of threads that the BLAS library may use in the whole process. If `set_threads` is
  // null, `set_own_threads` sets the number for the calling thread and returns the previous number.
  void (*set_threads)(int) = nullptr;
  int (*set_own_threads)(int) = nullptr;

  template <class T>
  const Routines<T>& routines() const {
    if constexpr (std::is_same_v<T, float>) return s;
    if constexpr (std::is_same_v<T, double>) return d;
    if constexpr (std::is_same_v<T, std::complex<float>>) return c;
    if constexpr (std::is_same_v<T, std::complex<double>>) return z;
  }
};

// The location of a BLAS library on disk, and the form of its symbols, as a key of the table in library.cpp.
struct Location {
  std::string kind;  // "openblas" (SciPy's wheel), "openblas64_", "openblas64" (system packages) or "mkl"
  std::string path;
};

// Sets the function that finds the BLAS library. `locate` calls `found` with the location, and `found` loads the
// library. The first use of the BLAS library calls `locate` in any thread, while the thread holds no lock of Suanzi.
// Several threads may run `locate` at once. A process must not fork while `found` runs. The child would contain a
// partly loaded OpenBLAS, and the parent would lose the threads that OpenBLAS has just started. Therefore Python's
// locator, like os.fork, holds the interpreter's lock.
using Found = void (*)(const Location&);
void set_locator(void (*locate)(Found found));

// Returns the BLAS library, which the first call loads. Throws INTERNAL_ERROR if no BLAS library is found, or if the
// BLAS library does not load or lacks a routine.
const Library& library();
bool is_loaded();

// A scope for calls of the BLAS library. The scope sets the number of threads that the BLAS library may use. OpenBLAS
// has one number of threads for the process. A caller that needs another number therefore waits until no thread is
// inside the BLAS library, and scopes of this class must not be nested. Tasks of a parallel_for within one scope call
// enter_task().
class Session {
 public:
  explicit Session(int threads);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void enter_task() const {
    if (library_.set_own_threads) library_.set_own_threads(threads_);
  }
  template <class T>
  const Routines<T>& routines() const {
    return library_.routines<T>();
  }

 private:
  const Library& library_;
  int threads_;
  int before_ = 0;
};

}  // namespace suanzi::blas
