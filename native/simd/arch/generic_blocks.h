// Products of blocks for any machine, computed element by element in accordance with Arm's manual. Only tests use these
// functions, on machines without the instructions. simd/blocks.h describes each function.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "simd/arch/target.h"

namespace suanzi::SUANZI_LEVEL::arch {

inline Vec<uint32_t, 4> load_block(Generic, const void* first, const void* second) {
  uint32_t words[4];
  std::memcpy(words, first, 8);
  std::memcpy(words + 2, second, 8);
  return Vec<uint32_t, 4>::load(words);
}

// Returns the vector of the four numbers sum(row, column, x), where x is the element of `old` at this row and column.
template <class T, class Sum>
Vec<T, 4> with_sums(Vec<T, 4> old, Sum sum) {
  T sums[4];
  old.store(sums);
  for (int i = 0; i < 4; ++i) sums[i] = sum(i / 2, i % 2, sums[i]);
  return Vec<T, 4>::load(sums);
}

inline Vec<int32_t, 4> add_block_products(Generic, Vec<int32_t, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  int8_t rows[2][8], columns[2][8];
  std::memcpy(rows, &a, sizeof rows);
  std::memcpy(columns, &b, sizeof columns);
  return with_sums(sum, [&](int row, int column, int32_t total) {
    for (int k = 0; k < 8; ++k)
      total =
          static_cast<int32_t>(static_cast<uint32_t>(total) + static_cast<uint32_t>(rows[row][k] * columns[column][k]));
    return total;
  });
}

inline float flushed_to_zero(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

// Returns a + b, rounded to the neighbour whose last bit is 1. An exact sum is not rounded.
inline float sum_to_odd(float a, float b) {
  const double x = a, y = b;
  double sum = x + y;
  if (std::isnan(sum)) return std::numeric_limits<float>::quiet_NaN();
  if (std::isinf(sum)) return static_cast<float>(sum);
  const double of_b = sum - x, rest = (x - (sum - of_b)) + (y - of_b);
  constexpr uint64_t beyond = (uint64_t{1} << 29) - 1;  // the bits of float64 that float32 lacks
  if (rest != 0 && (std::bit_cast<uint64_t>(sum) & beyond) == 0)
    sum = std::nextafter(sum, std::copysign(std::numeric_limits<double>::infinity(), rest));
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if ((bits & beyond) != 0) bits = (bits & ~beyond) | (beyond + 1);
  const double rounded = std::bit_cast<double>(bits);
  if (std::fabs(rounded) >= 0x1p128) return std::copysign(std::numeric_limits<float>::infinity(), a + b);
  return std::fabs(rounded) < 0x1p-126 ? static_cast<float>(std::copysign(0.0, rounded)) : static_cast<float>(rounded);
}

inline Vec<float, 4> add_block_products(Generic, Vec<float, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  uint16_t rows[2][4], columns[2][4];
  std::memcpy(rows, &a, sizeof rows);
  std::memcpy(columns, &b, sizeof columns);
  const auto number = [](uint16_t bits) {
    return flushed_to_zero(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
  };
  return with_sums(sum, [&](int row, int column, float total) {
    const auto product = [&](int k) { return flushed_to_zero(number(rows[row][k]) * number(columns[column][k])); };
    for (int k = 0; k < 4; k += 2) total = sum_to_odd(flushed_to_zero(total), sum_to_odd(product(k), product(k + 1)));
    return total;
  });
}

}  // namespace suanzi::SUANZI_LEVEL::arch
