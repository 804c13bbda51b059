#include "walk/reduction_walk.h"

namespace suanzi::walk {

ReductionWalk::ReductionWalk(const Elements& of, uint64_t axes, DType input, Kernel convert, const Tensor& result,
                             int64_t longest, bool numbered)
    : x_(of.tensor), producer_(of.producer), first_(of.first), input_(input), convert_(convert), longest_(longest) {
  const Tensor& x = x_;
  Dims kept_shape, kept_strides, reduced_shape, reduced_strides;
  for (int i = 0; i < x.rank(); ++i) {
    const bool reduced = axes >> i & 1;
    (reduced ? reduced_shape : kept_shape).push_back(x.shape[i]);
    (reduced ? reduced_strides : kept_strides).push_back(x.strides[i]);
  }
  kept_size_ = result.size;
  reduced_size_ = kept_size_ ? x.size / kept_size_ : 0;
  const View reduced_view{x.data, x.dtype, reduced_strides}, kept_view{x.data, x.dtype, kept_strides};
  const Dims kept_order = walking_order(kept_shape, kept_view);
  const Dims reduced_order = numbered ? row_major_order(reduced_shape) : walking_order(reduced_shape, reduced_view);
  reduced_ = make_path(reduced_shape, reduced_order, reduced_view);
  kept_ = make_path(kept_shape, kept_order, kept_view);
  result_path_ = make_path(kept_shape, kept_order, View::of(result));
}

const void* ReductionWalk::load(Scratch& scratch, const std::byte* base, const Path& path, int64_t start,
                                int64_t count) const {
  const int size = size_of(x_.dtype);
  const std::byte* elements = in_place(const_cast<std::byte*>(base), path, size, start, count);
  if (!elements) {
    gather(scratch.native, base, path, size, start, count);
    elements = scratch.native;
  }
  return converted(scratch, elements, count);
}

const void* ReductionWalk::converted(Scratch& scratch, const void* elements, int64_t count) const {
  if (!convert_) return elements;
  convert_(scratch.converted, &elements, count, {});
  return scratch.converted;
}

const std::byte* ReductionWalk::produce(Scratch& scratch, int64_t offset, int64_t count, int64_t rows,
                                        int64_t step) const {
  const int size = size_of(x_.dtype);
  if (!scratch.room) scratch.room = producer_->make_room();
  std::byte* const made = scratch.produced.take<std::byte>(rows * count * size);
  if (rows == 1 || step == count * size) {
    producer_->produce(*scratch.room, first_ + offset / size, rows * count, made);
    return made;
  }
  for (int64_t r = 0; r < rows; ++r)
    producer_->produce(*scratch.room, first_ + (offset + r * step) / size, count, made + r * count * size);
  return made;
}

int64_t ReductionWalk::piece() const {
  const int64_t widest = std::max(size_of(x_.dtype), size_of(input_));
  return std::min({kept_.sizes[0], piece_elements, register_bytes / widest});
}

// Returns the number of columns of a slab. If slabs as wide as a piece would be too few for several threads, a slab is
// a quarter of a row, rounded up to a multiple of slab_step, but at least narrowest_slab columns and at most a
// piece wide.
int64_t ReductionWalk::slab_width() const {
  using namespace costs;
  const int64_t row = kept_.sizes[0], widest = piece();
  const int64_t slabs = kept_size_ / row * ((row + widest - 1) / widest) * chunks_across();
  if (slabs >= few_slabs || !is_shared(work())) return widest;
  return std::min(widest, std::max(narrowest_slab, (row / few_slabs + slab_step - 1) / slab_step * slab_step));
}

}  // namespace suanzi::walk
