// AVX-512 with products of tiles of bytes and of bfloat16 numbers (AMX), for the families of kernels that are faster
// with these products. simd/tiles.h describes each function.
#pragma once

#include "simd/arch/avx512_vnni.h"
#include "simd/arch/tile_shapes.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Avx512Amx : Avx512Vnni {};

// The code contains the instructions for tiles as assembler. GCC's intrinsics do not declare to the compiler which
// memory the instructions read, and do not accept constants from templates.
inline void shape_tiles(Avx512Amx, const TileShapes& shapes) { asm volatile("ldtilecfg %0" : : "m"(shapes)); }
inline void release_tiles(Avx512Amx) { asm volatile("tilerelease"); }

template <int Tile>
SUANZI_INLINE void clear_tile(Avx512Amx) {
  asm volatile("tilezero %%tmm%c0" : : "i"(Tile));
}
template <int Tile>
SUANZI_INLINE void load_tile(Avx512Amx, const void* rows, int64_t step) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(rows), "r"(step), "i"(Tile) : "memory");
}
template <int Tile>
SUANZI_INLINE void store_tile(Avx512Amx, void* rows, int64_t step) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(rows), "r"(step), "i"(Tile) : "memory");
}

// The last operand of the instruction is the sums, and the operand before the sums is A.
#define SUANZI_TILE_PRODUCT(instruction) \
  asm volatile(instruction " %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(A), "i"(B))
template <int Sums, int A, int B, bool a_signed, bool b_signed>
SUANZI_INLINE void add_byte_products(Avx512Amx) {
  if constexpr (a_signed && b_signed) SUANZI_TILE_PRODUCT("tdpbssd");
  if constexpr (a_signed && !b_signed) SUANZI_TILE_PRODUCT("tdpbsud");
  if constexpr (!a_signed && b_signed) SUANZI_TILE_PRODUCT("tdpbusd");
  if constexpr (!a_signed && !b_signed) SUANZI_TILE_PRODUCT("tdpbuud");
}
template <int Sums, int A, int B>
SUANZI_INLINE void add_bfloat16_products(Avx512Amx) {
  SUANZI_TILE_PRODUCT("tdpbf16ps");
}
#undef SUANZI_TILE_PRODUCT

}  // namespace suanzi::SUANZI_LEVEL::arch
