// The walk over an indexed view: where in memory its elements lie, tile by tile, every index checked.
//
// The dimensions of the view fall into three runs: outer ones along which no index varies, inner ones whose elements
// lie one after the other, together a block, and those between. Only for the last are offsets computed; a small table
// of them serves every outer position. Positions are numbered in the order of the shape, blocks being its elements.
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

// An index tensor as offsets along the axis that it stands for, every index checked.
class IndexReader {
 public:
  // Reads the index, which has these strides along dimensions of a shape, as [first, last) of them are walked.
  IndexReader(const Tensor& index, const Dims& shape, const Dims& strides, int first, int last, int64_t size,
              int64_t stride);

  // Adds the offsets of elements [start, start + n), n at most offsets_tile, to those of the ramp, if there is one,
  // else to what `offsets` has, if it is given; false where an index is out of range.
  bool add_offsets(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp = nullptr) const;

  // Writes n elements of `bytes` to the places that the first n indices name; kernels().indexed->put says what is
  // returned. Not where the indices do not lie one after the other.
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

// The short way where there are few: the byte offsets of the rows of x that an index names. False where there are many,
// where one is out of range, for which the long way has the words, or where x or the index is not contiguous.
bool few_rows(const Tensor& x, const Tensor& index, int64_t (&offsets)[offsets_tile]);

class BlockWalk {
 public:
  // Without whole blocks, every element is a block.
  BlockWalk(const char* op, const IndexedView& view, bool whole_blocks);

  int64_t blocks() const { return outer_count_ * middle_count_; }
  int64_t block_length() const { return block_length_; }  // in elements
  // Positions along leading dimensions that are the base's own: blocks of different rows never share memory. Every row
  // has blocks() / rows() blocks.
  int64_t rows() const { return rows_; }

  // Throws OUT_OF_RANGE where any index is outside its axis.
  void check() const;

  // Calls body(origin, offsets, position, n) for the blocks [first, last) in order, n at most offsets_tile at a time:
  // the block at position + i begins origin + offsets[i] bytes after the base's first element.
  template <class Body>
  void run(int64_t first, int64_t last, Body&& body) const;

  // Writes all blocks, each an element of `bytes`, in order, and throws at an index that is outside its axis. Returns
  // false, and does nothing, where more than one index in order says where the blocks lie.
  bool put(std::byte* target, const std::byte* values, int64_t bytes) const;

 private:
  void make_table();
  void compute_offsets(int64_t start, int64_t n, int64_t* offsets) const;
  // Starts from the ramp, if there is one, else from what `offsets` has.
  void add_lookups(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp = nullptr) const;
  [[noreturn, gnu::cold]] void fail_first() const;

  const char* op_;
  const IndexedView& view_;
  int64_t outer_count_ = 1, middle_count_ = 1, block_length_ = 1, rows_ = 1;
  walk::Path outer_, positions_;
  std::vector<IndexReader> readers_;
  Tensor table_;  // offsets of all the middle, where the outer dimensions use them again
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
