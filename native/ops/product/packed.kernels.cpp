// Products with packed codes. The kernels decode the codes in registers, one vector at a time.
#include "ops/product/packed.kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/loops.h"
#include "ops/product/product_sums.h"
#include "simd/half.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int N = vector_bytes / 4;
using Reals = Vec<float, N>;
using Codes = Vec<uint32_t, N>;
static_assert(packed_block_unit % N == 0);

constexpr int most_rows = 4;
// The number of blocks whose scales and zero points the kernel decodes at a time.
constexpr int64_t most_blocks = 256;

template <int Bits, size_t... lane>
SUANZI_INLINE Codes shifts(std::index_sequence<lane...>) {
  return typename Codes::native{static_cast<uint32_t>(lane % (32 / Bits) * Bits)...};
}

// Unpacks N codes that begin with a whole byte.
template <int Bits>
SUANZI_INLINE Codes unpack(const std::byte* p) {
  if constexpr (Bits == 8) {
    return convert<uint32_t>(Vec<uint8_t, N>::load(reinterpret_cast<const uint8_t*>(p)));
  } else {
    constexpr int bytes = N * Bits / 8;
    Codes words;
    if constexpr (bytes <= 4) {
      uint32_t word = 0;
      std::memcpy(&word, p, bytes);
      words = Codes(word);
    } else {
      uint32_t word[2];
      static_assert(bytes == sizeof word);
      std::memcpy(word, p, sizeof word);
      words = join(Vec<uint32_t, N / 2>(word[0]), Vec<uint32_t, N / 2>(word[1]), std::make_index_sequence<N>{});
    }
    return (words >> shifts<Bits>(std::make_index_sequence<N>{})) & ((1u << Bits) - 1);
  }
}
SUANZI_INLINE Reals numbers(Codes codes, Reals zero) { return convert<float>(bit_cast<int32_t>(codes)) - zero; }

void widen_to(float* out, DType type, const std::byte* in, int64_t first, int64_t count) {
  if (type == DType::float32) {
    std::memcpy(out, in + first * 4, static_cast<size_t>(count) * 4);
  } else if (type == DType::float16) {
    widen_halves(out, reinterpret_cast<const Float16*>(in) + first, count);
  } else {
    widen_halves(out, reinterpret_cast<const BFloat16*>(in) + first, count);
  }
}

// The decoded scales and zero points of some blocks of a column.
struct Blocks {
  float scales[most_blocks], zeros[most_blocks];

  void read(const PackedMatrix& b, int64_t column, int64_t first, int64_t count) {
    widen_to(scales, b.scale_type, b.scales, column * b.blocks + first, count);
    if (!b.zeros) {
      std::fill_n(zeros, count, static_cast<float>(1 << (b.bits - 1)));
    } else if (b.zero_type != DType::uint8) {
      widen_to(zeros, b.zero_type, b.zeros, column * b.blocks + first, count);
    } else {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(b.zeros) + column * b.zero_bytes();
      const int each = 8 / b.bits, mask = (1 << b.bits) - 1;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t block = first + i;
        zeros[i] = static_cast<float>(bytes[block / each] >> (block % each * b.bits) & mask);
      }
    }
  }
};

// Returns the product of a row and a column in float64. The kernel calls this function if unscaled sums overflow
// float32.
double product_in_double(const PackedMatrix& b, int64_t column, const float* a) {
  const auto* const codes = reinterpret_cast<const uint8_t*>(b.codes) + column * b.column_bytes();
  double sum = 0;
  Blocks blocks;
  for (int64_t block = 0; block < b.blocks; ++block) {
    blocks.read(b, column, block, 1);
    for (int64_t term = block * b.block; term < std::min((block + 1) * b.block, b.terms); ++term) {
      const int64_t bit = term * b.bits;
      const auto code = static_cast<float>(codes[bit / 8] >> bit % 8 & ((1 << b.bits) - 1));
      sum += static_cast<double>(a[term]) * static_cast<double>(code - blocks.zeros[0]) *
             static_cast<double>(blocks.scales[0]);
    }
  }
  return sum;
}

// Adds the products with blocks to the sums of rows. The function scales each block's sum once, because scaling each
// number takes more time.
template <int Bits, int Rows>
SUANZI_INLINE void add_blocks(Reals (&sums)[Rows], const std::byte* codes, const Blocks& blocks, int64_t count,
                              int64_t block, const float* a, int64_t a_row) {
  for (int64_t i = 0; i < count; ++i, codes += block * Bits / 8, a += block) {
    const Reals scale(blocks.scales[i]), zero(blocks.zeros[i]);
    Reals parts[Rows];
    for (Reals& part : parts) part = Reals(0.0f);
    for (int64_t k = 0; k < block; k += packed_block_unit)
      for (int v = 0; v < packed_block_unit; v += N) {
        const Reals number = numbers(unpack<Bits>(codes + (k + v) * Bits / 8), zero);
        for (int r = 0; r < Rows; ++r)
          parts[r] = Numbers<float>::multiply_add(Reals::load(a + r * a_row + k + v), number, parts[r]);
      }
    for (int r = 0; r < Rows; ++r) sums[r] = Numbers<float>::multiply_add(parts[r], scale, sums[r]);
  }
}

