#include "walk/move.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "kernels/kernel.h"
#include "runtime/share.h"
#include "walk/movement.kernels.h"

namespace suanzi::walk {
namespace {

using namespace costs;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Axis {
  int64_t size, target, source;  // the size of the axis, and the steps in bytes
};

// The dimensions of a move, from the fastest to the slowest dimension of the target. The steps of the target are
// positive. Dimensions are merged as far as the strides of target and source allow.
struct Axes {
  Axis axis[max_rank];
  int count = 0;
  std::byte* target;
  const std::byte* source;

  Axes(const Dims& shape, const View& to, const View& from) : target(to.data), source(from.data) {
    const int element = size_of(to.dtype);
    for (int i = shape.size() - 1; i >= 0; --i) {
      if (shape[i] == 1) continue;
      Axis next{shape[i], to.strides[i] * element, from.strides[i] * element};
      if (next.target < 0) turn(next);
      int at = count++;
      for (; at > 0 && axis[at - 1].target > next.target; --at) axis[at] = axis[at - 1];
      axis[at] = next;
    }
    merge();
  }

  // Reverses the direction of the walk along an axis.
  void turn(Axis& a) {
    target += (a.size - 1) * a.target;
    source += (a.size - 1) * a.source;
    a.target = -a.target;
    a.source = -a.source;
  }

  void merge() {
    int last = 0;
    for (int i = 1; i < count; ++i) {
      Axis& before = axis[last];
      if (axis[i].target == before.target * before.size && axis[i].source == before.source * before.size) {
        before.size *= axis[i].size;
      } else {
        axis[++last] = axis[i];
      }
    }
    count = std::min(count, last + 1);
  }

  // Returns the axis with the shortest nonzero step in the source, or 0 if no step is shorter than the step of the
  // first axis.
  int nearest_in_source() const {
    int nearest = 0;
    for (int i = 1; i < count; ++i)
      if (axis[i].source != 0 && std::abs(axis[i].source) < std::abs(axis[nearest].source)) nearest = i;
    return nearest;
  }

