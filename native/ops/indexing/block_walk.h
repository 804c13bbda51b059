// The walk over an indexed view, which computes the addresses of the view's elements, tile by tile, and checks every
// index.
//
// The dimensions of the view are of three sorts: outer dimensions, along which no index varies; inner dimensions, whose
// elements are contiguous and form a block; and the dimensions between them. Offsets are computed only for the
// dimensions between; if they have few positions, a table of offsets is used for every outer position. Positions are
// numbered in the order of the shape, with blocks as its elements.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ops/indexing/indexed.kernels.h"
#include "ops/indexing/indexed_view.h"
#include "walk/iteration.h"

namespace suanzi {

// The number of offsets that are computed at a time.
inline constexpr int64_t offsets_tile = 1024;

// Reads an index tensor as offsets along the axis that it indexes, and checks every index.
class IndexReader {
 public:
  // `index` has these strides along the dimensions of a shape, of which dimensions [first, last) are walked.
  IndexReader(const Tensor& index, const Dims& shape, const Dims& strides, int first, int last, int64_t size,
              int64_t stride);

  // Adds the offsets of elements [start, start + n), where n is at most offsets_tile, to the offsets of the ramp if
  // there is one, else to the contents of `offsets` if it is given. Returns false if an index is out of range.
  bool add_offsets(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp = nullptr) const;

  // Writes n elements of `bytes` to the places that the first n indices name, and returns the result of
  // kernels().indexed->put. Returns nothing if the indices are not contiguous.
  std::optional<bool> put(std::byte* target, const std::byte* values, int64_t n, int64_t bytes) const;

 private:
  std::byte* data_;
  walk::Path path_;
  LookUpKernel look_up_;
  const PutKernel* put_;
  int element_size_;
  int64_t size_;
  int64_t stride_;  // in bytes
};

// Computes the byte offsets of the rows of x that an index names, without a walk, for few rows. Returns false if there
// are many rows, if an index is out of range (the walk reports the error), or if x or the index is not contiguous.
bool few_rows(const Tensor& x, const Tensor& index, int64_t (&offsets)[offsets_tile]);

class BlockWalk {
 public:
  // If `whole_blocks` is false, every element is a block.
  BlockWalk(const char* op, const IndexedView& view, bool whole_blocks);

  int64_t blocks() const { return outer_count_ * middle_count_; }
  int64_t block_length() const { return block_length_; }  // in elements
  // Returns the number of positions along those leading dimensions of the view that are dimensions of the base. Blocks
  // of different rows never share memory, and every row has blocks() / rows() blocks.
  int64_t rows() const { return rows_; }

  // Throws OUT_OF_RANGE if any index is outside its axis.
  void check() const;

  // Calls body(origin, offsets, position, n) for the blocks [first, last) in order, with n at most offsets_tile: the
  // block at position + i begins origin + offsets[i] bytes after the base's first element.
  template <class Body>
  void run(int64_t first, int64_t last, Body&& body) const;

  // Writes all blocks, each of which is an element of `bytes` bytes, in order, and throws at an index that is outside
  // its axis. Returns false without writing anything unless a single contiguous index determines the addresses of the
  // blocks.
  bool put(std::byte* target, const std::byte* values, int64_t bytes) const;

 private:
  void make_table();
  void compute_offsets(int64_t start, int64_t n, int64_t* offsets) const;
  // Starts from the ramp if there is one, else from the contents of `offsets`.
  void add_lookups(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp = nullptr) const;
  [[noreturn, gnu::cold]] void fail_first() const;

  const char* op_;
  const IndexedView& view_;
  int64_t outer_count_ = 1, middle_count_ = 1, block_length_ = 1, rows_ = 1;
  walk::Path outer_, positions_;
  std::vector<IndexReader> readers_;
  Tensor table_;  // the offsets of all positions between, if the outer dimensions use them repeatedly
};

template <class Body>
void BlockWalk::run(int64_t first, int64_t last, Body&& body) const {
  if (!table_.storage) {
    alignas(64) int64_t offsets[offsets_tile];
    for (int64_t n = 0; first < last; first += n) {
      n = std::min(offsets_tile, last - first);
      compute_offsets(first, n, offsets);
      body(int64_t{0}, offsets, first, n);
    }
    return;
  }
  for (walk::Cursor outer(outer_, first / middle_count_); first < last; outer.advance(1)) {
    for (int64_t at = first % middle_count_; at < middle_count_ && first < last;) {
      const int64_t n = std::min({offsets_tile, middle_count_ - at, last - first});
      body(outer.offset(), table_.as<int64_t>() + at, first, n);
      at += n;
      first += n;
    }
  }
}

}  // namespace suanzi
