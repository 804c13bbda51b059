// Sums and products of updates. The code computes the changed elements in float64 or complex128, and rounds each
// element once.
//
// In bfloat16, 1000 additions of 1 to an element result in only 256. An element with a single update is rounded only
// once in any type, so a few updates of different elements do not need the wide type.
#pragma once

#include <optional>

#include "kernels/kernel.h"
#include "ops/indexing/block_walk.h"
#include "ops/indexing/update_blocks.h"

namespace suanzi {

// The types and the kernels for updates that the code computes in a wider type than the type of the elements.
struct Widening {
  ScatterMode mode;  // one of add and multiply
  DType narrow, wide;
  Kernel widen, round;
  CombineKernel combine;  // the kernel of the wide type

  int narrow_size() const { return size_of(narrow); }
  int ratio() const { return size_of(wide) / size_of(narrow); }
  void to_wide(void* to, const void* from, int64_t n) const { widen(to, &from, n, {}); }
  void to_narrow(void* to, const void* from, int64_t n) const { round(to, &from, n, {}); }
};

// Applies n float32 updates to float64 elements, one after the other. place(i) is the distance in bytes from `elements`
// to the element of update i. The loop converts the updates. Conversion in the loop costs a third less than a separate
// pass that writes the updates as float64.
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

// Returns the types and kernels for updates in a wider type. Returns nothing if updates of elements of this type are
// exact, or if this type has no wider type.
std::optional<Widening> widening(ScatterMode mode, DType type);

// Applies all updates of a walk, whose blocks are single elements, to a contiguous target. If `initial` is given,
// `initial` must be contiguous, and the function copies `initial` to the target. If `initial` is null, the target
// already holds the elements that the function updates. `plain` is the kernel of the elements' own type. If the target
// has at most 4 elements for each update, the scratch memory is 8 bytes for each element of the target (16 bytes for
// complex elements). Otherwise, the scratch memory is at most 44 bytes for each update. The function checks every index
// before it writes anything.
void update_wide(const Widening& widening, const BlockWalk& walk, const Tensor& target, const ReadValues& read,
                 CombineKernel plain, const Tensor* initial);

}  // namespace suanzi
