// A plan holds the steps and the tables of roots for transforms of one length. A cache keeps recently used plans.
//
// If all prime factors of a length are small, passes (ops/fft/fft.kernels.h) transform blocks of columns of this
// length. If the first pass can have radix 8, passes can also transform a single line. A line that is too long, or
// whose first pass cannot have radix 8, is split into the rows of a matrix. The code transforms the columns of this
// matrix first, and the rows of this matrix second (Bailey's four steps). A transform of any other length becomes a
// convolution of a smooth length (Bluestein).
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

// Returns true if passes can transform this length.
bool is_smooth(int64_t n);

// The passes that transform a smooth length. All prime factors of a smooth length are small.
template <class T>
struct Passes {
  int64_t n = 0;
  std::vector<FftPass<T>> list;  // an empty list for length 1
  // `fits_line` is true if the first pass has radix 8, and another pass follows.
  bool fits_line = false;
  size_t bytes = 0;
  Scratch memory;

  explicit Passes(int64_t n);
};

// The greatest length of a line that is transformed as a whole. The intermediate results of a line of this length stay
// in the L2 cache.
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

  std::shared_ptr<const Passes<T>> passes;  // the passes of the methods `line` and `block`

  // The method `split` treats the line as a matrix, whose element [i][j] is number i * columns->n + j of the line.
  // Passes transform along i, then along j.
  std::shared_ptr<const Passes<T>> rows, columns;
  Planes<T> each = {};  // exp(-2πi k q / n) for k < rows->n and the columns q of a block
  Planes<T> by = {};    // by[block][k] is exp(-2πi k j / n) for the block's first column j

  // The method `chirp` needs complex numbers whose parts alternate.
  std::shared_ptr<const LinePlan<T>> inner;  // a plan of a length of at least 2n - 1
  T* chirp = nullptr;                        // exp(-πi k² / n)
  T* spectrum = nullptr;                     // the transform of the chirp's conjugate, divided by inner->n

  explicit LinePlan(int64_t n);

 private:
  void plan_split();
  void plan_chirp();
};

// Holds the roots exp(-2πi k / n) for k in [0, n / 2].
template <class T>
struct HalfRoots {
  Planes<T> roots = {};
  size_t bytes = 0;
  Scratch memory;

  explicit HalfRoots(int64_t n);
};

// Returns the plan of type `Plan` for the length n. If the cache of recently used plans (at most 64 MiB of each kind)
// does not contain the plan, the function makes the plan. Fails with ALLOC_FAILED if the memory does not suffice for
// the plan's tables.
template <class Plan>
std::shared_ptr<const Plan> planned(int64_t n);

}  // namespace suanzi::fft
