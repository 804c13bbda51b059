// The kernels of ops/product/bfloat16.kernels.h, compiled for the one level that has the instruction.
#include "ops/product/bfloat16.kernels.h"

#include "simd/bfloat16.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int lanes = vector_bytes / 4;
using Sums = Vec<float, lanes>;
using Pairs = Vec<uint32_t, lanes>;
using Halves = Vec<uint16_t, 2 * lanes>;

// All sums of a tile stay in registers: 12 × 2 of the 32. Its part of a panel of B, 32 KiB, stays in the L1 cache or is
// read from the L2 cache as fast as it is used. The remaining rows have smaller tiles.
constexpr int tile_rows = 12;
constexpr int row_unit = 4;
constexpr int tile_vectors = 2;
constexpr int tile_columns = tile_vectors * lanes;
static_assert(tile_columns == 2 * lanes && tile_rows < lanes);
constexpr int64_t block_pairs = 256;

// True if some number was subnormal, not 0 but less than 0x80 without the sign: the upper bit of some lane says it.
template <int N>
struct Subnormals {
  using V = Vec<uint16_t, N>;
  V bits{uint16_t(0)};

  SUANZI_INLINE void note(V x) {
    const V size = x & V(0x7fff);
    bits = bits | ((size - V(0x80)) & ~(size - V(1)));
  }
  SUANZI_INLINE bool found() const { return any((bits & V(0x8000)) != V(uint16_t(0))); }
};

// Packs a pair for each lane, of as many rows or columns, transposed; with `whole` all of them are there.
template <int Width, bool whole>
SUANZI_INLINE void pack_square(uint32_t* panel, const uint16_t* source, int64_t step, int64_t count, int elements,
                               Subnormals<2 * lanes>& subnormals) {
  constexpr int stored = Width < lanes ? Width : lanes;
  static_assert(Width % stored == 0);
  Pairs block[lanes];
  for (int i = 0; i < lanes; ++i) {
    Halves halves(uint16_t{0});
    if constexpr (whole) {
      if (i < stored) halves = Halves::load(source + i * step);
    } else {
      if (i < count) halves = Halves::load_first(source + i * step, elements, 0);
    }
    subnormals.note(halves);
    block[i] = bit_cast<uint32_t>(halves);
  }
  interleave_all(block);
  for (int p = 0; p < (whole ? lanes : (elements + 1) / 2); ++p) block[p].store_first(panel + p * Width, stored);
}

// Each row or column is contiguous.
template <int Width>
SUANZI_INLINE bool pack_along(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step) {
  constexpr int stored = Width < lanes ? Width : lanes;
  Subnormals<2 * lanes> subnormals;
  for (int64_t first = 0; first < k; first += 2 * lanes, panel += lanes * Width) {
    const int elements = static_cast<int>(k - first < 2 * lanes ? k - first : 2 * lanes);
    for (int offset = 0; offset < Width; offset += lanes) {
      const int64_t left = count - offset;
      const uint16_t* const from = source + (left > 0 ? offset * step + first : 0);
      if (left >= stored && elements == 2 * lanes) {
        pack_square<Width, true>(panel + offset, from, step, left, elements, subnormals);
      } else {
        pack_square<Width, false>(panel + offset, from, step, left, elements, subnormals);
      }
    }
  }
  return !subnormals.found();
}

// Neighbouring rows or columns are side by side: two of the summed axis's lines are interleaved.
template <int Width>
SUANZI_INLINE bool pack_across(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t k_step) {
  Subnormals<2 * lanes> subnormals;
  const auto pack_lines = [&](auto load) __attribute__((always_inline)) {
    for (int64_t p = 0; p < k; p += 2, panel += Width, source += 2 * k_step) {
      for (int i = 0; i < Width; i += 2 * lanes) {
        const Halves lower = load(source + i, i),
                     upper = p + 1 < k ? load(source + k_step + i, i) : Halves(uint16_t{0});
        subnormals.note(lower);
        subnormals.note(upper);
        constexpr int first = Width < lanes ? Width : lanes;
        bit_cast<uint32_t>(interleave<0>(lower, upper)).store_first(panel + i, first);
        if constexpr (Width > lanes) bit_cast<uint32_t>(interleave<1>(lower, upper)).store(panel + i + lanes);
      }
    }
  };
  if (Width % (2 * lanes) == 0 && count == Width) {
    pack_lines([](const uint16_t* p, int) __attribute__((always_inline)) { return Halves::load(p); });
  } else {
    pack_lines([&](const uint16_t* p, int i) __attribute__((always_inline)) {
      const int64_t left = count - i;
      return Halves::load_first(p, static_cast<int>(left < 2 * lanes ? left : 2 * lanes), uint16_t{0});
    });
  }
  return !subnormals.found();
}

