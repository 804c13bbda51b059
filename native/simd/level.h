// The instruction-set level that this translation unit is compiled for.
//
// Kernels and mathematical functions are compiled once per level, each time with other compiler flags and
// SUANZI_LEVEL set to the level's name, which is also the namespace that holds everything below it. Code in a level
// namespace must not call non-trivial inline functions from outside it: the linker would keep one copy of them,
// perhaps one that the running machine cannot execute.
#pragma once

#ifndef SUANZI_LEVEL
#error "compile with -DSUANZI_LEVEL=<name>"
#endif

#define SUANZI_INLINE inline __attribute__((always_inline))

namespace suanzi::SUANZI_LEVEL {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr bool has_fma = true;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr bool has_fma = true;
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16;
inline constexpr bool has_fma = true;
#else
inline constexpr int vector_bytes = 16;
inline constexpr bool has_fma = false;
#endif

#if defined(__AVX512F__)
inline constexpr bool has_avx512 = true;
#else
inline constexpr bool has_avx512 = false;
#endif
#if defined(__AVX2__)
inline constexpr bool has_avx2 = true;
#else
inline constexpr bool has_avx2 = false;
#endif

}  // namespace suanzi::SUANZI_LEVEL
