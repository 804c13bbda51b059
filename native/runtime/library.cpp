#include "runtime/library.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>

#include "base/status.h"
#include "runtime/machine.h"

namespace suanzi::blas {
namespace {

// A kind of BLAS library. The struct holds the names of the library's routines with 64-bit integers (prefix +
// cblas_sgemm + suffix, prefix + sgetrf + suffix). `small_order` is the greatest order of matrices for which our
// products are faster than the library's products, as measured.
struct Naming {
  std::string_view kind, name, prefix, cblas_suffix, lapack_suffix;
  int64_t small_order;
};
constexpr Naming namings[] = {
    {"openblas", "OpenBLAS", "scipy_", "64_", "_64_", 32},
    {"openblas64_", "OpenBLAS", "", "64_", "_64_", 32},
    {"openblas64", "OpenBLAS", "", "", "_", 32},
    {"mkl", "MKL", "", "_64", "_64_", 64},
};

class Loader {
 public:
  Loader(const Naming& naming, const std::string& path)
      : naming_(naming), path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) {
      const char* why = dlerror();
      fail(Status::internal_error, "BLAS: ", path, " does not load: ", why ? why : "no reason given");
    }
  }

  template <class F>
  void find(F& function, const std::string& symbol) const {
    void* address = dlsym(handle_, symbol.c_str());
    if (!address) fail(Status::internal_error, "BLAS: ", path_, " has no symbol ", symbol);
    function = reinterpret_cast<F>(address);
  }

  template <class T>
  void fill(Routines<T>& r, char letter) const {
    const std::string l(1, letter);
    const auto cblas = [&](auto& function, const char* name, const char* end = "") {
      find(function, std::string(naming_.prefix) + "cblas_" + l + name + end + std::string(naming_.cblas_suffix));
    };
    const auto lapack = [&](auto& function, const char* name) {
      find(function, std::string(naming_.prefix) + l + name + std::string(naming_.lapack_suffix));
    };
    cblas(r.gemm, "gemm");
    cblas(r.trsm, "trsm");
    if constexpr (is_complex_number<T>) {
      cblas(r.dotu, "dotu", "_sub");
      cblas(r.dotc, "dotc", "_sub");
    } else {
      cblas(r.dot, "dot");
    }
    lapack(r.getrf, "getrf");
    lapack(r.getrs, "getrs");
    lapack(r.gesv, "gesv");
    lapack(r.getri, "getri");
    lapack(r.potrf, "potrf");
    lapack(r.potrs, "potrs");
    lapack(r.geqrf, "geqrf");
    lapack(r.orgqr, is_complex_number<T> ? "ungqr" : "orgqr");
    lapack(r.trtrs, "trtrs");
    lapack(r.gesdd, "gesdd");
    lapack(r.gesvd, "gesvd");
    lapack(r.gelsd, "gelsd");
    lapack(r.syevd, is_complex_number<T> ? "heevd" : "syevd");
    lapack(r.geev, "geev");
  }

  // fill_openblas and fill_mkl fill the members in which BLAS libraries differ. These members are the version and the
  // functions for the number of threads.
  void fill_openblas(Library& library) const {
    const auto openblas = [&](auto& function, const char* name) {
      find(function, std::string(naming_.prefix) + name + std::string(naming_.cblas_suffix));
    };
    const char* (*get_config)();
    openblas(get_config, "openblas_get_config");
    library.version = get_config();
    // If the symbols have no suffix, the symbols of an OpenBLAS with 32-bit integers have the same names.
    if (library.version.find("USE64BITINT") == std::string::npos)
      fail(Status::internal_error, "BLAS: ", path_, " (", library.version, ") has no 64-bit integers");
    openblas(library.set_threads, "openblas_set_num_threads");
  }
  void fill_mkl(Library& library) const {
    void (*get_version)(char*, int);
    find(get_version, "MKL_Get_Version_String");
    char text[200] = {};
    get_version(text, static_cast<int>(sizeof text) - 1);
    const std::string_view line(text);
    library.version = line.substr(0, line.find_last_not_of(' ') + 1);
    find(library.set_own_threads, "MKL_Set_Num_Threads_Local");
  }

