// Complex transforms of one block of columns and of one line, as their plans say.
#pragma once

#include "ops/fft/plan.h"

namespace suanzi::fft {

// Two blocks of planes between which the passes go to and fro.
template <class T>
class PlanePair {
 public:
  // Room for `count` numbers in each plane; what was there is gone.
  void take(int64_t count) {
    // A quarter of a page and a cache line apart in the page: what is a power of 2 long neither falls into the same
    // sets of the cache, nor do loads seem to depend on stores.
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

// The memory that a block comes from, or goes to.
template <class T>
struct BlockEnd {
  const FftColumns* columns = nullptr;  // null where it is in the planes, or is to stay there
  bool swapped = false;                 // imaginary parts first, as an inverse transform takes and gives them
  T scale = 1;
};

// Transforms a block of passes.n rows and block_columns columns, in planes.here where it has no end in memory.
template <class T>
void transform_block(const Passes<T>& passes, PlanePair<T>& planes, const BlockEnd<T>& from = {},
                     const BlockEnd<T>& to = {});

// Transforms n complex numbers of alternating parts at `in`, to `out` (which may be `in`), times `scale`. Uses several
// threads, and memory for some three times as many numbers, six times where the length has a large prime factor.
template <class T>
void transform_line(const LinePlan<T>& plan, T* out, const T* in, bool inverse, T scale);

}  // namespace suanzi::fft
