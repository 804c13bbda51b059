// Plans: how the transform of a length is computed, with its tables of roots. Plans are kept.
//
// A length whose prime factors all are small is transformed by passes (ops/fft/fft.kernels.h), over a block of columns
// or, where the first pass can be of radix 8, over a single line. A line that is long, or cannot begin so, is split:
// seen as a matrix, its columns are transformed, then its rows (Bailey's four steps). Any other length becomes a
// convolution of a smooth one (Bluestein).
#pragma once

#include <memory>
#include <vector>

#include "ops/fft/fft.kernels.h"
#include "runtime/costs.h"
#include "tensor/scratch.h"

namespace suanzi::fft {

// The kernels of one precision, at the level in use.
template <class T>
const FftKernelsOf<T>& fft_kernels();

// True if passes can make a transform of this length.
bool is_smooth(int64_t n);

// The passes of a smooth length.
template <class T>
struct Passes {
  int64_t n = 0;
  std::vector<FftPass<T>> list;  // empty for length 1
  bool fits_line = false;        // the first is of radix 8, and another follows
  size_t bytes = 0;
  Scratch memory;

  explicit Passes(int64_t n);
};

// A length in which a line may be transformed whole, with the numbers between the passes in the L2 cache.
template <class T>
inline constexpr int64_t longest_line = costs::transformed_line / static_cast<int64_t>(sizeof(T));

enum class Method { line, block, split, chirp };

// The steps that transform a line, contiguous in memory.
template <class T>
struct LinePlan {
  int64_t n = 0;
  Method method = Method::block;
  size_t bytes = 0;
  Scratch memory;

  std::shared_ptr<const Passes<T>> passes;  // line and block

  // split: element i * columns->n + j; the passes transform along i, then along j.
  std::shared_ptr<const Passes<T>> rows, columns;
  Planes<T> each = {};  // exp(-2πi k q / n) for k < rows->n and the columns q of a block
  Planes<T> by = {};    // [block][k]: exp(-2πi k j / n) for its first column j

  // chirp: complex numbers of alternating parts
  std::shared_ptr<const LinePlan<T>> inner;  // a plan of a length of at least 2n - 1
  T* chirp = nullptr;                        // exp(-πi k² / n)
  T* spectrum = nullptr;                     // the transform of its conjugate, divided by inner->n

  explicit LinePlan(int64_t n);

 private:
  void plan_split();
  void plan_chirp();
};

// exp(-2πi k / n) for k in [0, n / 2].
template <class T>
struct HalfRoots {
  Planes<T> roots = {};
  size_t bytes = 0;
  Scratch memory;

  explicit HalfRoots(int64_t n);
};

// The plan of this kind and length, from among the last used ones if it is there (at most 64 MiB of each kind).
// ALLOC_FAILED where there is no memory for its tables.
template <class Plan>
std::shared_ptr<const Plan> planned(int64_t n);

}  // namespace suanzi::fft