 private:
  const Naming& naming_;
  const std::string& path_;
  // The BLAS library stays open, because other threads may be inside the library when the process ends.
  void* handle_;
};

const Naming& naming_of(const std::string& kind) {
  for (const Naming& naming : namings)
    if (naming.kind == kind) return naming;
  fail(Status::internal_error, "BLAS: no library of kind '", kind, "' is known");
}

std::unique_ptr<Library> load(const Location& location) {
  const Naming& naming = naming_of(location.kind);
  const Loader loader(naming, location.path);
  auto result = std::make_unique<Library>();
  result->name = naming.name;
  result->path = location.path;
  result->small_order = naming.small_order;
  loader.fill(result->s, 's');
  loader.fill(result->d, 'd');
  loader.fill(result->c, 'c');
  loader.fill(result->z, 'z');
  location.kind == "mkl" ? loader.fill_mkl(*result) : loader.fill_openblas(*result);
  return result;
}

std::atomic<void (*)(Found)> locator{nullptr};
std::atomic<const Library*> loaded{nullptr};

// The number of callers inside the BLAS library, and the number of threads that these callers have set.
struct Gate {
  std::mutex mutex, loading;
  std::condition_variable changed;
  int inside = 0;
  int threads = 0;
  int forks = 0;
  bool closed = false;

  bool admits(int wanted) const { return !closed && forks == 0 && (inside == 0 || threads == wanted); }
};
// The object is never destroyed, because threads may still be inside the BLAS library when the process ends.
alignas(Gate) std::byte gate_memory[sizeof(Gate)];
Gate* gate = new (gate_memory) Gate;

// OpenBLAS ends its threads when the process ends. One of our threads inside OpenBLAS would then wait for OpenBLAS's
// threads for ever.
void close_gate() {
  std::unique_lock lock(gate->mutex);
  gate->closed = true;
  gate->changed.wait_for(lock, std::chrono::seconds(1), [] { return gate->inside == 0; });
}

// In the child of a fork, the BLAS library is in the state in which the other threads left the library. OpenBLAS ends
// its threads at a fork, so a call in the child that needs these threads would never return.
void before_fork() {
  std::unique_lock lock(gate->mutex);
  ++gate->forks;
  gate->changed.wait(lock, [] { return gate->inside == 0; });
}
void after_fork() {
  const std::lock_guard lock(gate->mutex);
  --gate->forks;
  gate->changed.notify_all();
}
void in_child() { gate = new (gate_memory) Gate; }

// A fork first calls the handler that was registered last, so the code registers this handler after OpenBLAS's handler.
// A fork between the two registrations would end OpenBLAS's threads before our handler waits (see set_locator).
void load_once(const Location& location) {
  const std::lock_guard loading(gate->loading);
  if (is_loaded()) return;
  std::unique_ptr<Library> library = load(location);
  pthread_atfork(before_fork, after_fork, in_child);
  (void)std::atexit(close_gate);
  loaded.store(library.release(), std::memory_order_release);
}

}  // namespace

void set_locator(void (*locate)(Found)) { locator.store(locate); }

bool is_loaded() { return loaded.load(std::memory_order_acquire) != nullptr; }

const Library& library() {
  if (!is_loaded()) {
    const auto locate = locator.load();
    if (!locate) fail(Status::internal_error, "BLAS: no function was set that finds the library");
    // After a failure to find or load the BLAS library, the next caller tries again.
    locate(load_once);
  }
  return *loaded.load(std::memory_order_acquire);
}

Session::Session(int threads) : library_(library()), threads_(threads) {
  if (library_.set_own_threads) {
    before_ = library_.set_own_threads(threads);
    return;
  }
  std::unique_lock lock(gate->mutex);
  gate->changed.wait(lock, [&] { return gate->admits(threads); });
  ++gate->inside;
  if (gate->threads != threads) library_.set_threads(threads);
  gate->threads = threads;
}

Session::~Session() {
  if (library_.set_own_threads) {
    library_.set_own_threads(before_);
    return;
  }
  const std::lock_guard lock(gate->mutex);
  if (--gate->inside == 0) gate->changed.notify_all();
}

}  // namespace suanzi::blas
