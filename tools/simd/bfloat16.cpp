// The test of the kernels that compute bfloat16 products by Arm's instructions. The results must have the same bits as
// the results of the same kernels with each instruction computed in C++. Differences from plain loops must be within
// the kernels' bound. tools/aarch64.py runs the test, and links both kinds of kernels.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "ops/product/bfloat16.kernels.h"

namespace suanzi {
namespace generic {
extern const Bfloat16Gemm gemm;
}
namespace neon_mmla {
extern const Bfloat16Gemm gemm;
}

namespace {

std::mt19937 draw(11);

enum class Kind { near_1, any_size, special };

uint16_t drawn(Kind kind) {
  const uint32_t bits = static_cast<uint32_t>(draw());
  const auto with_exponent = [bits](uint32_t exponent) {
    return static_cast<uint16_t>((bits & 0x807f) | exponent << 7);
  };
  const uint16_t special[] = {0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f7f, 0xff7f, 0x0080, 0x8080};
  if (kind == Kind::special && draw() % 16 == 0) return special[draw() % std::size(special)];
  return with_exponent(kind == Kind::near_1 ? 120 + (bits >> 16) % 10 : 1 + (bits >> 16) % 254);
}

double value_of(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// A matrix of rows, or of columns, of k elements: one of the two steps is 1.
struct Operand {
  int64_t count, k, step, k_step;
  std::vector<uint16_t> bits;

  Operand(int64_t n, int64_t terms, bool along, Kind kind)
      : count(n), k(terms), step(along ? terms : 1), k_step(along ? 1 : n), bits(static_cast<size_t>(n * terms)) {
    for (uint16_t& each : bits) each = drawn(kind);
  }
  double at(int64_t i, int64_t term) const { return value_of(bits[static_cast<size_t>(i * step + term * k_step)]); }

  template <class Pack>
  std::vector<uint32_t> packed(Pack pack, int64_t width, int64_t pairs) const {
    const int64_t panels = (count + width - 1) / width;
    std::vector<uint32_t> words(static_cast<size_t>(panels * width * pairs));
    for (int64_t i = 0; i < count; i += width) {
      if (!pack(words.data() + i * pairs, bits.data() + i * step, std::min(width, count - i), k, step, k_step))
        std::abort();
    }
    return words;
  }
};

std::vector<float> multiplied(const Bfloat16Gemm& gemm, const Operand& a, const Operand& b) {
  const int64_t unit = gemm.pair_unit, pairs = (a.k + 2 * unit - 1) / (2 * unit) * unit;
  const std::vector<uint32_t> rows = a.packed(gemm.pack_rows, gemm.rows, pairs),
                              columns = b.packed(gemm.pack_columns, gemm.columns, pairs);
  const bool in_place = a.k_step == 1 && a.k == 2 * pairs;
  const auto* const first =
      in_place ? reinterpret_cast<const std::byte*>(a.bits.data()) : reinterpret_cast<const std::byte*>(rows.data());
  std::vector<float> c(static_cast<size_t>(a.count * b.count));
  gemm.multiply(c.data(), {first, !in_place, a.step * 2}, a.count, columns.data(), b.count / gemm.columns, pairs);
  return c;
}

// Returns the number of sums whose distance from the sums of plain loops exceeds the bound. The unit is 2^-23 of the
// sum of magnitudes. Each pair of terms and each sum of pairs in a part of 512 terms may err by one unit. Each sum of
// parts may err by half a unit.
int out_of_bound(const std::vector<float>& found, const Operand& a, const Operand& b) {
  constexpr double unit = 0x1p-23;
  int count = 0;
  for (int64_t i = 0; i < a.count; ++i) {
    for (int64_t j = 0; j < b.count; ++j) {
      double sum = 0, size = 0;
      for (int64_t k = 0; k < a.k; ++k) {
        sum += a.at(i, k) * b.at(j, k);
        size += std::fabs(a.at(i, k) * b.at(j, k));
      }
      const double terms = static_cast<double>(a.k), bound = unit * (257 + terms / 1024) * size + terms * 0x1p-125;
      const float given = found[static_cast<size_t>(i * b.count + j)];
      count += size < 0x1p127 && !(std::fabs(given - sum) <= bound);
    }
  }
  return count;
}

}  // namespace
}  // namespace suanzi

int main() {
  using namespace suanzi;
  int products = 0, other_bits = 0, far = 0;
  for (const int64_t terms : {1, 2, 3, 7, 8, 9, 16, 31, 256, 513, 1032}) {
    for (int64_t rows = 1; rows <= 26; rows += terms > 200 ? 5 : 1) {
      for (const Kind kind : {Kind::near_1, Kind::any_size, Kind::special}) {
        for (int order = 0; order < 4; ++order) {
          const Operand a(rows, terms, (order & 1) != 0, kind), b(16, terms, (order & 2) != 0, kind);
          const std::vector<float> expected = multiplied(generic::gemm, a, b),
                                   found = multiplied(neon_mmla::gemm, a, b);
          other_bits += std::memcmp(expected.data(), found.data(), found.size() * sizeof(float)) != 0;
          if (kind != Kind::special) far += out_of_bound(found, a, b);
          ++products;
        }
      }
    }
  }
  std::printf("neon_mmla: %d products of bfloat16 numbers, %d with other bits than C++, %d sums beyond the bound\n",
              products, other_bits, far);
  return other_bits + far == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
