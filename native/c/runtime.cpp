// The functions of suanzi/runtime.h, and the search for the BLAS library in processes without Python.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "c/handle.h"
#include "runtime/allocator.h"
#include "runtime/library.h"
#include "runtime/threads.h"

namespace suanzi::c {
namespace {

std::mutex path_mutex;
std::string given_path;  // the path from suanzi_set_blas

// Returns the location of a BLAS library, and the library's kind. The kind follows from the file name, because SciPy's
// wheel and some systems' packages decorate the names of symbols.
blas::Location location_of(const std::string& path) {
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  const auto has = [&](std::string_view part) { return file.find(part) != std::string_view::npos; };
  return {has("mkl") ? "mkl" : has("scipy_openblas") ? "openblas" : has("64_") ? "openblas64_" : "openblas64", path};
}

// Returns the folder that contains the installed package suanzi, or an empty string if the system does not report the
// path of libsuanzi. libsuanzi is in the subfolder suanzi/lib, and the packages of other wheels are beside the folder
// suanzi.
std::string packages_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&suanzi_set_blas), &info) || !info.dli_fname) return "";
  char* const resolved = realpath(info.dli_fname, nullptr);
  std::string path = resolved ? resolved : "";
  std::free(resolved);
  for (int level = 0; level < 3 && !path.empty(); ++level) path.erase(std::min(path.rfind('/'), path.size()));
  return path;
}

std::string first_that_exists(const std::string& folder) {
  if (folder.empty()) return "";
  const char* const only = std::getenv("SUANZI_BLAS");
  const std::string_view wanted = only ? only : "";
  if (!wanted.empty() && wanted != "mkl" && wanted != "openblas")
    fail(suanzi::Status::invalid_argument, "SUANZI_BLAS: '", wanted, "' is not one of mkl, openblas");
  for (const auto& [kind, file] : {std::pair{"mkl", "/../../libmkl_rt.so.2"},
                                   std::pair{"openblas", "/scipy_openblas64/lib/libscipy_openblas64_.so"}}) {
    const std::string path = folder + file;
    if ((wanted.empty() || wanted == kind) && access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

// Returns the file name of an OpenBLAS library that the system's loader finds without a folder, or an empty string if
// the loader finds none of the known names.
std::string of_the_system() {
  for (const char* const name : {"libscipy_openblas64_.so", "libopenblas64_.so.0", "libopenblas64.so.0"})
    if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      dlclose(found);
      return name;
    }
  return "";
}

blas::Location locate() {
  {
    const std::lock_guard lock(path_mutex);
    if (!given_path.empty()) return location_of(given_path);
  }
  if (const char* const path = std::getenv("SUANZI_BLAS_PATH"); path && *path) return location_of(path);
  for (const std::string& path : {first_that_exists(packages_folder()), of_the_system()})
    if (!path.empty()) return location_of(path);
  fail(Status::internal_error,
       "BLAS: no OpenBLAS with 64-bit integers was found; pip install scipy-openblas64 beside suanzi, or name the "
       "library in SUANZI_BLAS_PATH");
}

[[maybe_unused]] const bool registered = (blas::set_locator([](blas::Found found) { found(locate()); }), true);

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

SuanziStatus suanzi_set_num_threads(int32_t count) {
  return guarded([&] { suanzi::set_num_threads(count); });
}

SuanziStatus suanzi_num_threads(int32_t* count) {
  return tell("num_threads", count, [&] { return suanzi::num_threads(); });
}

SuanziStatus suanzi_memory(int64_t* in_use, int64_t* cached) {
  return guarded([&] {
    const suanzi::MemoryStatistics statistics = suanzi::memory_statistics();
    if (in_use) *in_use = statistics.in_use;
    if (cached) *cached = statistics.cached;
  });
}

SuanziStatus suanzi_release_memory(void) {
  return guarded([&] { suanzi::release_cached(); });
}

SuanziStatus suanzi_set_blas(const char* path) {
  constexpr const char* op = "set_blas";
  return guarded([&] {
    require(op, "the path", path);
    if (suanzi::blas::is_loaded()) fail(suanzi::Status::invalid_argument, op, ": a library has been loaded already");
    const std::lock_guard lock(path_mutex);
    given_path = path;
  });
}
}
