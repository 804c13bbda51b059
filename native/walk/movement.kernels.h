// The kernels that move elements of one size from one plane of memory to another plane. walk/move.h reduces any copy of
// a strided tensor to such moves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// Two dimensions of elements in a source and a target. Steps are in bytes.
struct Plane {
  int64_t columns, rows;
  int64_t target_column, target_row;
  int64_t source_column, source_row;
  // If `stream` is true, results are not read again soon, so long rows may go past the caches.
  bool stream = false;
};

// Writes target[r, c] = source[r, c] for every row and column of the plane. Target and source must not overlap. The
// caller passes the plane by value, so that the written elements cannot alias the plane.
using MoveKernel = void (*)(std::byte* target, const std::byte* source, Plane plane);

// The kernels differ in the steps between columns. The comment of each kernel states these steps. Steps between rows
// may be any numbers.
struct MoveKernels {
  MoveKernel copy = nullptr;       // the size of an element in the target and in the source
  MoveKernel reverse = nullptr;    // the size of an element in the target, and its negative in the source
  MoveKernel fill = nullptr;       // the size of an element in the target, and 0 in the source
  MoveKernel transpose = nullptr;  // the size of an element in the target and, in the source, between rows
  MoveKernel stride = nullptr;     // any steps in the target and in the source
};

// The number of element sizes. The sizes are the powers of two from 1 to 16, and their exponents index kernels.
inline constexpr int move_sizes = 5;

}  // namespace suanzi
