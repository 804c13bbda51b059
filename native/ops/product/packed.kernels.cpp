// Products with packed codes. The kernels decode the codes in registers, one vector at a time.
#include "ops/product/packed.kernels.h"

#include <algorithm>
#include <bit>
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

template <size_t... lane>
SUANZI_INLINE Codes lane_numbers(std::index_sequence<lane...>) {
  return typename Codes::native{static_cast<uint32_t>(lane)...};
}

template <int Bits, size_t... lane>
SUANZI_INLINE Codes shifts(std::index_sequence<lane...>) {
  return typename Codes::native{static_cast<uint32_t>(lane % (32 / Bits) * Bits)...};
}

// Returns N codes that begin with a whole byte. Each code is in the low bits of a lane. The higher bits of the lane may
// hold other codes.
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

// Converts codes of a block to the numbers code - zero. If a vector has a lane for each possible code, `numbers` is a
// table of the numbers. A look-up takes fewer instructions than a conversion.
template <int Bits>
struct Numbering {
  static constexpr bool looks_up = N == 16 && Bits <= 4 && Arch::looks_up_in_registers;
  Reals numbers;

  SUANZI_INLINE void read(float zero) {
    numbers = Reals(zero);
    if constexpr (looks_up) numbers = every_code(std::make_index_sequence<N>{}) - numbers;
  }
  SUANZI_INLINE Reals operator()(const std::byte* codes) const { return of_lanes(spread<Bits>(codes)); }
  // Returns the numbers of the codes in the lowest bits of the lanes. The other bits may hold other codes.
  SUANZI_INLINE Reals of_lanes(Codes lanes) const {
    if constexpr (looks_up) {
      return permute(numbers, bit_cast<int32_t>(Bits == 4 ? lanes : lanes & ((1u << Bits) - 1)));
    } else {
      return convert<float>(bit_cast<int32_t>(lanes & ((1u << Bits) - 1))) - numbers;
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

// The decoded scales and zero points of some blocks of a column. The number 0 fills a vector after the scales, and a
// vector after the zero points.
struct Blocks {
  float scales[most_blocks + N], zeros[most_blocks + N];

  void read(const PackedMatrix& b, int64_t column, int64_t first, int64_t count) {
    Reals(0.0f).store(scales + count);
    Reals(0.0f).store(zeros + count);
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

// The kernels read codes of 2 and 4 bits as words of 32 bits, one word in each lane of a vector. A shift moves the next
// code of each word to the lowest bits, and neighbouring terms are codes of the same word. Rows of A are therefore
// arranged so that the terms of the first codes of N words come first, then the terms of the second codes, and so on.
// The product of one row and 4096 x 4096 codes of 4 bits takes 0.27 ms with words and 0.6 ms with a load for each N
// codes (Zen 5).
template <int Bits>
struct Words {
  static constexpr int codes = 32 / Bits;
  static constexpr int terms = N * codes;  // the number of codes in a vector of words
  static_assert(packed_row_unit % terms == 0 && packed_block_unit % codes == 0);

  static int64_t place(int64_t term) { return term / terms * terms + term % codes * N + term % terms / codes; }
};

// Returns true if the kernel reads the codes as words. For words, the ends of blocks must be at the same lanes in each
// vector, or between two vectors.
bool has_words(const PackedMatrix& b) {
  const int64_t words = b.block * b.bits / 32;
  return Arch::permutes<float, N> && b.bits < 8 && (words % N == 0 || N % words == 0);
}

// Returns the index of a term in an arranged row.
int64_t place_of(const PackedMatrix& b, int64_t term) {
  if (!has_words(b)) return term;
  return b.bits == 2 ? Words<2>::place(term) : Words<4>::place(term);
}

void arrange(float* out, const float* row, const PackedMatrix& b) {
  const auto copy = [&](auto place) {
    for (int64_t term = 0; term < b.terms; ++term) out[place(term)] = row[term];
  };
  std::fill_n(out, b.row_length(), 0.0f);
  if (!has_words(b)) {
    std::copy_n(row, b.terms, out);
  } else if (b.bits == 2) {
    copy(Words<2>::place);
  } else {
    copy(Words<4>::place);
  }
}

// Returns the product of an arranged row and a column in float64. The kernel calls this function if unscaled sums
// overflow float32.
double product_in_double(const PackedMatrix& b, int64_t column, const float* a) {
  const auto* const codes = reinterpret_cast<const uint8_t*>(b.codes) + column * b.column_bytes();
  double sum = 0;
  Blocks blocks;
  for (int64_t block = 0; block < b.blocks; ++block) {
    blocks.read(b, column, block, 1);
    for (int64_t term = block * b.block; term < std::min((block + 1) * b.block, b.terms); ++term) {
      const int64_t bit = term * b.bits;
      const auto code = static_cast<float>(codes[bit / 8] >> bit % 8 & ((1 << b.bits) - 1));
      sum += static_cast<double>(a[place_of(b, term)]) * static_cast<double>(code - blocks.zeros[0]) *
             static_cast<double>(blocks.scales[0]);
    }
  }
  return sum;
}

// The number of columns that the kernel multiplies at a time. Each addition to a sum depends on the previous addition,
// so the kernel is slower with a single column at a time. The product of one row and 4096 x 4096 codes of 4 bits takes
// 0.44 ms with one column, and 0.27 ms with four columns (Zen 5). The product of 16 rows and these codes takes 2.8 ms
// with three columns, and 3.3 ms with two or four columns. Three columns and four rows fill the registers.
template <int Rows>
constexpr int columns_of = Arch::vector_registers >= 32 ? (Rows <= 2 ? 4 : 3) : std::max(4 / Rows, 1);

// Adds the products of the rows of A and some blocks of the columns of B to the sums. The function scales each block's
// sum once, because scaling each number takes more time.
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

// Adds the products of the rows of A and some blocks of the columns of B to the sums. The kernel reads the codes as
// words. `Subtract` is true if the table of numbers has zero point 0, so that the loop subtracts the zero points of the
// blocks.
template <int Bits, int Rows, int Columns, bool Subtract>
SUANZI_INLINE void add_words(Reals (&sums)[Columns][Rows], const std::byte* codes, int64_t column_bytes,
                             const Blocks (&blocks)[Columns], int64_t count, int64_t block, const float* a,
                             int64_t a_row) {
  using Bytes = Vec<uint8_t, 4 * N>;
  constexpr int in_word = Words<Bits>::codes, in_vector = Words<Bits>::terms;
  const int64_t terms = count * block;
  // Lane i needs the scale of block i / (words of a block). If a block fills a vector, all lanes need the same scale.
  const Codes places = lane_numbers(std::make_index_sequence<N>{}) >>
                       Codes(static_cast<uint32_t>(std::countr_zero(static_cast<uint64_t>(block / in_word))));
  const auto index = bit_cast<int32_t>(block >= in_vector ? Codes(0u) : places);
  Numbering<Bits> numbers;
  numbers.read(Subtract ? 0.0f : static_cast<float>(1 << (Bits - 1)));
  const auto add = [&](int64_t term, auto load) __attribute__((always_inline)) {
    const int64_t first = term / block;
    Codes words[Columns];
    Reals zeros[Columns], parts[Columns][Rows];
    for (int j = 0; j < Columns; ++j) {
      words[j] = bit_cast<uint32_t>(load(reinterpret_cast<const uint8_t*>(codes) + j * column_bytes + term * Bits / 8));
      if constexpr (Subtract) zeros[j] = permute(Reals::load(blocks[j].zeros + first), index);
      for (Reals& part : parts[j]) part = Reals(0.0f);
    }
    for (int k = 0; k < in_word; ++k)
      for (int j = 0; j < Columns; ++j) {
        Reals number = numbers.of_lanes(words[j] >> k * Bits);
        if constexpr (Subtract) number = number - zeros[j];
        for (int r = 0; r < Rows; ++r)
          parts[j][r] = Numbers<float>::multiply_add(Reals::load(a + r * a_row + term + k * N), number, parts[j][r]);
      }
    for (int j = 0; j < Columns; ++j) {
      const Reals scale = permute(Reals::load(blocks[j].scales + first), index);
      for (int r = 0; r < Rows; ++r) sums[j][r] = Numbers<float>::multiply_add(parts[j][r], scale, sums[j][r]);
    }
  };
  int64_t term = 0;
  for (; term + in_vector <= terms; term += in_vector)
    add(term, [](const uint8_t* at) __attribute__((always_inline)) { return Bytes::load(at); });
  if (term < terms) {
    const int left = static_cast<int>((terms - term) * Bits / 8);
    add(term, [left](const uint8_t* at) __attribute__((always_inline)) { return Bytes::load_first(at, left, 0); });
  }
}

template <int Bits, int Rows, int Columns, bool ByWords, bool Subtract>
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
    const std::byte* const from = codes + first * b.block * Bits / 8;
    const float* const terms = a + first * b.block;
    if constexpr (ByWords) {
      add_words<Bits, Rows, Columns, Subtract>(sums, from, b.column_bytes(), blocks, count, b.block, terms, g.a_row);
    } else {
      add_blocks<Bits, Rows, Columns>(sums, from, b.column_bytes(), blocks, count, b.block, terms, g.a_row);
    }
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

template <int Bits, bool ByWords, bool Subtract>
void multiply_by(const PackedMatrix& b, const PackedBlock& g) {
  for_runs<most_rows, Rest::at_once>(g.rows, [&]<int Rows>(int64_t row) {
    for_runs<columns_of<Rows>, Rest::singly>(g.columns, [&]<int Columns>(int64_t column) {
      multiply_columns<Bits, Rows, Columns, ByWords, Subtract>(b, g, row, g.column + column);
    });
  });
}

template <int Bits>
void multiply_of(const PackedMatrix& b, const PackedBlock& g) {
  if constexpr (Bits < 8 && Arch::permutes<float, N>) {
    // Only the kernels that read words have two forms. The other kernels always subtract the zero points of the blocks.
    if (has_words(b)) return b.zeros ? multiply_by<Bits, true, true>(b, g) : multiply_by<Bits, true, false>(b, g);
  }
  multiply_by<Bits, false, false>(b, g);
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
      // A read of a whole vector of codes stays within the block, even if the function uses fewer codes.
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
const PackedKernels packed_kernels = {arrange, multiply, decode, decode_panel};

}  // namespace suanzi::SUANZI_LEVEL
