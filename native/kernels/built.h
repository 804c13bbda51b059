// The kernels that were built, as libsuanzi has them: it holds those of every level, and Python's module asks it for
// them, so that an installation has them once.
//
// The rest of the core is in both, each with its own threads and memory.
#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace suanzi {

struct BuiltLevel {
  const char* name;
  const KernelTable& (*table)();  // code of the level: only a machine that runs it may call
};

// Products by an instruction that only some processors have, or the level's own, which have its name. Null: it has none
// of the kind.
struct BuiltProducts {
  const char* name;
  const char* level;  // with whose other kernels they are used; "any" for those of tests
  const ByteKernels* bytes;
  const Bfloat16Gemm* bfloat16;
};

struct BuiltKernels {
  const char* headers;       // a hash of the headers by which the kernels are called
  const BuiltLevel* levels;  // the best one last
  int level_count;
  const BuiltProducts* products;  // the best ones last
  int product_count;
};

[[gnu::visibility("default")]] const BuiltKernels& built_kernels();

// The products by special instructions that this machine runs: SUANZI_SIMD may name them instead of a level.
std::vector<const BuiltProducts*> available_products();

}  // namespace suanzi