template <int Width>
bool pack(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step) {
  return k_step == 1 ? pack_along<Width>(panel, source, count, k, step)
                     : pack_across<Width>(panel, source, count, k, k_step);
}

bool are_normal(const uint16_t* source, int64_t count, int64_t k, int64_t step) {
  Subnormals<2 * lanes> subnormals;
  for (int64_t i = 0; i < count; ++i, source += step) {
    int64_t first = 0;
    for (; first + 2 * lanes <= k; first += 2 * lanes) subnormals.note(Halves::load(source + first));
    if (first < k) subnormals.note(Halves::load_first(source + first, static_cast<int>(k - first), 0));
  }
  return !subnormals.found();
}

// The distance of a row's pair from that of row 0.
template <bool packed>
SUANZI_INLINE Pairs pair_of_row(const std::byte* a, int row, int64_t step) {
  uint32_t pair;
  __builtin_memcpy(&pair, a + row * (packed ? static_cast<int64_t>(sizeof(pair)) : step), sizeof(pair));
  return Pairs(pair);
}

template <int Rows, bool packed>
SUANZI_INLINE void multiply_tile(float* c, int64_t c_row, const std::byte* a, int64_t a_step, const uint32_t* b,
                                 int64_t pairs, bool accumulate) {
  constexpr int64_t next_pair = (packed ? tile_rows : 1) * static_cast<int64_t>(sizeof(uint32_t));
  Sums sums[Rows][tile_vectors];
  for (auto& row : sums)
    for (Sums& sum : row) sum = Sums(0.0f);
  for (int64_t p = 0; p < pairs; ++p, a += next_pair, b += tile_columns) {
    Pairs column[tile_vectors];
    for (int v = 0; v < tile_vectors; ++v) column[v] = Pairs::load(b + v * lanes);
    for (int r = 0; r < Rows; ++r) {
      const Pairs row = pair_of_row<packed>(a, r, a_step);
      for (int v = 0; v < tile_vectors; ++v) sums[r][v] = add_pair_products(sums[r][v], row, column[v]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < tile_vectors; ++v) {
      float* const out = c + r * c_row + v * lanes;
      (accumulate ? Sums::load(out) + sums[r][v] : sums[r][v]).store(out);
    }
  }
}

template <bool packed>
SUANZI_INLINE void multiply_as(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels,
                               int64_t pairs) {
  constexpr int64_t bytes = sizeof(uint32_t);
  const int64_t c_row = b_panels * tile_columns;
  for (int64_t p = 0; p < pairs; p += block_pairs) {
    const int64_t depth = pairs - p < block_pairs ? pairs - p : block_pairs;
    for (int64_t j = 0; j < b_panels; ++j) {
      for (int64_t i = 0; i < rows; i += tile_rows) {
        const std::byte* const from =
            packed ? a.first + (i * pairs + p * tile_rows) * bytes : a.first + i * a.step + p * bytes;
        const uint32_t* const panel = b + (j * pairs + p) * tile_columns;
        float* const to = c + i * c_row + j * tile_columns;
        if (rows - i > 2 * row_unit) {
          multiply_tile<tile_rows, packed>(to, c_row, from, a.step, panel, depth, p > 0);
        } else if (rows - i > row_unit) {
          multiply_tile<2 * row_unit, packed>(to, c_row, from, a.step, panel, depth, p > 0);
        } else {
          multiply_tile<row_unit, packed>(to, c_row, from, a.step, panel, depth, p > 0);
        }
      }
    }
  }
}

void multiply(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs) {
  if (a.packed) {
    multiply_as<true>(c, a, rows, b, b_panels, pairs);
  } else {
    multiply_as<false>(c, a, rows, b, b_panels, pairs);
  }
}

}  // namespace

extern const Bfloat16Gemm gemm;
const Bfloat16Gemm gemm{tile_rows, tile_columns, row_unit, pack<tile_rows>, pack<tile_columns>, are_normal, multiply};

}  // namespace suanzi::SUANZI_LEVEL
