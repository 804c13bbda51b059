// The walk of a reduction through its operand. If the fastest dimension is reduced, the pieces of the walk are runs
// along memory. If the fastest dimension is kept, the pieces are slabs of neighbouring columns. The pieces depend only
// on the shapes, strides and types, and not on the number of threads. The reduction computes a partial result of each
// piece, and combines the partial results.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "kernels/kernel.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/iteration.h"
#include "walk/producer.h"
#include "walk/staging.h"

namespace suanzi::walk {

// The number of elements that are folded into one partial result if the fastest dimension is reduced. This number is so
// small that two threads share 10^5 elements evenly.
inline constexpr int64_t chunk_elements = 8192;
// The number of accumulators side by side, and the number of elements that are folded into one row of accumulators, if
// the fastest dimension is kept.
inline constexpr int64_t piece_elements = 1024;
inline constexpr int64_t across_elements = 262144;
// The number of rows that a kernel folds together if the fastest dimension is kept. If rows come in several parts, the
// size of each part except the last part is a multiple of this number.
inline constexpr int64_t rows_together = 8;

class ReductionWalk {
 public:
  struct Scratch {
    alignas(64) std::byte native[register_bytes];
    alignas(64) std::byte converted[register_bytes];
    suanzi::Scratch produced;
    std::shared_ptr<Producer::Room> room;
  };

  // Elements [start, start + count) among the elements that are folded into one element of the result.
  struct Run {
    int64_t kept;    // the number of the result's element on the walk
    int64_t chunk;   // the number of the run among the runs of the result's element
    int64_t row;     // the offset in the operand at which the elements begin, in bytes
    int64_t target;  // the offset of the result's element, in bytes
    int64_t start;
    int64_t count;
  };
  // A slab is the rows [first, last). The `count` neighbouring elements of each row are folded into the elements
  // [start, start + count) of the walk over the result.
  struct Slab {
    int64_t chunk;
    int64_t start;
    int64_t count;
    int64_t first;
    int64_t last;
  };

  // Bit i of `axes` is set if axis i of `x` is reduced. `result` has the other dimensions. `convert` converts elements
  // to the type `input`, and is null if the elements have this type. A run has at most `longest` elements. If
  // `numbered` is true, the walk visits the reduced elements in row-major order. Otherwise, the walk visits the reduced
  // elements in the order of memory. The reduced axes of a producer must be its last axes, or must all come before the
  // kept axes.
  ReductionWalk(const Elements& x, uint64_t axes, DType input, Kernel convert, const Tensor& result,
                int64_t longest = chunk_elements, bool numbered = false);

  int64_t kept() const { return kept_size_; }
  int64_t reduced() const { return reduced_size_; }
  // Returns the size of the fastest kept dimension. Kept dimensions are merged as far as the operand's strides allow.
  int64_t columns() const { return kept_.sizes.empty() ? 1 : kept_.sizes[0]; }
  const Path& result_path() const { return result_path_; }

  // Returns true if the fastest dimension is reduced.
  bool along() const {
    return kept_.sizes.empty() || reduced_.sizes.empty() || std::abs(reduced_.steps[0]) <= std::abs(kept_.steps[0]);
  }
  int64_t chunks_along() const { return (reduced_size_ + longest_ - 1) / longest_; }
  // Callers call the functions below only if along() returns false.
  int64_t rows_per_chunk() const { return std::max<int64_t>(1, across_elements / piece()); }
  int64_t chunks_across() const { return (reduced_size_ + rows_per_chunk() - 1) / rows_per_chunk(); }

  // Returns the address of a run's elements if the elements are one contiguous piece of memory. Otherwise, the function
  // returns null.
  const void* lying(const Run& run) const {
    const int size = size_of(x_.dtype);
    return !convert_ && !producer_ && reduced_.linear(size) ? x_.data + run.row + run.start * size : nullptr;
  }
  // Returns true if the result has several elements, and every element is folded from one contiguous row, which is one
  // run and needs no conversion.
  bool has_whole_rows() const {
    return kept_size_ > 1 && chunks_along() == 1 && !convert_ && reduced_.linear(size_of(x_.dtype));
  }
  // Calls body(rows, target, count, step) for all rows. A call handles as many rows as are evenly spaced in memory and
  // are folded into neighbours. The results of these rows are neighbouring elements of `result_bytes` bytes. The first
  // of these elements is at offset `target` of the result.
  template <class Body>
  void for_whole_rows(int result_bytes, Body&& body) const;
  // Calls body(elements, first, count) for the contiguous pieces of a run.
  template <class Body>
  void for_tiles(Scratch& scratch, const Run& run, Body&& body) const;
  // Calls body(rows, first, count, step) for the rows of a slab. A call handles the `count` rows from number `first`
  // on, which are as many rows as are evenly spaced in memory. `step` is the distance of these rows in bytes.
  template <class Body>
  void for_rows(Scratch& scratch, const Slab& slab, Body&& body) const;

