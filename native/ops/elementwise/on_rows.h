// Elementwise kernels on short contiguous rows of floating numbers, for operators that compute a row in several steps
// while the row is in a core's own cache. The functions of this file use no tile program (walk/program.h) and check
// nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>

#include "kernels/kernel.h"

namespace suanzi {

template <class T>
class OnRows {
 public:
  // A row, or a number that replaces a row.
  class Term {
   public:
    Term(const T* row) : row_(row) {}                         // NOLINT: implicit, so that steps are short
    Term(const bool* row) : row_(row) {}                      // NOLINT: implicit, for a condition
    Term(double number) : number_(static_cast<T>(number)) {}  // NOLINT

   private:
    friend class OnRows;
    const void* row_ = nullptr;
    T number_ = 0;
  };

  // Runs an operation on rows. `out` may be one of the rows.
  static void run(Operation operation, void* out, std::initializer_list<Term> terms, int64_t n) {
    const void* in[3] = {};
    KernelParams params;
    int k = 0;
    for (const Term& term : terms) {
      in[k] = term.row_ ? term.row_ : &term.number_;
      if (!term.row_) params.constants = static_cast<uint8_t>(params.constants | 1 << k);
      ++k;
    }
    kernels().elementwise[static_cast<int>(operation)][static_cast<int>(dtype_of<T>)](out, in, n, params);
  }

  static T greatest(const T* row, int64_t n) {
    T value = -INFINITY;
    reduction(Reduction::max).along(&value, row, n, 1, 0, 0);
    return value;
  }
  // For each of `rows` consecutive rows of n elements, greatest_of writes the greatest element, and sums_of writes the
  // sum.
  static void greatest_of(T* greatest, const T* first, int64_t n, int64_t rows) {
    std::fill_n(greatest, rows, -INFINITY);
    reduction(Reduction::max).along(greatest, first, n, rows, n * int64_t{sizeof(T)}, 0);
  }
  static void sums_of(double* sums, const T* first, int64_t n, int64_t rows) {
    std::fill_n(sums, rows, 0.0);
    reduction(Reduction::sum).along(sums, first, n, rows, n * int64_t{sizeof(T)}, 0);
  }
  static T least(const T* row, int64_t n) {
    T value = INFINITY;
    reduction(Reduction::min).along(&value, row, n, 1, 0, 0);
    return value;
  }
  static double sum(const T* row, int64_t n) {
    double value = 0;
    reduction(Reduction::sum).along(&value, row, n, 1, 0, 0);
    return value;
  }

 private:
  static const ReduceKernels& reduction(Reduction of) {
    return kernels().reduce[static_cast<int>(of)][static_cast<int>(dtype_of<T>)];
  }
};

}  // namespace suanzi
