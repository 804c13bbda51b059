// Copies elements from one strided box of memory to another box of the same shape, without a change of type. clone,
// contiguous, assignment, and all operators that join or rearrange tensors use this file.
//
// A Move chooses the kernel that fits the strides (rows copied, reversed or filled, transposes, any strides), and cuts
// the work into blocks that fit the caches. The executor (walk/executor.cpp) runs casts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "walk/iteration.h"
#include "walk/movement.kernels.h"

namespace suanzi::walk {

class Move {
 public:
  // Plans a move. The two views must have the given shape, and types of the same size. The views must not overlap, and
  // no two elements of the target may overlap.
  Move(const Dims& shape, const View& target, const View& source);

  int64_t bytes() const { return bytes_; }  // returns the number of bytes that the move writes
  int64_t blocks() const { return blocks_; }
  // Moves the blocks [first, last), which are disjoint in the target. If `stream` is true, the function writes past the
  // caches.
  void run(int64_t first, int64_t last, bool stream = false) const;
  void run() const { run(0, blocks_); }

 private:
  void set_blocks(int element_size, bool crosses);

  std::byte* target_;
  const std::byte* source_;
  MoveKernel kernel_ = nullptr;
  Plane plane_{1, 1, 0, 0, 0, 0};
  // The dimensions outside the plane, beginning with the fastest dimension. Steps are in bytes.
  Dims sizes_, target_steps_, source_steps_;
  int64_t block_columns_ = 1, block_rows_ = 1;
  int64_t blocks_across_ = 1, blocks_of_plane_ = 1;
  int64_t blocks_ = 0;
  int64_t bytes_ = 0;
};

// Runs moves that do not depend on each other, on several threads if all moves together are long.
void run(std::span<const Move> moves);

// Collects moves. If all moves together are short, `add` runs each move at once. Otherwise, the moves run in batches,
// which threads share.
class Moves {
 public:
  // `bytes` is the sum of the bytes of all moves.
  explicit Moves(int64_t bytes);
  // Returns a Moves that runs all moves in the calling thread. This thread is one of several threads that write `bytes`
  // bytes together.
  static Moves of_one_thread(int64_t bytes);
  void add(const Dims& shape, const View& target, const View& source);
  // Runs the waiting moves. Callers call this function after the last move, and before a move that reads the result of
  // another move.
  void finish();

 private:
  Moves(bool at_once, bool stream) : at_once_(at_once), stream_(stream) {}

  bool at_once_, stream_;
  std::vector<Move> waiting_;
};

}  // namespace suanzi::walk
