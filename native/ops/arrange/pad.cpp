#include "ops/arrange/pad.h"

#include <algorithm>

#include "runtime/share.h"
#include "walk/copy.h"
#include "walk/move.h"

namespace suanzi {
namespace {

using walk::View;

// The source of the padded elements. Padded elements are copies of `element` if the mode is `constant`, and otherwise
// copies of elements of the given tensor.
struct Surroundings {
  PadMode mode;
  ElementBuffer element;
};

// The result of a padding under construction. The class extends the axes from the last to the first. The slabs at the
// two ends of an axis have the result's sizes along the later axes, and the sizes of x along the earlier axes. The
// class fills a slab with a constant, or with copies of elements that the result already contains.
class Padding {
 public:
  Padding(const Tensor& x, const Dims& before, const Dims& after, const Surroundings& with, const Tensor& result,
          walk::Moves moves)
      : x_(x), before_(before), after_(after), with_(with), result_(result), moves_(std::move(moves)) {}

  void place_middle() {
    int64_t offset = 0;
    for (int i = 0; i < x_.rank(); ++i) offset += before_[i] * result_.strides[i];
    moves_.add(x_.shape, {at(offset), x_.dtype, result_.strides}, View::of(x_));
  }

  // Extends axes [first, last) of the result, beginning with the last of these axes, and waits for all moves.
  void extend(int first, int last) {
    for (int axis = last - 1; axis >= first; --axis) {
      if (with_.mode == PadMode::constant) {
        fill(axis);
      } else if (before_[axis] > 0 || after_[axis] > 0) {
        repeat(axis);
      }
    }
    moves_.finish();
  }

 private:
  void fill(int axis) {
    // The move kernel reads the element and does not write to the element.
    const View value{const_cast<std::byte*>(with_.element.bytes), x_.dtype, Dims(x_.rank(), 0)};
    moves_.add(slab(axis, before_[axis]), target(axis, 0), value);
    moves_.add(slab(axis, after_[axis]), target(axis, end(axis)), value);
  }

  void repeat(int axis) {
    moves_.finish();
    const PadMode mode = with_.mode;
    const int64_t n = x_.shape[axis], first = before_[axis], last = end(axis) - 1;
    if (mode == PadMode::edge || (mode == PadMode::reflect && n == 1)) {
      copy(axis, 0, first, first, 0);
      copy(axis, end(axis), after_[axis], last, 0);
      return;
    }
    // In the modes `reflect` and `symmetric`, the first `mirrored` elements beyond an end of the axis mirror the
    // elements before this end. In all modes, the further elements repeat with the period `period`.
    const int64_t skipped = mode == PadMode::reflect ? 1 : 0;
    const int64_t mirrored = mode == PadMode::wrap ? 0 : n - skipped;
    const int64_t period = mode == PadMode::wrap ? n : 2 * mirrored;
    int64_t filled = std::min(mirrored, after_[axis]);
    copy(axis, end(axis), filled, last - skipped, -1);
    for (int64_t more; filled < after_[axis]; filled += more) {
      const int64_t back = (n + filled) / period * period;
      more = std::min(back, after_[axis] - filled);
      copy(axis, end(axis) + filled, more, end(axis) + filled - back, 1);
    }
    filled = std::min(mirrored, first);
    copy(axis, first - filled, filled, first + skipped + filled - 1, -1);
    for (int64_t more; filled < first; filled += more) {
      const int64_t back = (n + filled) / period * period;
      more = std::min(back, first - filled);
      copy(axis, first - filled - more, more, first - filled - more + back, 1);
    }
  }

  int64_t end(int axis) const { return before_[axis] + x_.shape[axis]; }
  std::byte* at(int64_t offset) const { return result_.data + offset * size_of(x_.dtype); }

  // Returns the shape of `count` layers across an axis.
  Dims slab(int axis, int64_t count) const {
    Dims sizes = result_.shape;
    for (int i = 0; i < axis; ++i) sizes[i] = x_.shape[i];
    sizes[axis] = count;
    return sizes;
  }
  // Returns a view of every `step`-th layer of the result across `axis`, beginning with layer `start`.
  View target(int axis, int64_t start, int64_t step = 1) const {
    int64_t offset = start * result_.strides[axis];
    for (int i = 0; i < axis; ++i) offset += before_[i] * result_.strides[i];
    View view{at(offset), x_.dtype, result_.strides};
    view.strides[axis] *= step;
    return view;
  }
  // Copies `count` layers of the result across `axis` to unfilled layers, beginning with layer `to`. The copied layers
  // are from, from + step, ….
  void copy(int axis, int64_t to, int64_t count, int64_t from, int64_t step) {
    if (count == 0) return;
    moves_.add(slab(axis, count), target(axis, to), target(axis, from, step));
    moves_.finish();
  }

