// The instruction-set level for which this translation unit is compiled.
//
// Kernels and mathematical functions are compiled once for each level, each time with other compiler flags.
// SUANZI_LEVEL is the level's name, which is also the namespace of the compiled code. Code in a level namespace must
// not call non-trivial inline functions from outside the namespace. The linker would keep one copy of an inline
// function, perhaps a copy that the running machine cannot execute.
//
// arch/target.h chooses the type that describes the level's instruction set.
#pragma once

#ifndef SUANZI_LEVEL
#error "compile with -DSUANZI_LEVEL=<name>"
#endif

#define SUANZI_INLINE inline __attribute__((always_inline))
