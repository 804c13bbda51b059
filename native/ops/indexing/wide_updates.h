// Sums and products of updates that are rounded once: the changed elements are computed in float64 or complex128.
//
// In bfloat16, adding 1000 ones to an element one after the other results in only 256. An element with a single update
// is rounded only once anyway, so a few updates of different elements do not need the wide type.
#pragma once

#include <optional>

#include "kernels/kernel.h"
#include "ops/indexing/block_walk.h"
#include "ops/indexing/update_blocks.h"

namespace suanzi {

// The types and the kernel for updates of elements of a narrow type that are computed in a wide type.
struct Widening {
  ScatterMode mode;  // add or multiply
  DType narrow, wide;
  Kernel widen, round;
  CombineKernel combine;  // the kernel of the wide type

  int narrow_size() const { return size_of(narrow); }
  int ratio() const { return size_of(wide) / size_of(narrow); }
  void to_wide(void* to, const void* from, int64_t n) const { widen(to, &from, n, {}); }
  void to_narrow(void* to, const void* from, int64_t n) const { round(to, &from, n, {}); }
};

// Applies n float32 updates to float64 elements, one after the other; place(i) is in bytes. The loop converts the
// updates, which costs a third less than writing them as float64 first.
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

// Returns null if updates of such elements are exact, or if their type has no wider type.
std::optional<Widening> widening(ScatterMode mode, DType type);

// Applies all updates of a walk, whose blocks are single elements, to a contiguous target. If `initial`, which is
// contiguous too, is given, the function copies it to the target; otherwise the target already has its elements.
// `plain` is the kernel of the elements' own type. The function needs 8 bytes for each element of the target (16 for
// complex elements), or 32 bytes for each update, whichever is less. Nothing is written before every index has been
// checked.
void update_wide(const Widening& widening, const BlockWalk& walk, const Tensor& target, const ReadValues& read,
                 CombineKernel plain, const Tensor* initial);

}  // namespace suanzi
