// The kernels that move elements of one size from one plane of memory to another; walk/move.h reduces any copy of a
// strided tensor to such moves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// Two dimensions of elements in a source and a target; steps in bytes.
struct Plane {
  int64_t columns, rows;
  int64_t target_column, target_row;
  int64_t source_column, source_row;
  bool stream = false;  // true if results are not read again soon, so that long rows may go past the caches
};

// Writes target[r, c] = source[r, c] for every row and column of the plane. Target and source must not overlap. The
// plane is passed by value, so that the written elements cannot alias it.
using MoveKernel = void (*)(std::byte* target, const std::byte* source, Plane plane);

// The kernels by their steps between columns; steps between rows may be any numbers.
struct MoveKernels {
  MoveKernel copy = nullptr;       // both steps are the size of an element
  MoveKernel reverse = nullptr;    // the size of an element in the target, and its negative in the source
  MoveKernel fill = nullptr;       // the size of an element in the target, and 0 in the source
  MoveKernel transpose = nullptr;  // the size of an element in the target and, in the source, between rows
  MoveKernel stride = nullptr;     // any steps
};

// The number of element sizes, the powers of two from 1 to 16; kernels are indexed by the exponent.
inline constexpr int move_sizes = 5;

}  // namespace suanzi