template <int Bits, int Rows>
void multiply_column(const PackedMatrix& b, const PackedBlock& g, int64_t row, int64_t column) {
  const std::byte* const codes = b.codes + column * b.column_bytes();
  const float* const a = g.a + row * g.a_row;
  Reals sums[Rows];
  for (Reals& sum : sums) sum = Reals(0.0f);
  Blocks blocks;
  for (int64_t first = 0; first < b.blocks; first += most_blocks) {
    const int64_t count = std::min(most_blocks, b.blocks - first);
    blocks.read(b, column, first, count);
    add_blocks<Bits, Rows>(sums, codes + first * b.block * Bits / 8, blocks, count, b.block, a + first * b.block,
                           g.a_row);
  }
  for (int r = 0; r < Rows; ++r) {
    const float summand = g.start ? g.start[column] : 0.0f;
    float total = fold_all_lanes<typename Numbers<float>::Plus>(sums[r]);
    if (!std::isfinite(total)) [[unlikely]]
      total = static_cast<float>(product_in_double(b, column, a + r * g.a_row));
    g.c[(row + r) * g.c_row + column] = total + summand;
  }
}

template <int Bits>
void multiply_of(const PackedMatrix& b, const PackedBlock& g) {
  for (int64_t column = g.column; column < g.column + g.columns; ++column) {
    int64_t row = 0;
    for (; row + most_rows <= g.rows; row += most_rows) multiply_column<Bits, most_rows>(b, g, row, column);
    [&]<int... rest>(std::integer_sequence<int, rest...>) {
      ((g.rows - row == rest + 1 ? multiply_column<Bits, rest + 1>(b, g, row, column) : void()), ...);
    }(std::make_integer_sequence<int, most_rows - 1>{});
  }
}

void multiply(const PackedMatrix& b, const PackedBlock& g) {
  (b.bits == 2 ? multiply_of<2> : b.bits == 4 ? multiply_of<4> : multiply_of<8>)(b, g);
}

template <int Bits>
void decode_of(float* out, int64_t step, const PackedMatrix& b, int64_t column, int64_t count, int64_t term,
               int64_t terms) {
  Blocks blocks;
  for (int64_t j = 0; j < count; ++j) {
    const std::byte* const codes = b.codes + (column + j) * b.column_bytes();
    int64_t first = 0, last = 0;  // the range of decoded blocks
    for (int64_t at = term, block = term / b.block; at < term + terms; ++block) {
      if (block >= last) {
        first = block;
        last = std::min(b.blocks, block + most_blocks);
        blocks.read(b, column + j, first, last - first);
      }
      const Reals scale(blocks.scales[block - first]), zero(blocks.zeros[block - first]);
      const int64_t end = std::min((block + 1) * b.block, term + terms);
      float* const to = out + j * step - term;
      for (; at + N <= end; at += N) (numbers(unpack<Bits>(codes + at * Bits / 8), zero) * scale).store(to + at);
      // A read of a whole vector of codes stays within the block, even if fewer codes are needed.
      if (at < end)
        (numbers(unpack<Bits>(codes + at * Bits / 8), zero) * scale).store_first(to + at, static_cast<int>(end - at));
      at = end;
    }
  }
}

void decode(float* out, int64_t step, const PackedMatrix& b, int64_t column, int64_t count, int64_t term,
            int64_t terms) {
  (b.bits == 2 ? decode_of<2> : b.bits == 4 ? decode_of<4> : decode_of<8>)(out, step, b, column, count, term, terms);
}

template <class Code>
void decode_panel_of(float* out, const CodedPanel& panel) {
  const auto* codes = reinterpret_cast<const Code*>(panel.codes);
  for (int64_t row = 0; row < panel.rows; ++row, codes += panel.width, out += panel.width)
    for (int64_t column = 0; column < panel.width; column += N) {
      const auto code = convert<int32_t>(Vec<Code, N>::load(codes + column));
      const Reals number = convert<float>(code) - Reals::load(panel.zeros + column);
      (number * Reals::load(panel.scales + column)).store(out + column);
    }
}

void decode_panel(float* out, const CodedPanel& panel) {
  (panel.is_signed ? decode_panel_of<int8_t> : decode_panel_of<uint8_t>)(out, panel);
}

}  // namespace

extern const PackedKernels packed_kernels;
const PackedKernels packed_kernels = {multiply, decode, decode_panel};

}  // namespace suanzi::SUANZI_LEVEL
