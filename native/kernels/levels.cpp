// The choice of an instruction-set level: which of those that were built the machine runs, which one is used.
//
// This file belongs to no level: it must not include code that is compiled per level.
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/status.h"
#include "kernels/built.h"
#include "kernels/kernel.h"
#include "runtime/machine.h"

namespace suanzi {

namespace {

bool always() { return true; }

// True if the machine can run a level.
struct Requirement {
  std::string_view level;
  bool (*met)();
};
constexpr Requirement requirements[] = {
    {"generic", always},  {"fused", runs_x86_64_v3}, {"tables", runs_x86_64_v3}, {"emulated", runs_x86_64_v3},
    {"baseline", always}, {"avx2", runs_x86_64_v3},  {"avx512", runs_x86_64_v4},
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

// A level's code is not touched unless the machine can run it. Levels for tests come before the baseline, which every
// machine has: only SUANZI_SIMD chooses them.
Levels find_levels() {
  const BuiltKernels& built = built_kernels();
  if (std::string_view(built.headers) != SUANZI_HEADERS)
    fail(Status::internal_error,
         "suanzi: libsuanzi is from another build than the module that loads it; install suanzi again");
  Levels levels;
  for (int i = 0; i < built.count; ++i)
    if (machine_runs(built.levels[i].name)) levels.add(built.levels[i].table());
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
  fail(Status::invalid_argument, "SUANZI_SIMD: '", wanted, "' is not a level of this machine, which has ", names);
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable& chosen = choose_table();
  return chosen;
}

Kernel converter(DType from, DType to) {
  return from == to ? nullptr : kernels().convert[static_cast<int>(from)][static_cast<int>(to)];
}

namespace {

struct ByteChoice {
  const ByteKernels* kernels;
  const char* instruction;
};
ByteChoice choose_byte_kernels() {
  const std::string_view level = kernels().level;
  const BuiltKernels& built = built_kernels();
  if (built.avx512_vnni && level == "avx512" && runs_avx512_vnni()) return {built.avx512_vnni, "avx512_vnni"};
  if (built.avx_vnni && level == "avx2" && runs_avx_vnni()) return {built.avx_vnni, "avx_vnni"};
  for (int i = 0; i < built.count; ++i)
    if (level == built.levels[i].name) return {built.levels[i].byte_kernels, nullptr};
  fail(Status::internal_error, "suanzi: level ", level, " has no kernels for products of bytes");
}
const ByteChoice& byte_choice() {
  static const ByteChoice chosen = choose_byte_kernels();
  return chosen;
}

}  // namespace

const ByteKernels& byte_kernels() { return *byte_choice().kernels; }
const char* byte_instruction() { return byte_choice().instruction; }

const Bfloat16Gemm* bfloat16_gemm() {
  static const bool usable = std::string_view(kernels().level) == "avx512" && runs_avx512_bf16();
  return usable ? built_kernels().bfloat16_gemm : nullptr;
}

const Level* available_levels(int& count) {
  count = levels().count;
  return levels().list;
}

}  // namespace suanzi
