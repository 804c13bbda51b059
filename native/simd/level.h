// The instruction-set level that this translation unit is compiled for.
//
// Kernels and mathematical functions are compiled once per level, each time with other compiler flags and
// SUANZI_LEVEL set to the level's name, which is also the namespace that holds everything below it. Code in a level
// namespace must not call non-trivial inline functions from outside it: the linker would keep one copy of them,
// perhaps one that the running machine cannot execute.
//
// arch/target.h says what the level's instruction set can do.
#pragma once

#ifndef SUANZI_LEVEL
#error "compile with -DSUANZI_LEVEL=<name>"
#endif

#define SUANZI_INLINE inline __attribute__((always_inline))
