// Chooses the instruction-set level of the kernels among the built levels that the machine runs.
//
// The file belongs to no level, so it must not include code that is compiled for each level.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string_view>

#include "base/status.h"
#include "kernels/built.h"
#include "kernels/kernel.h"
#include "runtime/machine.h"

namespace suanzi {

namespace {

bool always() { return true; }

// The condition under which the machine runs the level, or the instruction for products, that `name` names.
struct Requirement {
  std::string_view name;
  bool (*met)();
};
constexpr Requirement requirements[] = {
    {"generic", always},
    {"fused", runs_x86_64_v3},
    {"tables", runs_x86_64_v3},
    {"emulated", runs_x86_64_v3},
    {"baseline", always},
    {"avx2", runs_x86_64_v3},
    {"avx512", runs_x86_64_v4},
    {"emulated_vnni", runs_x86_64_v3},
    {"emulated_bf16", runs_x86_64_v3},
    {"emulated_amx", runs_x86_64_v3},
    {"avx_vnni", runs_avx_vnni},
    {"avx512_bf16", runs_avx512_bf16},
    {"avx512_vnni", runs_avx512_vnni},
    {"avx512_amx", runs_avx512_amx},
    {"emulated_mmla", runs_x86_64_v3},
    {"neon_dot", runs_neon_dot},
    {"neon_mmla", runs_neon_mmla},
};
bool machine_runs(std::string_view name) {
  for (const Requirement& r : requirements)
    if (r.name == name) return r.met();
  return false;
}

struct Levels {
  Level list[std::size(requirements)];
  int count = 0;
  void add(const KernelTable& table) { list[count++] = {table.level, &table}; }
};

// Returns the built levels that the machine can run. Only code of these levels may run on the machine. Test levels
// precede the baseline, which every machine has, so only SUANZI_SIMD chooses test levels.
Levels find_levels() {
  const BuiltKernels& built = built_kernels();
  if (std::string_view(built.headers) != SUANZI_HEADERS)
    fail(Status::internal_error,
         "suanzi: libsuanzi is from another build than the module that loads it; install suanzi again");
  Levels levels;
  for (int i = 0; i < built.level_count; ++i)
    if (machine_runs(built.levels[i].name)) levels.add(built.levels[i].table());
  return levels;
}

const Levels& levels() {
  static const Levels found = find_levels();
  return found;
}

std::string_view wanted_name() {
  const char* const wanted = std::getenv("SUANZI_SIMD");
  return wanted ? wanted : "";
}

std::span<const BuiltProducts> built_products() {
  const BuiltKernels& built = built_kernels();
  return {built.products, static_cast<size_t>(built.product_count)};
}
// Returns true if the kernels use an instruction that only some of the processors of the kernels' level have.
bool are_special(const BuiltProducts& products) { return std::string_view(products.name) != products.level; }

// Returns the products that SUANZI_SIMD names instead of a level, or null if SUANZI_SIMD names no products that the
// machine runs.
const BuiltProducts* wanted_products() {
  for (const BuiltProducts& products : built_products())
    if (are_special(products) && products.name == wanted_name() && machine_runs(products.name)) return &products;
  return nullptr;
}

const KernelTable& choose_table() {
  const Levels& available = levels();
  const KernelTable& best = *available.list[available.count - 1].table;
  const BuiltProducts* const products = wanted_products();
  const std::string_view wanted = products ? products->level : wanted_name();
  if (wanted.empty() || (products && wanted == "any")) return best;
  std::string names;
  for (int i = 0; i < available.count; ++i) {
    if (available.list[i].name == wanted) return *available.list[i].table;
    names.append(i ? ", " : "").append(available.list[i].name);
  }
  for (const BuiltProducts* others : available_products()) names.append(", ").append(others->name);
  fail(Status::invalid_argument, "SUANZI_SIMD: '", wanted, "' is not a level of this machine, which has ", names);
}

}  // namespace

std::vector<const BuiltProducts*> available_products() {
  std::vector<const BuiltProducts*> available;
  for (const BuiltProducts& products : built_products())
    if (are_special(products) && machine_runs(products.name)) available.push_back(&products);
  return available;
}

const KernelTable& kernels() {
  static const KernelTable& chosen = choose_table();
  return chosen;
}

Kernel converter(DType from, DType to) {
  return from == to ? nullptr : kernels().convert[static_cast<int>(from)][static_cast<int>(to)];
}

namespace {

// Returns the products in use among the products that have kernels of `kind`. These products are the products that
// SUANZI_SIMD names, or the level's own products. If SUANZI_SIMD is not set, the function returns the best products
// that the level and the machine have.
template <class Kernels>
const BuiltProducts* choose_products(const Kernels* BuiltProducts::* kind) {
  const BuiltProducts *const wanted = wanted_products(), *chosen = nullptr;
  for (const BuiltProducts& products : built_products()) {
    const bool of_level = kernels().level == std::string_view(products.level);
    const bool usable = !are_special(products) ? of_level
                        : wanted               ? &products == wanted
                                               : of_level && machine_runs(products.name);
    if (products.*kind && usable) chosen = &products;
  }
  return chosen;
}
const BuiltProducts* byte_products() {
  static const BuiltProducts* const chosen = choose_products(&BuiltProducts::bytes);
  return chosen;
}
const BuiltProducts* bfloat16_products() {
  static const BuiltProducts* const chosen = choose_products(&BuiltProducts::bfloat16);
  return chosen;
}
const char* instruction_of(const BuiltProducts* products) {
  return products && are_special(*products) ? products->name : nullptr;
}

}  // namespace

const ByteKernels& byte_kernels() { return *byte_products()->bytes; }
const char* byte_instruction() { return instruction_of(byte_products()); }

const Bfloat16Gemm* bfloat16_gemm() {
  const BuiltProducts* const products = bfloat16_products();
  return products ? products->bfloat16 : nullptr;
}
const char* bfloat16_instruction() { return instruction_of(bfloat16_products()); }

const char* missing_level() {
  const Levels& available = levels();
  for (const char* const name : {"avx512", "avx2"}) {
    const auto same = [name](const Level& level) { return level.name == std::string_view(name); };
    if (std::any_of(available.list, available.list + available.count, same)) return nullptr;
    if (machine_runs(name)) return name;
  }
  return nullptr;
}

const Level* available_levels(int& count) {
  count = levels().count;
  return levels().list;
}

}  // namespace suanzi
