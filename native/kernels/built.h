// libsuanzi contains the kernels of every level. The Python module calls libsuanzi to find these kernels, so an
// installation has only one copy of the kernels.
//
// libsuanzi and the module both contain the rest of the core, and each of the two has its own threads and memory.
#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace suanzi {

struct BuiltLevel {
  const char* name;
  // This function is code of the level, so only a machine that runs the level may call the function.
  const KernelTable& (*table)();
};

// Kernels of products. These kernels use an instruction that only some processors of the level have, or are the level's
// own kernels and have the level's name. A null pointer means that kernels of the pointer's kind do not exist.
struct BuiltProducts {
  const char* name;
  const char* level;  // the level whose other kernels run beside these kernels, or "any" for test products
  const ByteKernels* bytes;
  const Bfloat16Gemm* bfloat16;
};

struct BuiltKernels {
  const char* headers;       // a hash of the headers that declare the kernels
  const BuiltLevel* levels;  // the levels, whose last level is the best
  int level_count;
  const BuiltProducts* products;  // the products, whose last entry is the best
  int product_count;
};

[[gnu::visibility("default")]] const BuiltKernels& built_kernels();

// Returns the kernels of products whose special instructions this machine has. SUANZI_SIMD may name products with a
// special instruction instead of a level.
std::vector<const BuiltProducts*> available_products();

// Returns the name of the best level (AVX-512 or AVX2) that this machine runs, if the build lacks this level.
// Otherwise, the function returns null.
const char* missing_level();

}  // namespace suanzi
