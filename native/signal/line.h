// Complex transforms of one block of columns and of one line, as their plans say.
#pragma once

#include "signal/plan.h"

namespace suanzi::signal {

// Two blocks of planes between which the passes go to and fro.
template <class T>
class PlanePair {
 public:
  // Room for `count` numbers in each plane; what was there is gone.
  void take(int64_t count) {
    constexpr int64_t gap = 128 / sizeof(T);  // not a power of 2 apart
    const int64_t room = (count + gap - 1) / gap * gap + gap;
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

// Transforms the block planes.here, of passes.n rows and block_columns columns, to planes.here.
template <class T>
void transform_block(const Passes<T>& passes, PlanePair<T>& planes);

// Transforms n complex numbers of alternating parts at `in`, to `out` (which may be `in`), times `scale`. Uses several
// threads, and scratch memory for some three times as many numbers, six times where the length has a large factor.
template <class T>
void transform_line(const LinePlan<T>& plan, T* out, const T* in, bool inverse, T scale);

}  // namespace suanzi::signal
