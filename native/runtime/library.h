// The BLAS and LAPACK library of this process: found and loaded at first use, then one table of function pointers.
//
// Which library it is, others find: MKL where it is installed, else OpenBLAS. For the module of Python that is
// operators/linalg/library.py, for the C interface c/runtime.cpp.
#pragma once

#include <string>

#include "runtime/routines.h"

namespace suanzi::blas {

struct Library {
  std::string name;     // "OpenBLAS" or "MKL"
  std::string version;  // the library's own word for it
  std::string path;
  int64_t small_order = 0;  // order of matrices up to which our kernels in narrow registers are faster
  Routines<float> s;
  Routines<double> d;
  Routines<std::complex<float>> c;
  Routines<std::complex<double>> z;
  // The number of threads that the library may use: in the whole process, or, where that is null, in the calling thread
  // alone (gives the number before).
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

// A library on disk, and how it decorates its symbols: a key of the table in library.cpp.
struct Location {
  std::string kind;  // "openblas" (the wheel of SciPy), "openblas64_", "openblas64" (systems' packages) or "mkl"
  std::string path;
};

// Says who finds the library: `locate` calls `found` with the location, which loads it. It is called before the first
// use, from any thread and without locks of ours held; several threads may be in it at once. A process must not fork
// while `found` runs: OpenBLAS would be loaded by halves in the child, and in the parent lose the threads that it has
// just made. So Python's locator holds the interpreter's lock, as os.fork does.
using Found = void (*)(const Location&);
void set_locator(void (*locate)(Found found));

// Loads on first use. INTERNAL_ERROR where no library is found, where it does not load, or where it lacks a routine.
const Library& library();
bool is_loaded();

// Calls into the library happen inside one of these, which says how many threads of its own the library may use
// meanwhile. OpenBLAS has one number for the process: who wants another number waits until nobody is inside. So they
// are not nested; the tasks of a parallel_for within one call enter_task().
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
