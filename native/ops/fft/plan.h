// Plans: a plan says how to transform a length, and has its tables of roots. Plans are cached.
//
// If all prime factors of a length are small, passes transform the numbers (ops/fft/fft.kernels.h), over a block of
// columns or, if the first pass can have radix 8, over a single line. A line that is too long, or cannot begin with
// radix 8, is split: the line is treated as a matrix, whose columns are transformed first, then its rows (Bailey's four
// steps). Any other length becomes a convolution of a smooth length (Bluestein).
#pragma once

#include <memory>
#include <vector>

#include "ops/fft/fft.kernels.h"
#include "runtime/costs.h"
#include "tensor/scratch.h"

namespace suanzi::fft {

// Returns the kernels of one precision at the level in use.
template <class T>
const FftKernelsOf<T>& fft_kernels();

// True if passes can transform this length.
bool is_smooth(int64_t n);

// The passes that transform a smooth length, one whose prime factors are all small.
template <class T>
struct Passes {
  int64_t n = 0;
  std::vector<FftPass<T>> list;  // empty for length 1
  bool fits_line = false;        // true if the first pass has radix 8, and another pass follows
  size_t bytes = 0;
  Scratch memory;

  explicit Passes(int64_t n);
};

// The greatest length of a line that is transformed as a whole, with the numbers between the passes in the L2 cache.
template <class T>
inline constexpr int64_t longest_line = costs::transformed_line / static_cast<int64_t>(sizeof(T));

enum class Method { line, block, split, chirp };

// The steps that transform a contiguous line.
template <class T>
struct LinePlan {
  int64_t n = 0;
  Method method = Method::block;
  size_t bytes = 0;
  Scratch memory;

  std::shared_ptr<const Passes<T>> passes;  // for a line and a block

  // for a split line: element i * columns->n + j; passes transform along i, then along j
  std::shared_ptr<const Passes<T>> rows, columns;
  Planes<T> each = {};  // exp(-2πi k q / n) for k < rows->n and the columns q of a block
  Planes<T> by = {};    // [block][k]: exp(-2πi k j / n) for the block's first column j

  // for a chirp: complex numbers whose parts alternate
  std::shared_ptr<const LinePlan<T>> inner;  // a plan of a length of at least 2n - 1
  T* chirp = nullptr;                        // exp(-πi k² / n)
  T* spectrum = nullptr;                     // the transform of the chirp's conjugate, divided by inner->n

  explicit LinePlan(int64_t n);

 private:
  void plan_split();
  void plan_chirp();
};

// The roots exp(-2πi k / n) for k in [0, n / 2].
template <class T>
struct HalfRoots {
  Planes<T> roots = {};
  size_t bytes = 0;
  Scratch memory;

  explicit HalfRoots(int64_t n);
};

// Returns the plan of this kind and length, from the cache of recently used plans (at most 64 MiB of each kind) if it
// is there. Fails with ALLOC_FAILED if there is no memory for its tables.
template <class Plan>
std::shared_ptr<const Plan> planned(int64_t n);

}  // namespace suanzi::fft
