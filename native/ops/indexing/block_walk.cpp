#include "ops/indexing/block_walk.h"

#include <bit>
#include <string>
#include <utility>

#include "kernels/kernel.h"
#include "ops/indexing/indexed.kernels.h"
#include "runtime/share.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

constexpr int64_t task_offsets = costs::offsets_of_task;

// Returns the path of a tensor along dimensions [first, last) of a shape. The position along the last dimension varies
// fastest.
walk::Path row_major_path(const walk::View& view, const Dims& shape, int first, int last) {
  Dims order;
  for (int d = last - 1; d >= first; --d) order.push_back(d);
  return make_path(shape, order, view);
}

}  // namespace

IndexReader::IndexReader(const Tensor& index, const Dims& shape, const Dims& strides, int first, int last, int64_t size,
                         int64_t stride)
    : data_(index.data),
      path_(row_major_path({index.data, index.dtype, strides}, shape, first, last)),
      look_up_(kernels().indexed->look_up[static_cast<int>(index.dtype)]),
      put_(kernels().indexed->put[static_cast<int>(index.dtype)]),
      element_size_(size_of(index.dtype)),
      size_(size),
      stride_(stride) {}

bool IndexReader::add_offsets(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp) const {
  alignas(64) std::byte staged[offsets_tile * sizeof(int64_t)];
  const std::byte* index = walk::in_place(data_, path_, element_size_, start, n);
  if (!index) {
    walk::gather(staged, data_, path_, element_size_, start, n);
    index = staged;
  }
  return look_up_(offsets, ramp, index, n, size_, stride_);
}

std::optional<bool> IndexReader::put(std::byte* target, const std::byte* values, int64_t n, int64_t bytes) const {
  const std::byte* index = walk::in_place(data_, path_, element_size_, 0, n);
  if (!index) return std::nullopt;
  return put_[std::countr_zero(static_cast<uint64_t>(bytes))](target, index, values, n, size_, stride_);
}

bool few_rows(const Tensor& x, const Tensor& index, int64_t (&offsets)[offsets_tile]) {
  if (!is_integer(index.dtype) || !index.contiguous || !x.contiguous || x.rank() == 0 || !x.storage || !index.storage ||
      index.size == 0 || index.size > offsets_tile || x.size == 0)
    return false;
  const int64_t row_bytes = x.nbytes() / x.shape[0];
  if (row_bytes > costs::few_rows_bytes / index.size) return false;
  const Ramp same{0, 0};
  return kernels().indexed->look_up[static_cast<int>(index.dtype)](offsets, &same, index.data, index.size, x.shape[0],
                                                                   row_bytes);
}

BlockWalk::BlockWalk(const char* op, const IndexedView& view, bool whole_blocks) : op_(op), view_(view) {
  const Dims& shape = view.shape;
  if (product(shape) == 0) {
    outer_count_ = rows_ = 0;
    return;
  }
  const auto is_free = [&](int d) {
    return std::all_of(view.lookups.begin(), view.lookups.end(), [&](const Lookup& l) { return l.strides[d] == 0; });
  };
  int first = 0, last = shape.size();
  while (whole_blocks && last > 0 && (shape[last - 1] == 1 || view.strides[last - 1] == block_length_) &&
         is_free(last - 1))
    block_length_ *= shape[--last];
  while (first < last && is_free(first)) outer_count_ *= shape[first++];
  for (int d = first; d < last; ++d) middle_count_ *= shape[d];
  if (outer_count_ > 1 && middle_count_ > costs::largest_table) {
    middle_count_ *= std::exchange(outer_count_, 1);
    first = 0;
  }
  for (int d = 0; d < last && (view.strides[d] != 0 || shape[d] == 1); ++d) rows_ *= shape[d];

  const walk::View base{view.base.data, view.base.dtype, view.strides};
  outer_ = row_major_path(base, shape, 0, first);
  positions_ = row_major_path(base, shape, first, last);
  readers_.reserve(view.lookups.size());
  for (const Lookup& l : view.lookups)
    readers_.emplace_back(l.index, shape, l.strides, first, last, l.size, l.stride * size_of(view.base.dtype));
  if (outer_count_ > 1) make_table();
}

