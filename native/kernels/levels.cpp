// The choice of an instruction-set level: which were built, which of them the machine runs, which one is used.
//
// This file belongs to no level: it must not include code that is compiled per level.
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/status.h"
#include "kernels/kernel.h"
#include "runtime/machine.h"

namespace suanzi {

// SUANZI_LEVELS_BUILT is a list LEVEL(baseline) LEVEL(avx2) …, the best one last: CMake makes it.
#define LEVEL(name)           \
  namespace name {            \
  const KernelTable& table(); \
  }
SUANZI_LEVELS_BUILT
#undef LEVEL
#if defined(SUANZI_HAVE_AVX512_BF16)
namespace avx512_bf16 {
extern const Bfloat16Gemm gemm;
}
#endif

namespace {

bool always() { return true; }

// True if the machine can run a level.
struct Requirement {
  std::string_view level;
  bool (*met)();
};
constexpr Requirement requirements[] = {
    {"generic", always},  {"tables", runs_x86_64_v3}, {"emulated", runs_x86_64_v3},
    {"baseline", always}, {"avx2", runs_x86_64_v3},   {"avx512", runs_x86_64_v4},
};
bool machine_runs(std::string_view level) {
  for (const Requirement& r : requirements)
    if (r.level == level) return r.met();
  return false;
}

struct Levels {
  Level list[std::size(requirements)];
  int count = 0;
  void add(const KernelTable& table) { list[count++] = {table.level, &table}; }
};

// A level's code is not touched unless the machine can run it. Those for tests come before the baseline, which is
// always there: nobody gets them without asking.
Levels find_levels() {
  Levels levels;
#define LEVEL(name) \
  if (machine_runs(#name)) levels.add(name::table());
  SUANZI_LEVELS_BUILT
#undef LEVEL
  return levels;
}

const Levels& levels() {
  static const Levels found = find_levels();
  return found;
}

const KernelTable& choose_table() {
  const Levels& available = levels();
  const char* wanted = std::getenv("SUANZI_SIMD");
  if (!wanted || !*wanted) return *available.list[available.count - 1].table;
  std::string names;
  for (int i = 0; i < available.count; ++i) {
    if (std::string_view(available.list[i].name) == wanted) return *available.list[i].table;
    names.append(i ? ", " : "").append(available.list[i].name);
  }
  fail(Status::invalid_argument, "SUANZI_SIMD: '", wanted, "' is not a level that this machine has; those are ", names);
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable& chosen = choose_table();
  return chosen;
}

Kernel converter(DType from, DType to) {
  return from == to ? nullptr : kernels().convert[static_cast<int>(from)][static_cast<int>(to)];
}

const Bfloat16Gemm* bfloat16_gemm() {
#if defined(SUANZI_HAVE_AVX512_BF16)
  static const bool usable = std::string_view(kernels().level) == "avx512" && runs_avx512_bf16();
  if (usable) return &avx512_bf16::gemm;
#endif
  return nullptr;
}

const Level* available_levels(int& count) {
  count = levels().count;
  return levels().list;
}

}  // namespace suanzi