  const Tensor& x_;
  const Dims& before_;
  const Dims& after_;
  const Surroundings& with_;
  const Tensor& result_;
  walk::Moves moves_;
};

// Returns the axis whose layers threads share. This axis is the first axis with at least `parts` layers, or otherwise
// the axis with the most layers. The last axis is excluded, because threads do not share parts of a row. Returns -1 if
// no axis has a layer for each thread.
int shared_axis(const Dims& shape, int64_t parts) {
  int longest = -1;
  int64_t most = num_threads() - 1;
  for (int i = 0; i < shape.size() - 1 && most < parts; ++i) {
    if (shape[i] <= most) continue;
    most = shape[i];
    longest = i;
  }
  return longest;
}

// Places x in the result and extends the axes after `axis`. Each of `parts` tasks handles an equal share of the layers
// of `axis`. The function also extends `axis` itself, unless a task would then read layers of another task. Returns the
// first axis that the function has extended. The caller extends the axes before this axis.
int pad_layers(const Tensor& x, const Dims& before, const Dims& after, const Surroundings& with, const Tensor& result,
               int axis, int64_t parts) {
  const int64_t layers = x.shape[axis];
  const bool ends = with.mode != PadMode::wrap && std::max(before[axis], after[axis]) < layers / parts;
  Dims none_before = before, none_after = after;
  int64_t offset = 0;
  for (int i = 0; i <= axis; ++i) {
    offset += before[i] * result.strides[i];
    none_before[i] = none_after[i] = 0;
  }
  parallel_for(parts, length_of(result.nbytes()), [&](int64_t part) {
    const int64_t start = layers * part / parts, count = layers * (part + 1) / parts - start;
    Dims first = none_before, last = none_after, from = x.shape, to = result.shape;
    if (ends && part == 0) first[axis] = before[axis];
    if (ends && part == parts - 1) last[axis] = after[axis];
    from[axis] = count;
    for (int i = 0; i <= axis; ++i) to[i] = first[i] + from[i] + last[i];
    const Tensor taken = make_view(x, from, x.strides, start * x.strides[axis]);
    const Tensor target = make_view(result, to, result.strides, offset + (start - first[axis]) * result.strides[axis]);
    Padding padding(taken, first, last, with, target, walk::Moves::of_one_thread(result.nbytes()));
    padding.place_middle();
    padding.extend(ends ? axis : axis + 1, x.rank());
  });
  return ends ? axis : axis + 1;
}

}  // namespace

Tensor pad(const Tensor& x, const Dims& before, const Dims& after, PadMode mode, const Scalar& value) {
  Dims shape = x.shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (before[i] < 0 || after[i] < 0)
      fail(Status::invalid_argument, "pad: width (", before[i], ", ", after[i], ") of axis ", i, " is negative");
    if (mode != PadMode::constant && x.shape[i] == 0 && (before[i] > 0 || after[i] > 0))
      fail(Status::invalid_argument, "pad: shape ", x.shape, " is empty along axis ", i,
           ", so that only mode 'constant' can pad it");
    if (__builtin_add_overflow(before[i], after[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], x.shape[i], &shape[i]))
      fail(Status::alloc_failed, "pad: the size of axis ", i, " is past 64 bits");
  }
  Surroundings with{mode, {}};
  // The code refuses an invalid value before the allocation of memory.
  if (mode == PadMode::constant) store_scalar("pad", value, x.dtype, with.element);
  const Tensor result = make_empty("pad", shape, x.dtype);
  if (mode == PadMode::constant) store_element("pad", value, x.dtype, result, with.element);
  if (result.size == 0) return result;
  keep_referents(result, x);
  const int64_t bytes = result.nbytes();
  const bool shared = is_shared(bytes) && x.size > 0;
  const int64_t parts = std::max<int64_t>(bytes / costs::padded_bytes, num_threads());
  const int axis = shared ? shared_axis(x.shape, parts) : -1;
  Padding padding(x, before, after, with, result, walk::Moves(shared ? bytes : 0));
  int extended = x.rank();
  if (axis >= 0) {
    extended = pad_layers(x, before, after, with, result, axis, std::min(parts, x.shape[axis]));
  } else {
    padding.place_middle();
  }
  padding.extend(0, extended);
  return result;
}

}  // namespace suanzi
