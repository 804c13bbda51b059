// The kernels of kernels/bfloat16_gemm.h, compiled for the one level that has the instruction.
#include "kernels/bfloat16_gemm.h"

#include "simd/bfloat16.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int lanes = vector_bytes / 4;
using Sums = Vec<float, lanes>;
using Pairs = Vec<uint32_t, lanes>;
using Halves = Vec<uint16_t, 2 * lanes>;

// All sums of a tile stay in registers: 12 × 2 of the 32. Its part of a panel of B stays in the L1 cache.
constexpr int tile_rows = 12;
constexpr int tile_vectors = 2;
constexpr int tile_columns = tile_vectors * lanes;
constexpr int64_t block_pairs = 256;

template <int N>
SUANZI_INLINE Mask<2, N> is_subnormal(Vec<uint16_t, N> x) {
  return (x & Vec<uint16_t, N>(0x7fff)) - Vec<uint16_t, N>(1) < Vec<uint16_t, N>(0x7f);
}

// Each row or column is contiguous.
template <int Width>
SUANZI_INLINE bool pack_along(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step) {
  Mask<2, 2 * lanes> subnormal{};
  for (int64_t first = 0; first < k; first += 2 * lanes, panel += lanes * Width) {
    const int elements = static_cast<int>(k - first < 2 * lanes ? k - first : 2 * lanes), pairs = (elements + 1) / 2;
    for (int offset = 0; offset < Width; offset += lanes) {
      constexpr int stored = Width < lanes ? Width : lanes;
      static_assert(Width % stored == 0);
      Pairs block[lanes];
      for (int i = 0; i < lanes; ++i) {
        const bool exists = offset + i < count;
        const Halves halves =
            Halves::load_first(exists ? source + (offset + i) * step + first : source, exists ? elements : 0, 0);
        subnormal = subnormal | is_subnormal(halves);
        block[i] = bit_cast<uint32_t>(halves);
      }
      interleave_all(block);  // their transpose
      for (int p = 0; p < pairs; ++p) block[p].store_first(panel + p * Width + offset, stored);
    }
  }
  return !any(subnormal);
}

// Neighbouring rows or columns are side by side: two of the summed axis's lines are interleaved.
template <int Width>
SUANZI_INLINE bool pack_across(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t k_step) {
  using Line = Vec<uint16_t, lanes>;
  Mask<2, lanes> subnormal{};
  for (int64_t p = 0; p < k; p += 2, panel += Width, source += 2 * k_step) {
    for (int i = 0; i < Width; i += lanes) {
      const int width = Width - i < lanes ? Width - i : lanes;
      const int64_t left = count - i < 0 ? 0 : count - i;
      const int here = static_cast<int>(left < width ? left : width);
      const Line lower = Line::load_first(source + i, here, uint16_t(0));
      const Line upper = p + 1 < k ? Line::load_first(source + k_step + i, here, uint16_t(0)) : Line(uint16_t(0));
      subnormal = subnormal | is_subnormal(lower) | is_subnormal(upper);
      (convert<uint32_t>(lower) | convert<uint32_t>(upper) << 16).store_first(panel + i, width);
    }
  }
  return !any(subnormal);
}

template <int Width>
bool pack(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step) {
  return k_step == 1 ? pack_along<Width>(panel, source, count, k, step)
                     : pack_across<Width>(panel, source, count, k, k_step);
}

void multiply_tile(float* c, int64_t c_row, const uint32_t* a, const uint32_t* b, int64_t pairs, bool accumulate) {
  Sums sums[tile_rows][tile_vectors];
  for (auto& row : sums)
    for (Sums& sum : row) sum = Sums(0.0f);
  for (int64_t p = 0; p < pairs; ++p, a += tile_rows, b += tile_columns) {
    Pairs column[tile_vectors];
    for (int v = 0; v < tile_vectors; ++v) column[v] = Pairs::load(b + v * lanes);
    for (int r = 0; r < tile_rows; ++r)
      for (int v = 0; v < tile_vectors; ++v) sums[r][v] = add_pair_products(sums[r][v], Pairs(a[r]), column[v]);
  }
  for (int r = 0; r < tile_rows; ++r) {
    for (int v = 0; v < tile_vectors; ++v) {
      float* const out = c + r * c_row + v * lanes;
      (accumulate ? Sums::load(out) + sums[r][v] : sums[r][v]).store(out);
    }
  }
}

void multiply(float* c, const uint32_t* a, int64_t a_panels, const uint32_t* b, int64_t b_panels, int64_t pairs) {
  const int64_t c_row = b_panels * tile_columns;
  for (int64_t p = 0; p < pairs; p += block_pairs) {
    const int64_t depth = pairs - p < block_pairs ? pairs - p : block_pairs;
    for (int64_t j = 0; j < b_panels; ++j)
      for (int64_t i = 0; i < a_panels; ++i)
        multiply_tile(c + i * tile_rows * c_row + j * tile_columns, c_row, a + (i * pairs + p) * tile_rows,
                      b + (j * pairs + p) * tile_columns, depth, p > 0);
  }
}

}  // namespace

extern const Bfloat16Gemm gemm;
const Bfloat16Gemm gemm{tile_rows, tile_columns, pack<tile_rows>, pack<tile_columns>, multiply};

}  // namespace suanzi::SUANZI_LEVEL
