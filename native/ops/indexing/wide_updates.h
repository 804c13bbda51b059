// Sums and products of updates that are rounded once: in float64, or complex128, of the elements that change.
//
// Added to one element one after the other, 1000 ones are 256 in bfloat16. An element with one update is rounded once
// anyway; so few updates of different elements take the plain way.
#pragma once

#include <optional>

#include "kernels/kernel.h"
#include "ops/indexing/block_walk.h"
#include "ops/indexing/update_blocks.h"

namespace suanzi {

// Updates of elements of a narrow type, computed in a wide type.
struct Widening {
  ScatterMode mode;  // add or multiply
  DType narrow, wide;
  Kernel widen, round;
  CombineKernel combine;  // kernel of the wide type

  int narrow_size() const { return size_of(narrow); }
  int ratio() const { return size_of(wide) / size_of(narrow); }
  void to_wide(void* to, const void* from, int64_t n) const { widen(to, &from, n, {}); }
  void to_narrow(void* to, const void* from, int64_t n) const { round(to, &from, n, {}); }
};

// Applies n updates of float32 to elements of float64, one after the other: place(i) counts bytes. The updates are
// converted on the way, which costs a third less than to write them as float64 first.
template <class Place, class Value>
void combine_floats(ScatterMode mode, std::byte* elements, int64_t n, Place place, Value value) {
  const auto for_each = [&](auto&& combine) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < n; ++i) {
      double& element = *reinterpret_cast<double*>(elements + place(i));
      element = combine(element, static_cast<double>(value(i)));
    }
  };
  mode == ScatterMode::add ? for_each([](double a, double b) { return a + b; })
                           : for_each([](double a, double b) { return a * b; });
}

// Null where updates of such elements are exact, or of a type that has no wider one.
std::optional<Widening> widening(ScatterMode mode, DType type);

// Applies all updates of a walk, whose blocks are single elements, to a target that has its elements, or to which
// `initial` is still to be copied, contiguous both. `plain` is the kernel of the elements' own type. Takes 8 bytes for
// each element of the target, 16 where it is complex, or 32 for each update, whichever is less. Nothing is written
// before every index has been checked.
void update_wide(const Widening& widening, const BlockWalk& walk, const Tensor& target, const ReadValues& read,
                 CombineKernel plain, const Tensor* initial);

}  // namespace suanzi
