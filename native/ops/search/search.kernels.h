// The kernels that find the greatest and the least element. The kernels return the first of equal elements, and prefer
// NaN to any number.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

enum class Search : uint8_t { argmax, argmin };
inline constexpr int search_count = 2;

// Returns the position of the best (greatest or least) element among n > 0 contiguous elements.
using FindKernel = int64_t (*)(const void* in, int64_t n);
// Continues a search with `rows` rows of n elements, `step` bytes apart. The first of these rows has the number
// `first`. best[i] is the best element of column i so far, and index[i] is the number of the row of best[i].
using FindEachKernel = void (*)(void* best, int64_t* index, const void* in, int64_t n, int64_t rows, int64_t step,
                                int64_t first);

// Returns true if no element can be better than `best`.
using SettledKernel = bool (*)(const void* best);

struct SearchKernels {
  FindKernel along = nullptr;
  FindEachKernel across = nullptr;
  SettledKernel settled = nullptr;
};

struct SearchTable {
  // The pointers are null if the elements have no order.
  SearchKernels of[search_count][dtype_count] = {};
};

}  // namespace suanzi