  // The chunks that become unnecessary after one chunk has decided the result of a reduction with one result.
  enum class Settles { nothing, those_behind, all };
  // Calls body(scratch, run) for every run. The body returns true if the body has decided the result. If `settles` and
  // a result with one element allow such a decision, the function skips the unnecessary chunks. In this case, the
  // function wakes no thread before the end of the first chunk. Returns the number of chunks whose partial results are
  // necessary, or 0 if one chunk has decided the whole result.
  template <class Body>
  int64_t for_runs(Settles settles, Body&& body) const;
  // Calls body(scratch, slab) for every slab.
  template <class Body>
  void for_slabs(Body&& body) const;

 private:
  const void* load(Scratch& scratch, const std::byte* base, const Path& path, int64_t start, int64_t count) const;
  const void* converted(Scratch& scratch, const void* elements, int64_t count) const;
  // Produces `rows` rows, one after the other, with `count` elements in each row. In the operand, the first row is at
  // byte `offset`, and rows are `step` bytes apart.
  const std::byte* produce(Scratch& scratch, int64_t offset, int64_t count, int64_t rows = 1, int64_t step = 0) const;
  // Returns the number of rows of `row_bytes` bytes that are produced at a time.
  static int64_t produced_rows(int64_t row_bytes) {
    return std::max(rows_together, costs::produced_block / row_bytes / rows_together * rows_together);
  }
  template <class Body>
  void for_produced_rows(Scratch& scratch, const Slab& slab, Body&& body) const;
  int64_t work() const { return producer_ ? producer_->work() : x_.nbytes(); }
  int64_t piece() const;
  int64_t slab_width() const;
  // Calls body(first, last) for parts of [0, units), on several threads if the work is large enough.
  template <class Body>
  void share(int64_t units, Body&& body) const {
    suanzi::share(work(), units, body);
  }
  // Shares the units in parts that the threads take in turn, so that the first parts finish first.
  template <class Body>
  void share_in_turn(int64_t units, Body&& body) const;