void BlockWalk::make_table() {
  Tensor table = make_empty(op_, {middle_count_}, DType::int64);
  for (int64_t start = 0; start < middle_count_; start += offsets_tile)
    compute_offsets(start, std::min(offsets_tile, middle_count_ - start), table.as<int64_t>() + start);
  table_ = std::move(table);
}

void BlockWalk::compute_offsets(int64_t start, int64_t n, int64_t* offsets) const {
  if (positions_.constant()) {
    const Ramp same{0, 0};
    return add_lookups(start, n, offsets, &same);
  }
  const bool long_rows = positions_.sizes[0] >= costs::long_index_row;
  walk::Cursor cursor(positions_, start);
  for (int64_t at = 0, run; at < n; at += run, cursor.advance(run)) {
    run = std::min(n - at, cursor.left_in_row());
    const Ramp row{cursor.offset(), cursor.step()};
    if (long_rows) {
      add_lookups(start + at, run, offsets + at, &row);
    } else {
      for (int64_t i = 0; i < run; ++i) offsets[at + i] = row.origin + i * row.step;
    }
  }
  if (!long_rows) add_lookups(start, n, offsets);
}

void BlockWalk::add_lookups(int64_t start, int64_t n, int64_t* offsets, const Ramp* ramp) const {
  for (const IndexReader& reader : readers_) {
    if (!reader.add_offsets(start, n, offsets, ramp)) fail_first();
    ramp = nullptr;
  }
}

bool BlockWalk::put(std::byte* target, const std::byte* values, int64_t bytes) const {
  if (table_.storage || !positions_.constant() || readers_.size() != 1) return false;
  const std::optional<bool> inside = readers_[0].put(target, values, blocks(), bytes);
  if (inside == false) fail_first();
  return inside.has_value();
}

// Checks every index once, even if the view uses the index repeatedly. Indices must be valid even if the view is empty.
void BlockWalk::check() const {
  // The code checked the indices of the table when it made the table.
  if (table_.storage) return;
  for (const Lookup& lookup : view_.lookups) {
    const Tensor& index = lookup.index;
    const IndexReader reader(index, index.shape, index.strides, 0, index.rank(), lookup.size, 1);
    const int64_t size = index.size, tasks = (size + task_offsets - 1) / task_offsets;
    parallel_for(tasks, size < costs::shared_offsets ? 1 : max_threads, length_of(index.nbytes()), [&](int64_t task) {
      const int64_t last = std::min(size, (task + 1) * task_offsets);
      for (int64_t start = task * task_offsets; start < last; start += offsets_tile)
        if (!reader.add_offsets(start, std::min(offsets_tile, last - start), nullptr)) fail_first();
    });
  }
}

// Reports the first invalid index of the first index tensor with an invalid index. The reported index does not depend
// on the order in which threads find invalid indices.
void BlockWalk::fail_first() const {
  for (const Lookup& lookup : view_.lookups) {
    const walk::Path path = row_major_path(walk::View::of(lookup.index), lookup.index.shape, 0, lookup.index.rank());
    walk::Cursor cursor(path, 0);
    for (int64_t i = 0; i < lookup.index.size; ++i, cursor.advance(1)) {
      const void* element = lookup.index.data + cursor.offset();
      int64_t value = 0;
      kernels().convert[static_cast<int>(lookup.index.dtype)][static_cast<int>(DType::int64)](&value, &element, 1, {});
      const bool huge = lookup.index.dtype == DType::uint64 && value < 0;
      if (!huge && value >= -lookup.size && value < lookup.size) continue;
      fail(Status::out_of_range, op_, ": index ",
           huge ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value), " is outside [", -lookup.size,
           ", ", lookup.size, ") along axis ", lookup.axis);
    }
  }
  fail(Status::out_of_range, op_, ": an index was changed while it was in use");
}

}  // namespace suanzi