  Axis take(int i) {
    const Axis taken = axis[i];
    std::copy(axis + i + 1, axis + count, axis + i);
    --count;
    return taken;
  }
};

}  // namespace

Move::Move(const Dims& shape, const View& target, const View& source) : target_(target.data), source_(source.data) {
  for (int64_t n : shape)
    if (n == 0) return;
  const int element = size_of(target.dtype);
  const MoveKernels& kernels = suanzi::kernels().move[std::countr_zero(static_cast<unsigned>(element))];
  Axes axes(shape, target, source);
  kernel_ = kernels.copy;
  if (axes.count == 0) {
    plane_ = {1, 1, element, 0, element, 0};
  } else {
    const Axis& first = axes.axis[0];
    int rows = 1;  // the axis of the rows of the plane
    bool crosses = false;
    if (first.target != element || (first.source != element && first.source != -element && first.source != 0)) {
      kernel_ = kernels.stride;
      const int nearest = axes.nearest_in_source();
      crosses = nearest != 0;
      if (crosses) rows = nearest;
      if (crosses && first.target == element && std::abs(axes.axis[rows].source) == element) {
        kernel_ = kernels.transpose;
        if (axes.axis[rows].source < 0) axes.turn(axes.axis[rows]);
      }
    } else if (first.source != element) {
      kernel_ = first.source == 0 ? kernels.fill : kernels.reverse;
    }
    const Axis row = axes.count > 1 ? axes.take(rows) : Axis{1, 0, 0};
    const Axis column = axes.take(0);
    plane_ = {column.size, row.size, column.target, row.target, column.source, row.source};
    set_blocks(element, crosses);
  }
  target_ = axes.target;
  source_ = axes.source;
  blocks_ = blocks_of_plane_;
  bytes_ = plane_.columns * plane_.rows * element;
  for (int i = 0; i < axes.count; ++i) {
    sizes_.push_back(axes.axis[i].size);
    target_steps_.push_back(axes.axis[i].target);
    source_steps_.push_back(axes.axis[i].source);
    blocks_ *= axes.axis[i].size;
    bytes_ *= axes.axis[i].size;
  }
}

void Move::set_blocks(int element_size, bool crosses) {
  const int64_t area = (crosses ? crossing_bytes : block_bytes) / element_size;
  const int64_t least_rows = crosses ? crossing_rows : 1;
  const int64_t columns = std::max(crosses ? crossing_columns : 1, area / std::min(plane_.rows, least_rows));
  block_columns_ = std::min(plane_.columns, columns);
  block_rows_ = std::min(plane_.rows, std::max(least_rows, area / block_columns_ / least_rows * least_rows));
  // The code divides the rows evenly, so that all blocks have about the same height.
  if (!crosses) block_rows_ = ceil_div(plane_.rows, ceil_div(plane_.rows, block_rows_));
  blocks_across_ = ceil_div(plane_.columns, block_columns_);
  blocks_of_plane_ = blocks_across_ * ceil_div(plane_.rows, block_rows_);
}

void Move::run(int64_t first, int64_t last, bool stream) const {
  Plane whole = plane_;
  whole.stream = stream;
  if (blocks_ == 1 && first < last) return kernel_(target_, source_, whole);
  std::byte* target = target_;
  const std::byte* source = source_;
  int64_t block = first % blocks_of_plane_, plane = first / blocks_of_plane_;
  int64_t at[max_rank];
  for (int d = 0; d < sizes_.size(); plane /= sizes_[d++]) {
    at[d] = plane % sizes_[d];
    target += at[d] * target_steps_[d];
    source += at[d] * source_steps_[d];
  }
  for (int64_t i = first; i < last; ++i) {
    if (blocks_of_plane_ == 1) {
      kernel_(target, source, whole);
    } else {
      const int64_t c = block % blocks_across_ * block_columns_, r = block / blocks_across_ * block_rows_;
      Plane part = whole;
      part.columns = std::min(block_columns_, plane_.columns - c);
      part.rows = std::min(block_rows_, plane_.rows - r);
      kernel_(target + c * plane_.target_column + r * plane_.target_row,
              source + c * plane_.source_column + r * plane_.source_row, part);
    }
    if (++block < blocks_of_plane_) continue;
    block = 0;
    for (int d = 0; d < sizes_.size(); ++d) {
      target += target_steps_[d];
      source += source_steps_[d];
      if (++at[d] < sizes_[d]) break;
      at[d] = 0;
      target -= sizes_[d] * target_steps_[d];
      source -= sizes_[d] * source_steps_[d];
    }
  }
}

void run(std::span<const Move> moves) {
  int64_t bytes = 0;
  for (const Move& move : moves) bytes += move.bytes();
  if (!is_shared(bytes)) {
    for (const Move& move : moves) move.run();
    return;
  }
  const bool stream = passes_caches(2 * bytes);
  const int64_t pieces = range_count(bytes, ceil_div(bytes, block_bytes));
  // The code divides each move of many blocks among all threads in the same way. If several moves write each row of one
  // target (concat along the last axis), the threads then write different rows, and not parts of the same cache lines.
  if (std::ranges::all_of(moves, [](const Move& move) { return move.blocks() >= 2 * num_threads(); })) {
    return parallel_for(pieces, length_of(bytes), [&](int64_t piece) {
      for (const Move& move : moves)
        move.run(move.blocks() * piece / pieces, move.blocks() * (piece + 1) / pieces, stream);
    });
  }
  // Each piece is a range of the concatenated bytes of all moves, rounded to blocks.
  for_ranges(pieces, bytes, bytes, [&](int64_t, int64_t begin, int64_t end) {
    int64_t start = 0;
    for (const Move& move : moves) {
      const int64_t length = std::max<int64_t>(move.bytes(), 1);
      const auto block_at = [&](int64_t place) {
        const auto part = static_cast<__int128>(std::clamp<int64_t>(place - start, 0, length));
        return static_cast<int64_t>(part * move.blocks() / length);
      };
      if (start < end && start + length > begin) move.run(block_at(begin), block_at(end), stream);
      start += move.bytes();
    }
  });
}

Moves::Moves(int64_t bytes) : Moves(!is_shared(bytes), false) {}

Moves Moves::of_one_thread(int64_t bytes) { return {true, passes_caches(2 * bytes)}; }

void Moves::add(const Dims& shape, const View& target, const View& source) {
  if (at_once_) {
    const Move move(shape, target, source);
    return move.run(0, move.blocks(), stream_);
  }
  waiting_.emplace_back(shape, target, source);
  if (waiting_.size() == waiting_moves) finish();
}

void Moves::finish() {
  walk::run(waiting_);
  waiting_.clear();
}

}  // namespace suanzi::walk
