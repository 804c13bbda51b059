// The walk over an indexed view computes the addresses of the view's elements, tile by tile, and checks every index.
// The dimensions of the view are of three sorts. No index varies along the outer dimensions. The elements of the inner
// dimensions are contiguous and form a block. The middle dimensions are all dimensions between the outer and the inner
// dimensions. The walk computes offsets only for the middle dimensions. If the middle dimensions have few positions,
// the walk uses one table of the offsets of these positions for all outer positions. The walk numbers the blocks in the
// row-major order of the view.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ops/indexing/indexed.kernels.h"
#include "ops/indexing/indexed_view.h"
#include "walk/iteration.h"

namespace suanzi {

// The number of offsets that the walk computes at a time.
inline constexpr int64_t offsets_tile = 1024;

// Reads an index tensor as offsets along the indexed axis, and checks every index.
class IndexReader {
 public:
  // Prepares a walk over `index`, whose strides along the dimensions of `shape` are `strides`. The reader walks along
  // the dimensions [first, last) of `shape`.
  IndexReader(const Tensor& index, const Dims& shape, const Dims& strides, int first, int last, int64_t size,
              int64_t stride);

  // Writes offsets[i] for each i below n. offsets[i] is the sum of offset i of the ramp and the offset that element
  // start + i of the index selects. n is at most offsets_tile. Without a ramp, the function adds to the contents of
  // `offsets`. If `offsets` is null, the function only checks the indices. Returns false if an index is out of range.
  bool add_offsets(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp = nullptr) const;

  // Writes n elements of `bytes` bytes to the addresses that the first n indices select, and returns the result of
  // kernels().indexed->put. Returns nothing if the indices are not contiguous.
  std::optional<bool> put(std::byte* target, const std::byte* values, int64_t n, int64_t bytes) const;

 private:
  std::byte* data_;
  walk::Path path_;
  LookUpKernel look_up_;
  const PutKernel* put_;
  int element_size_;
  int64_t size_;
  int64_t stride_;  // the stride of the indexed axis in bytes
};

// Computes the byte offsets of the few rows of x that an index selects, without a walk. Returns false in these cases:
// - The index selects many rows.
// - An index is out of range, or the index does not hold integers. Other code reports the error.
// - x or the index is empty or not contiguous.
bool few_rows(const Tensor& x, const Tensor& index, int64_t (&offsets)[offsets_tile]);

class BlockWalk {
 public:
  // If `whole_blocks` is false, every element is a block.
  BlockWalk(const char* op, const IndexedView& view, bool whole_blocks);

  int64_t blocks() const { return outer_count_ * middle_count_; }
  // Returns the number of elements in a block.
  int64_t block_length() const { return block_length_; }
  // Returns the number of rows. A row consists of the blocks at one position along the leading dimensions of the view
  // that are also dimensions of the base. Blocks of different rows never share memory. Every row has blocks() / rows()
  // blocks.
  int64_t rows() const { return rows_; }

  // Throws OUT_OF_RANGE if an index is outside its axis.
  void check() const;

  // Calls body(origin, offsets, position, n) for the blocks [first, last) in order, where n is at most offsets_tile.
  // The block at position + i begins origin + offsets[i] bytes after the base's first element.
  template <class Body>
  void run(int64_t first, int64_t last, Body&& body) const;

  // Writes all blocks in order, and throws at the first index that is outside its axis. Each block is an element of
  // `bytes` bytes. If one contiguous index alone does not determine the addresses of the blocks, the function writes
  // nothing and returns false.
  bool put(std::byte* target, const std::byte* values, int64_t bytes) const;

 private:
  void make_table();
  void compute_offsets(int64_t start, int64_t n, int64_t* offsets) const;
  // Writes to `offsets` the sums of the ramp's offsets and of the offsets that all lookups select for the elements
  // [start, start + n). Without a ramp, the function adds the selected offsets to the contents of `offsets`.
  void add_lookups(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp = nullptr) const;
  [[noreturn, gnu::cold]] void fail_first() const;

  const char* op_;
  const IndexedView& view_;
  int64_t outer_count_ = 1, middle_count_ = 1, block_length_ = 1, rows_ = 1;
  walk::Path outer_, positions_;
  std::vector<IndexReader> readers_;
  Tensor table_;  // the offsets of all middle positions, if the outer dimensions use these offsets repeatedly
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