  const Tensor& x_;
  const Producer* producer_;
  int64_t first_;  // the number of the operand's first element among the produced elements
  DType input_;
  Kernel convert_;
  int64_t longest_;
  Path reduced_, kept_, result_path_;
  int64_t reduced_size_;
  int64_t kept_size_;
};

template <class Body>
void ReductionWalk::share_in_turn(int64_t units, Body&& body) const {
  if (units == 1 || !is_shared(work())) return body(int64_t{0}, units);
  constexpr int64_t part = costs::turn_units;
  const int64_t threads = num_threads(), rounds = (units + part * threads - 1) / (part * threads);
  // A thread runs `rounds` consecutive tasks, whose parts are `threads` parts apart.
  parallel_for(rounds * threads, length_of(work()), [&](int64_t task) {
    const int64_t first = std::min(units, (task % rounds * threads + task / rounds) * part);
    body(first, std::min(units, first + part));
  });
}

template <class Body>
void ReductionWalk::for_whole_rows(int result_bytes, Body&& body) const {
  share(kept_size_, [&](int64_t first, int64_t last) {
    Scratch scratch;
    const int64_t row_bytes = reduced_size_ * size_of(x_.dtype);
    const int64_t most = producer_ ? std::max<int64_t>(1, costs::produced_block / row_bytes) : INT64_MAX;
    Cursor row(kept_, first), target(result_path_, first);
    for (int64_t r = first, count; r < last; r += count, row.advance(count), target.advance(count)) {
      count = target.step() == result_bytes ? std::min({last - r, row.left_in_row(), target.left_in_row(), most}) : 1;
      if (producer_) {
        body(produce(scratch, row.offset(), reduced_size_, count, row.step()), target.offset(), count, row_bytes);
      } else {
        body(x_.data + row.offset(), target.offset(), count, row.step());
      }
    }
  });
}

template <class Body>
void ReductionWalk::for_tiles(Scratch& scratch, const Run& run, Body&& body) const {
  const int size = size_of(x_.dtype);
  if (const void* elements = lying(run)) return body(elements, run.start, run.count);
  const std::byte* made = producer_ ? produce(scratch, run.row + run.start * size, run.count) : nullptr;
  if (made && !convert_) return body(made, run.start, run.count);
  const int64_t step = register_bytes / std::max(size, size_of(input_));
  for (int64_t done = 0; done < run.count; done += step) {
    const int64_t n = std::min(step, run.count - done);
    const void* const elements = made ? converted(scratch, made + done * size, n)
                                      : load(scratch, x_.data + run.row, reduced_, run.start + done, n);
    body(elements, run.start + done, n);
  }
}

template <class Body>
void ReductionWalk::for_produced_rows(Scratch& scratch, const Slab& slab, Body&& body) const {
  const int64_t row_bytes = slab.count * size_of(x_.dtype), most = produced_rows(row_bytes);
  const int64_t first_column = Cursor(kept_, slab.start).offset();
  Cursor row(reduced_, slab.first);
  for (int64_t r = slab.first; r < slab.last;) {
    // A group of rows ends where a run of evenly spaced rows ends, as for rows that are read from memory.
    const int64_t end = r + std::min(slab.last - r, row.left_in_row());
    for (int64_t rows; r < end; r += rows, row.advance(rows)) {
      rows = std::min(most, end - r);
      const std::byte* const made = produce(scratch, row.offset() + first_column, slab.count, rows, row.step());
      if (!convert_) {
        body(made, r, rows, row_bytes);
        continue;
      }
      for (int64_t i = 0; i < rows; ++i)
        body(converted(scratch, made + i * row_bytes, slab.count), r + i, int64_t{1}, row_bytes);
    }
  }
}

template <class Body>
void ReductionWalk::for_rows(Scratch& scratch, const Slab& slab, Body&& body) const {
  if (producer_) return for_produced_rows(scratch, slab, body);
  const int size = size_of(x_.dtype);
  Cursor row(reduced_, slab.first);
  for (int64_t r = slab.first, rows; r < slab.last; r += rows, row.advance(rows)) {
    std::byte* const base = x_.data + row.offset();
    const void* lying = convert_ ? nullptr : in_place(base, kept_, size, slab.start, slab.count);
    rows = lying ? std::min(slab.last - r, row.left_in_row()) : 1;
    body(lying ? lying : load(scratch, base, kept_, slab.start, slab.count), r, rows, row.step());
  }
}

template <class Body>
int64_t ReductionWalk::for_runs(Settles what, Body&& body) const {
  const int64_t chunks = chunks_along();
  const bool settles = what != Settles::nothing && kept_size_ == 1;
  std::atomic<int64_t> counting{chunks};
  const auto runs = [&](int64_t first, int64_t last) {
    Scratch scratch;
    Cursor kept(kept_, first / chunks), target(result_path_, first / chunks);
    int64_t number = first / chunks, chunk = first % chunks;
    for (int64_t unit = first; unit < last; ++unit) {
      const int64_t start = chunk * longest_;
      if (settles && chunk >= counting.load(std::memory_order_relaxed)) return;
      const bool settled = body(scratch, Run{number, chunk, kept.offset(), target.offset(), start,
                                             std::min(longest_, reduced_size_ - start)});
      if (settles && settled) {
        const int64_t count = what == Settles::all ? 0 : chunk + 1;
        int64_t known = counting.load(std::memory_order_relaxed);
        while (count < known && !counting.compare_exchange_weak(known, count, std::memory_order_relaxed)) {
        }
      }
      if (++chunk == chunks) {
        chunk = 0;
        ++number;
        kept.advance(1);
        target.advance(1);
      }
    }
  };
  if (!settles || chunks == 1) {
    share(kept_size_ * chunks, runs);
  } else {
    runs(0, 1);
    if (counting.load(std::memory_order_relaxed) > 1)
      share_in_turn(chunks - 1, [&](int64_t first, int64_t last) { runs(first + 1, last + 1); });
  }
  return counting.load(std::memory_order_relaxed);
}

template <class Body>
void ReductionWalk::for_slabs(Body&& body) const {
  const int64_t row = kept_.sizes[0], chunks = chunks_across(), rows = rows_per_chunk();
  const int64_t width = slab_width();
  const int64_t pieces_per_row = (row + width - 1) / width;
  const int64_t pieces = kept_size_ / row * pieces_per_row;
  share(pieces * chunks, [&](int64_t first, int64_t last) {
    Scratch scratch;
    for (int64_t unit = first; unit < last; ++unit) {
      const int64_t p = unit / chunks, chunk = unit % chunks;
      const int64_t begin = p % pieces_per_row * width;
      body(scratch, Slab{chunk, p / pieces_per_row * row + begin, std::min(width, row - begin), chunk * rows,
                         std::min((chunk + 1) * rows, reduced_size_)});
    }
  });
}

}  // namespace suanzi::walk
