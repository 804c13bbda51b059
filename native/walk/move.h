// Copies of elements from one strided box of memory to another of the same shape, without a change of type: clone,
// contiguous, assignment, and all operators that join or rearrange tensors use them.
//
// A Move finds the kernel that suits how the elements lie (rows copied, reversed or filled, transposes, any strides)
// and cuts the work into blocks that the caches hold. Casts are the executor's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "walk/iteration.h"
#include "walk/movement.kernels.h"

namespace suanzi::walk {

class Move {
 public:
  // The two views have the shape, and types of one size. They do not overlap, nor do any two elements of the target.
  Move(const Dims& shape, const View& target, const View& source);

  int64_t bytes() const { return bytes_; }  // written
  int64_t blocks() const { return blocks_; }
  // Moves the blocks [first, last), which are disjoint in the target; past the caches, if `stream`.
  void run(int64_t first, int64_t last, bool stream = false) const;
  void run() const { run(0, blocks_); }

 private:
  void set_blocks(int element_size, bool crosses);

  std::byte* target_;
  const std::byte* source_;
  MoveKernel kernel_ = nullptr;
  Plane plane_{1, 1, 0, 0, 0, 0};
  // The dimensions beyond the plane, fastest first; steps in bytes.
  Dims sizes_, target_steps_, source_steps_;
  int64_t block_columns_ = 1, block_rows_ = 1;
  int64_t blocks_across_ = 1, blocks_of_plane_ = 1;
  int64_t blocks_ = 0;
  int64_t bytes_ = 0;
};

// Runs moves that do not depend on each other, on several threads where they are long together.
void run(std::span<const Move> moves);

// Runs moves as they are added where all of them together are short, else in batches, to share out many at once.
class Moves {
 public:
  // `bytes` is the sum of all moves' bytes.
  explicit Moves(int64_t bytes);
  // Makes all moves in the calling thread, one of several that write so many bytes together.
  static Moves of_one_thread(int64_t bytes);
  void add(const Dims& shape, const View& target, const View& source);
  // Runs the waiting moves: to be called after the last move, and before a move that reads another one's result.
  void finish();

 private:
  Moves(bool at_once, bool stream) : at_once_(at_once), stream_(stream) {}

  bool at_once_, stream_;
  std::vector<Move> waiting_;
};

}  // namespace suanzi::walk
