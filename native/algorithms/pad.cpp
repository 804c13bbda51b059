#include "algorithms/pad.h"

#include <algorithm>

#include "tile/elementwise.h"
#include "tile/move.h"

namespace suanzi {
namespace {

using tile::View;

// Bytes of a result from which threads share it. The sides lie in the cache lines of the middle, which one thread has
// in its cache and two would have to pass on.
constexpr int64_t parallel_bytes = 1024 * 1024;

// The result under construction. Axes are extended from the last to the first: the slabs on both sides of an axis span
// what the later axes have grown to and the middle of the earlier ones, and are copied from the result itself.
class Padding {
 public:
  Padding(const Tensor& x, const Dims& before, const Dims& after, const Dims& shape)
      : x_(x), before_(before), after_(after), result_(make_empty("pad", shape, x.dtype)), moves_(shared_bytes()) {}

  void place_middle() {
    int64_t offset = 0;
    for (int i = 0; i < x_.rank(); ++i) offset += before_[i] * result_.strides[i];
    moves_.add(x_.shape, {at(offset), x_.dtype, result_.strides}, View::of(x_));
    keep_referents(result_, x_);
  }

  void adopt(const Scalar& value, ElementBuffer& element) const {
    store_element("pad", value, x_.dtype, result_, element);
  }

  void fill(int axis, const ElementBuffer& element) {
    const View value{const_cast<std::byte*>(element.bytes), x_.dtype, Dims(x_.rank(), 0)};  // only read
    moves_.add(slab(axis, before_[axis]), target(axis, 0), value);
    moves_.add(slab(axis, after_[axis]), target(axis, end(axis)), value);
  }

  void extend(int axis, PadMode mode) {
    moves_.finish();
    const int64_t n = x_.shape[axis], first = before_[axis], last = end(axis) - 1;
    if (mode == PadMode::edge || (mode == PadMode::reflect && n == 1)) {
      copy(axis, 0, first, first, 0);
      copy(axis, end(axis), after_[axis], last, 0);
      return;
    }
    // The first elements beyond an end mirror those before it, if anything is mirrored; after them it goes on in
    // periods.
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

  Tensor finish() {
    moves_.finish();
    return std::move(result_);
  }

 private:
  int64_t shared_bytes() const { return result_.nbytes() < parallel_bytes ? 0 : result_.nbytes(); }
  int64_t end(int axis) const { return before_[axis] + x_.shape[axis]; }
  std::byte* at(int64_t offset) const { return result_.data + offset * size_of(x_.dtype); }

  // The sizes of `count` layers across an axis.
  Dims slab(int axis, int64_t count) const {
    Dims sizes = result_.shape;
    for (int i = 0; i < axis; ++i) sizes[i] = x_.shape[i];
    sizes[axis] = count;
    return sizes;
  }
  // Layers from `start` on, every `step`-th.
  View target(int axis, int64_t start, int64_t step = 1) const {
    int64_t offset = start * result_.strides[axis];
    for (int i = 0; i < axis; ++i) offset += before_[i] * result_.strides[i];
    View view{at(offset), x_.dtype, result_.strides};
    view.strides[axis] *= step;
    return view;
  }
  // Layers of the result to where there are none yet.
  void copy(int axis, int64_t to, int64_t count, int64_t from, int64_t step) {
    if (count == 0) return;
    moves_.add(slab(axis, count), target(axis, to), target(axis, from, step));
    moves_.finish();
  }

  const Tensor& x_;
  const Dims& before_;
  const Dims& after_;
  Tensor result_;
  tile::Moves moves_;
};

}  // namespace

Tensor pad(const Tensor& x, const Dims& before, const Dims& after, PadMode mode, const Scalar& value) {
  Dims shape = x.shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (before[i] < 0 || after[i] < 0)
      fail(Status::invalid_argument, "pad: width (", before[i], ", ", after[i], ") of axis ", i, " is negative");
    if (mode != PadMode::constant && x.shape[i] == 0 && (before[i] > 0 || after[i] > 0))
      fail(Status::invalid_argument, "pad: axis ", i, " of shape ", x.shape, " has nothing to repeat; use constant");
    if (__builtin_add_overflow(before[i], after[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], x.shape[i], &shape[i]))
      fail(Status::alloc_failed, "pad: the size of axis ", i, " is past 64 bits");
  }
  ElementBuffer element;
  if (mode == PadMode::constant) store_scalar("pad", value, x.dtype, element);  // refused before memory is taken
  Padding padding(x, before, after, shape);
  if (mode == PadMode::constant) padding.adopt(value, element);
  if (product(shape) != 0) {
    padding.place_middle();
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      if (mode == PadMode::constant) {
        padding.fill(axis, element);
      } else if (before[axis] > 0 || after[axis] > 0) {
        padding.extend(axis, mode);
      }
    }
  }
  return padding.finish();
}

}  // namespace suanzi
