// The kernels that were built, as libsuanzi has them: it holds those of every level, and Python's module asks it for
// them, so that an installation has them once.
//
// The rest of the core is in both, each with its own threads and memory.
#pragma once

#include "kernels/kernel.h"

namespace suanzi {

struct BuiltLevel {
  const char* name;
  const KernelTable& (*table)();  // code of the level: only a machine that runs it may call
  const ByteKernels* byte_kernels;
};

struct BuiltKernels {
  const char* headers;       // a hash of the headers by which the kernels are called
  const BuiltLevel* levels;  // the best one last
  int count;
  // Kernels with instructions that only some of a level's processors have; null if they were not built.
  const Bfloat16Gemm* bfloat16_gemm;
  const ByteKernels* avx512_vnni;
  const ByteKernels* avx_vnni;
  const ByteKernels* neon_dot;
};

[[gnu::visibility("default")]] const BuiltKernels& built_kernels();

}  // namespace suanzi
