// The kernels of every level, which libsuanzi contains. Python's module asks libsuanzi for these kernels, so that an
// installation has only one copy of them.
//
// The rest of the core is in both libraries, each with its own threads and memory.
#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace suanzi {

struct BuiltLevel {
  const char* name;
  // this function is code of the level, so only a machine that runs the level may call it
  const KernelTable& (*table)();
};

// Kernels of products: kernels that use an instruction which only some processors of the level have, or the level's own
// kernels, which have the level's name. A pointer is null if there is no kernel of its kind.
struct BuiltProducts {
  const char* name;
  const char* level;  // the level whose other kernels are used beside these, or "any" for test products
  const ByteKernels* bytes;
  const Bfloat16Gemm* bfloat16;
};

struct BuiltKernels {
  const char* headers;       // a hash of the headers that declare the kernels
  const BuiltLevel* levels;  // the best level is the last
  int level_count;
  const BuiltProducts* products;  // the best products are the last
  int product_count;
};

[[gnu::visibility("default")]] const BuiltKernels& built_kernels();

// Returns the products by special instructions that this machine runs; SUANZI_SIMD may name them instead of a level.
std::vector<const BuiltProducts*> available_products();

// Returns the name of the best level (AVX-512 or AVX2) that this machine runs, if that level was not built; else
// returns null.
const char* missing_level();

}  // namespace suanzi
