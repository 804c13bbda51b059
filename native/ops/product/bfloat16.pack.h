// Packing of bfloat16 matrices, and the search for subnormal numbers, for all kernels of
// ops/product/bfloat16.kernels.h. The functions that pack elements return false if an element is subnormal.
#pragma once

#include <cstring>

#include "ops/product/bfloat16.kernels.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int lanes = vector_bytes / 4;
using Pairs = Vec<uint32_t, lanes>;
using Halves = Vec<uint16_t, 2 * lanes>;

// Records whether any number was subnormal. The bits of a subnormal number, without the sign, are greater than 0 and
// less than 0x80. The top bit of a lane is set if a number in that lane was subnormal.
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

// Transposes a block of at most `lanes` rows (or columns), each with at most `lanes` pairs of neighbouring elements,
// and stores the transposed block in a panel. If `whole` is true, the block has at least min(Width, lanes) rows (or
// columns), and each of them has exactly `lanes` pairs.
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

// Packs rows or columns whose elements are contiguous in memory.
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

// Packs rows or columns whose elements with the same index are neighbours in memory. These elements form a line. The
// function interleaves each pair of neighbouring lines.
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

inline bool are_normal(const uint16_t* source, int64_t count, int64_t k, int64_t step) {
  Subnormals<2 * lanes> subnormals;
  for (int64_t i = 0; i < count; ++i, source += step) {
    int64_t first = 0;
    for (; first + 2 * lanes <= k; first += 2 * lanes) subnormals.note(Halves::load(source + first));
    if (first < k) subnormals.note(Halves::load_first(source + first, static_cast<int>(k - first), 0));
  }
  return !subnormals.found();
}

// --- panels of 2 * lanes rows of A, one row after the other, and panels of 2 * lanes columns of B ---

inline constexpr int panel_entries = 2 * lanes;

// Packs rows whose elements are contiguous in memory. The function pads each row with zeros to whole vectors.
inline bool pack_rows_along(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t step) {
  Subnormals<2 * lanes> subnormals;
  for (int64_t r = 0; r < count; ++r, source += step) {
    for (int64_t first = 0; first < k; first += 2 * lanes, words += lanes) {
      const auto elements = static_cast<int>(k - first < 2 * lanes ? k - first : 2 * lanes);
      const Halves halves = Halves::load_first(source + first, elements, uint16_t{0});
      subnormals.note(halves);
      bit_cast<uint32_t>(halves).store(words);
    }
  }
  return !subnormals.found();
}

// Packs rows whose elements with the same index are neighbours in memory. These elements form a line. The function
// interleaves each pair of neighbouring lines, and transposes `lanes` interleaved pairs of lines at a time.
inline bool pack_rows_across(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t k_step) {
  const int64_t row = (k + 2 * lanes - 1) / (2 * lanes) * lanes;
  const auto columns = static_cast<int>(count);
  Subnormals<2 * lanes> subnormals;
  for (int64_t first = 0; first < k; first += 2 * lanes, words += lanes) {
    Pairs upper[lanes], lower[lanes];
    const auto line = [&](int64_t term) {
      const Halves halves = term < k ? Halves::load_first(source + term * k_step, columns, uint16_t{0}) : Halves(0);
      subnormals.note(halves);
      return halves;
    };
    for (int p = 0; p < lanes; ++p) {
      const Halves even = line(first + 2 * p), odd = line(first + 2 * p + 1);
      upper[p] = bit_cast<uint32_t>(interleave<0>(even, odd));
      lower[p] = bit_cast<uint32_t>(interleave<1>(even, odd));
    }
    interleave_all(upper);
    interleave_all(lower);
    for (int r = 0; r < lanes; ++r) upper[r].store(words + r * row);
    for (int r = 0; r < lanes; ++r) lower[r].store(words + (lanes + r) * row);
  }
  return !subnormals.found();
}

inline bool pack_rows(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step) {
  return k_step == 1 ? pack_rows_along(words, source, count, k, step)
                     : pack_rows_across(words, source, count, k, k_step);
}

// Packs columns. The function pads each panel with zeros until the number of pairs along the summed axis is a multiple
// of `lanes`.
inline bool pack_columns(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t step,
                         int64_t k_step) {
  const int64_t pairs = (k + 1) / 2, filled = (pairs + lanes - 1) / lanes * lanes;
  std::memset(words + pairs * panel_entries, 0, static_cast<size_t>((filled - pairs) * panel_entries) * sizeof *words);
  return pack<panel_entries>(words, source, count, k, step, k_step);
}

}  // namespace suanzi::SUANZI_LEVEL
