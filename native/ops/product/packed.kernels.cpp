// Products with packed codes. The kernels decode the codes in registers, one vector at a time.
#include "ops/product/packed.kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/loops.h"
#include "ops/product/product_sums.h"
#include "simd/half.h"
#include "simd/permute.h"

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

// Returns N codes that begin with a whole byte. Each code is in the low bits of a lane. The bits above may hold other
// codes.
template <int Bits>
SUANZI_INLINE Codes spread(const std::byte* p) {
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
      static_assert(bytes == 8);
      uint32_t low, high;
      std::memcpy(&low, p, 4);
      std::memcpy(&high, p + 4, 4);
      words = join(Vec<uint32_t, N / 2>(low), Vec<uint32_t, N / 2>(high), std::make_index_sequence<N>{});
    }
    return words >> shifts<Bits>(std::make_index_sequence<N>{});
  }
}

// Converts codes of a block to numbers, code - zero. If a vector has a lane for each code, `numbers` is a table of the
// numbers. A look-up takes fewer instructions than a conversion.
template <int Bits>
struct Numbering {
  static constexpr bool looks_up = N == 16 && Bits <= 4 && Arch::permutes<float, N>;
  Reals numbers;

  SUANZI_INLINE void read(float zero) {
    numbers = Reals(zero);
    if constexpr (looks_up) numbers = every_code(std::make_index_sequence<N>{}) - numbers;
  }
  SUANZI_INLINE Reals operator()(const std::byte* codes) const {
    constexpr uint32_t mask = (1u << (looks_up ? 4 : Bits)) - 1;
    const Codes code = spread<Bits>(codes) & mask;
    if constexpr (looks_up) {
      return permute(numbers, bit_cast<int32_t>(code));
    } else {
      return convert<float>(bit_cast<int32_t>(code)) - numbers;
    }
  }

 private:
  template <size_t... lane>
  static SUANZI_INLINE Reals every_code(std::index_sequence<lane...>) {
    return typename Reals::native{static_cast<float>(lane % (1 << Bits))...};
  }
};

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

// The number of columns that the kernel multiplies at a time. Each addition to a sum waits for the previous addition,
// so the sums of a single column take longer. The product of one row and 4096 x 4096 codes of 4 bits then takes 0.9 ms
// instead of 0.6 ms. The product of 16 rows and these codes takes 8.5 ms instead of 4.3 ms (Zen 5). The sums of a block
// and of a column fit the registers.
template <int Rows>
constexpr int columns_of = Arch::vector_registers >= 32 ? (Rows <= 2 ? 4 : 2) : std::max(4 / Rows, 1);

// Adds the products with blocks to the sums of rows and columns. The function scales each block's sum once, because
// scaling each number takes more time.
template <int Bits, int Rows, int Columns>
SUANZI_INLINE void add_blocks(Reals (&sums)[Columns][Rows], const std::byte* codes, int64_t column_bytes,
                              const Blocks (&blocks)[Columns], int64_t count, int64_t block, const float* a,
                              int64_t a_row) {
  for (int64_t i = 0; i < count; ++i, codes += block * Bits / 8, a += block) {
    Numbering<Bits> numbers[Columns];
    Reals parts[Columns][Rows];
    for (int j = 0; j < Columns; ++j) {
      numbers[j].read(blocks[j].zeros[i]);
      for (Reals& part : parts[j]) part = Reals(0.0f);
    }
    for (int64_t k = 0; k < block; k += packed_block_unit)
      for (int v = 0; v < packed_block_unit; v += N)
        for (int j = 0; j < Columns; ++j) {
          const Reals number = numbers[j](codes + j * column_bytes + (k + v) * Bits / 8);
          for (int r = 0; r < Rows; ++r)
            parts[j][r] = Numbers<float>::multiply_add(Reals::load(a + r * a_row + k + v), number, parts[j][r]);
        }
    for (int j = 0; j < Columns; ++j)
      for (int r = 0; r < Rows; ++r)
        sums[j][r] = Numbers<float>::multiply_add(parts[j][r], Reals(blocks[j].scales[i]), sums[j][r]);
  }
}

template <int Bits, int Rows, int Columns>
void multiply_columns(const PackedMatrix& b, const PackedBlock& g, int64_t row, int64_t column) {
  const std::byte* const codes = b.codes + column * b.column_bytes();
  const float* const a = g.a + row * g.a_row;
  Reals sums[Columns][Rows];
  for (auto& of_column : sums)
    for (Reals& sum : of_column) sum = Reals(0.0f);
  Blocks blocks[Columns];
  for (int64_t first = 0; first < b.blocks; first += most_blocks) {
    const int64_t count = std::min(most_blocks, b.blocks - first);
    for (int j = 0; j < Columns; ++j) blocks[j].read(b, column + j, first, count);
    add_blocks<Bits, Rows, Columns>(sums, codes + first * b.block * Bits / 8, b.column_bytes(), blocks, count, b.block,
                                    a + first * b.block, g.a_row);
  }
  for (int j = 0; j < Columns; ++j)
    for (int r = 0; r < Rows; ++r) {
      const float summand = g.start ? g.start[column + j] : 0.0f;
      float total = fold_all_lanes<typename Numbers<float>::Plus>(sums[j][r]);
      if (!std::isfinite(total)) [[unlikely]]
        total = static_cast<float>(product_in_double(b, column + j, a + r * g.a_row));
      g.c[(row + r) * g.c_row + column + j] = total + summand;
    }
}

template <int Bits>
void multiply_of(const PackedMatrix& b, const PackedBlock& g) {
  for_runs<most_rows, Rest::at_once>(g.rows, [&]<int Rows>(int64_t row) {
    for_runs<columns_of<Rows>, Rest::singly>(g.columns, [&]<int Columns>(int64_t column) {
      multiply_columns<Bits, Rows, Columns>(b, g, row, g.column + column);
    });
  });
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
      const Reals scale(blocks.scales[block - first]);
      Numbering<Bits> numbers;
      numbers.read(blocks.zeros[block - first]);
      const int64_t end = std::min((block + 1) * b.block, term + terms);
      float* const to = out + j * step - term;
      for (; at + N <= end; at += N) (numbers(codes + at * Bits / 8) * scale).store(to + at);
      // A read of a whole vector of codes stays within the block, even if fewer codes are needed.
      if (at < end) (numbers(codes + at * Bits / 8) * scale).store_first(to + at, static_cast<int>(end - at));
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
