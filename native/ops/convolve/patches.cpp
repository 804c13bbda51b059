#include "ops/convolve/patches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "kernels/kernel.h"
#include "ops/convolve/convolve.kernels.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {
namespace {

// The columns of a panel whose positions are in one row of the result.
struct Segment {
  // The position of the first element that the first column reads. `row` has the element's indices in the dimensions
  // before the last, and `first` is the element's index in the last dimension. The element may be in the padding.
  int64_t row[max_spatial - 1];
  int64_t first;
  int32_t place, count;
};

constexpr int most_segments = 128;  // the number of columns of a panel of bytes in the widest vectors

int segments_of(const Geometry& g, int64_t column, int64_t count, Segment* segments) {
  const Axis& last = g.axes[2];
  int number = 0;
  for (int64_t done = 0; done < count;) {
    const int64_t place = column + done, row = place / last.out, within = place % last.out;
    const int64_t length = std::min(count - done, last.out - within);
    Segment& segment = segments[number++];
    segment.row[0] = row / g.axes[1].out * g.axes[0].stride - g.axes[0].before;
    segment.row[1] = row % g.axes[1].out * g.axes[1].stride - g.axes[1].before;
    segment.first = within * last.stride - last.before;
    segment.place = static_cast<int32_t>(done);
    segment.count = static_cast<int32_t>(length);
    done += length;
  }
  return number;
}

// Collects the runs of the terms. The class joins two runs of one term if the second run continues the first run.
class Runs {
 public:
  explicit Runs(PatchRun* runs) : runs_(runs) {}
  int32_t count() const { return count_; }
  void begin_term() { term_ = count_; }
  void add_padding(int32_t place, int32_t count) {
    if (count > 0) runs_[count_++] = {0, place, count, true};
  }
  void add(int64_t source, int32_t place, int32_t count, int64_t step) {
    if (count <= 0) return;
    if (count_ > term_) {
      PatchRun& last = runs_[count_ - 1];
      if (!last.is_padding && last.source + last.count * step == source) {
        last.count += count;
        return;
      }
    }
    runs_[count_++] = {source, place, count, false};
  }

 private:
  PatchRun* const runs_;
  int32_t count_ = 0, term_ = 0;
};

bool is_inside(int64_t i, int64_t size) { return i >= 0 && i < size; }

void add_segment(Runs& runs, const Geometry& g, const Segment& segment, int64_t k0, int64_t k1, int64_t k2) {
  const Axis& last = g.axes[2];
  const int64_t i0 = segment.row[0] + k0 * g.axes[0].dilation, i1 = segment.row[1] + k1 * g.axes[1].dilation;
  const int64_t first = segment.first + k2 * last.dilation;
  const int64_t count = segment.count;
  if (!is_inside(i0, g.axes[0].in) || !is_inside(i1, g.axes[1].in) || first >= last.in)
    return runs.add_padding(segment.place, segment.count);
  const int64_t begin = first < 0 ? std::min((-first - 1) / last.stride + 1, count) : 0;
  const int64_t end = std::clamp<int64_t>((last.in - 1 - first) / last.stride + 1, begin, count);
  runs.add_padding(segment.place, static_cast<int32_t>(begin));
  runs.add((i0 * g.axes[1].in + i1) * last.in + first + begin * last.stride,
           segment.place + static_cast<int32_t>(begin), static_cast<int32_t>(end - begin), last.stride);
  runs.add_padding(segment.place + static_cast<int32_t>(end), static_cast<int32_t>(count - end));
}

}  // namespace

void Patches::pack(std::byte* panel, int64_t width, int64_t column, int64_t count, int64_t term, int64_t terms) const {
  Segment segments[most_segments];
  const int number = segments_of(g_, column, count, segments);
  const int64_t all_taps = g_.taps(), taps = std::min(all_taps, terms);
  // The code keeps short tables on the stack.
  std::array<PatchRun, 192> few_runs;
  std::array<int32_t, 65> few_places;
  const bool is_short = taps * number * 3 <= std::ssize(few_runs) && taps < std::ssize(few_places);
  const ScratchArray<PatchRun> runs_memory(is_short ? 0 : taps * number * 3);
  const ScratchArray<int32_t> places_memory(is_short ? 0 : taps + 1);
  PatchRun* const table = is_short ? few_runs.data() : runs_memory.data();
  int32_t* const first = is_short ? few_places.data() : places_memory.data();
  Runs runs(table);
  const int64_t k1_count = g_.axes[1].kernel, k2_count = g_.axes[2].kernel;
  int64_t tap = term % all_taps;
  for (int64_t t = 0; t < taps; ++t) {
    runs.begin_term();
    first[t] = runs.count();
    const int64_t k0 = tap / k2_count / k1_count, k1 = tap / k2_count % k1_count, k2 = tap % k2_count;
    for (int i = 0; i < number; ++i) add_segment(runs, g_, segments[i], k0, k1, k2);
    if (++tap == all_taps) tap = 0;
  }
  first[taps] = runs.count();
  const int64_t channel = g_.elements();
  kernels().convolve->patches[std::countr_zero(static_cast<unsigned>(size_))](
      panel, {image_ + term / all_taps * channel * size_, channel, g_.axes[2].stride, table, first, taps,
              term % all_taps, all_taps, terms, width, padding_});
}

Geometry with_merged_axes(const Geometry& g) {
  Geometry merged = g;
  const auto is_plain = [](const Axis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.before == 0 && axis.out == axis.in;
  };
  Axis* const axes = merged.axes;
  const auto merge = [](Axis& first, Axis& second) {
    second.in *= first.in;
    second.out *= first.out;
    first = {};
  };
  if (is_plain(axes[1]) && is_plain(axes[2])) merge(axes[1], axes[2]);
  if (is_plain(axes[0]) && is_plain(axes[1])) merge(axes[0], axes[1]);
  if (is_plain(axes[1]) && is_plain(axes[2])) merge(axes[1], axes[2]);
  // Puts a dimension with a single position first, so that the last dimension, along which kernels read rows, is long.
  for (int i = 0; i < max_spatial - 1; ++i)
    if (is_plain(axes[2]) && axes[2].in == 1) std::rotate(axes, axes + 2, axes + max_spatial);
  return merged;
}

}  // namespace suanzi::convolve
