// The kernels that move elements of a size from one plane of memory to another; walk/move.h brings any copy of a
// strided tensor into that form.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// Two dimensions of elements in two places; steps in bytes.
struct Plane {
  int64_t columns, rows;
  int64_t target_column, target_row;
  int64_t source_column, source_row;
  bool stream = false;  // results are not read again soon: long rows may go past the caches
};

// Writes target[r, c] = source[r, c] for every row and column of the plane. The two do not overlap. The plane is a
// copy, which the elements written cannot alias.
using MoveKernel = void (*)(std::byte* target, const std::byte* source, Plane plane);

// The steps between columns; the rows may lie anywhere.
struct MoveKernels {
  MoveKernel copy = nullptr;       // both steps are the element size
  MoveKernel reverse = nullptr;    // the element size, and its negative in the source
  MoveKernel fill = nullptr;       // the element size, and 0 in the source
  MoveKernel transpose = nullptr;  // the element size in the target; in the source that is the step between rows
  MoveKernel stride = nullptr;     // any
};

// Element sizes are the powers of two from 1 to 16; kernels for each are found under their exponent.
inline constexpr int move_sizes = 5;

}  // namespace suanzi
