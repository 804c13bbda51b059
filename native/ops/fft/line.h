// Complex transforms of one block of columns and of one line, by the steps of a plan.
#pragma once

#include "ops/fft/plan.h"

namespace suanzi::fft {

// Two blocks of planes. Each pass reads one block and writes the other block.
template <class T>
class PlanePair {
 public:
  // Allocates room for `count` numbers in each plane. The planes lose their previous contents.
  void take(int64_t count) {
    // The planes are a quarter of a page and a cache line apart. Planes whose size is a power of 2 then use different
    // sets of the cache, and loads do not appear to depend on stores.
    constexpr int64_t page = 4096 / sizeof(T), gap = page / 4 + 64 / sizeof(T);
    const int64_t room = (count <= page / 4 ? 0 : (count + page - 1) / page * page) + gap;
    T* const memory = memory_.template take<T>(4 * room);
    here = {memory, memory + room};
    there = {memory + 2 * room, memory + 3 * room};
  }
  void turn() { std::swap(here, there); }

  Planes<T> here, there;

 private:
  Scratch memory_;
};

template <class T>
Planes<const T> as_const(Planes<T> x) {
  return {x.re, x.im};
}
template <class T>
Planes<T> swapped(Planes<T> x) {
  return {x.im, x.re};
}

// The memory from which a block is read, or to which a block is written.
template <class T>
struct BlockEnd {
  // The pointer is null if the block is in the planes, or is to stay in the planes.
  const FftColumns* columns = nullptr;
  // If `swapped` is true, imaginary parts come first. An inverse transform reads and writes numbers in this order.
  bool swapped = false;
  T scale = 1;
};

// Transforms a block of passes.n rows and block_columns columns. The block is in planes.here unless the function reads
// the block from memory or writes the block to memory.
template <class T>
void transform_block(const Passes<T>& passes, PlanePair<T>& planes, const BlockEnd<T>& from = {},
                     const BlockEnd<T>& to = {});

// Transforms n complex numbers whose parts alternate at `in` to `out` (which may be `in`), and multiplies the results
// by `scale`. The function uses several threads. If n is at least 4096, the scratch memory holds 1.2n to 2.4n numbers,
// or 4n to 7n numbers if n has a large prime factor.
template <class T>
void transform_line(const LinePlan<T>& plan, T* out, const T* in, bool inverse, T scale);

}  // namespace suanzi::fft
