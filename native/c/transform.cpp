// The functions of suanzi/transform.h.
#include "c/arguments.h"
#include "c/handle.h"
#include "ops/arrange/arrange.h"
#include "ops/arrange/pad.h"
#include "ops/arrange/views.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/scatter.h"
#include "tensor/axes.h"
#include "walk/copy.h"

namespace suanzi::c {
namespace {

static_assert(SUANZI_PAD_WRAP + 1 == std::size(pad_mode_names));
static_assert(SUANZI_SCATTER_MAX + 1 == scatter_mode_count);

Tensor slice_of(const Tensor& x, const int64_t* begin, const int64_t* end, const int64_t* stride, const int64_t* axes,
                int64_t count) {
  constexpr const char* op = "slice";
  const Dims starts = integers(op, "begin", begin, count), stops = integers(op, "end", end, count);
  Dims steps(starts.size(), 1), along;
  if (stride) steps = integers(op, "stride", stride, count);
  for (int i = 0; i < starts.size(); ++i) along.push_back(axes ? axes[i] : i);
  return slice(x, along, starts, stops, steps);
}

Tensor reversed(const Tensor& x, const int64_t* axes, int64_t count, const int64_t* lengths, int64_t length_count,
                int64_t batch_axis) {
  constexpr const char* op = "reverse";
  if (!lengths) return flip(x, axes_or_all(op, axes, count, x.rank()));
  if (length_count < 0) fail(Status::invalid_argument, op, ": the count of lengths, ", length_count, ", is negative");
  const Dims along = integers(op, "axes", axes, count);
  if (along.size() != 1)
    fail(Status::dimensions_mismatch, op, ": lengths are for one axis, but ", along.size(), " axes are given");
  return reverse_prefixes(x, along[0], {lengths, static_cast<size_t>(length_count)}, batch_axis);
}

std::vector<Tensor> split_into(const Tensor& x, const int64_t* sizes, int64_t count, int64_t axis, bool uneven) {
  if (!sizes) return uneven ? split_unevenly(x, count, axis) : split_equally(x, count, axis);
  if (uneven)
    fail(Status::invalid_argument, "split: uneven goes with a number of parts, not with the sizes of the parts");
  return split(x, {sizes, static_cast<size_t>(count)}, axis);
}

// Returns the operand `x`, which holds updates, as a tensor of the type t. A scalar becomes a tensor without
// dimensions.
Tensor updates_of(const char* op, SuanziTensor x, DType t) {
  const Operand updates = operand(op, x);
  if (updates.tensor) return as_updates(op, *updates.tensor, t);
  const Tensor one = make_empty(op, {}, t);
  fill(op, one, updates.scalar);
  return one;
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

SuanziStatus suanzi_astype(const SuanziTensor x, SuanziDType dtype, SuanziTensor* y) {
  constexpr const char* op = "astype";
  return give(op, y, [&] {
    const suanzi::Tensor& from = dense(op, x);
    return cast(op, from, static_cast<suanzi::DType>(choice(op, "the element type", dtype, suanzi::dtype_count)));
  });
}

SuanziStatus suanzi_reshape(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y) {
  constexpr const char* op = "reshape";
  return give(op, y, [&] { return reshape(op, dense(op, x), integers(op, "the shape", dims, rank)); });
}

SuanziStatus suanzi_expand_dims(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y) {
  constexpr const char* op = "expand_dims";
  return give(op, y, [&] { return suanzi::expand_dims(dense(op, x), integers(op, "axes", axes, count)); });
}

SuanziStatus suanzi_squeeze(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y) {
  constexpr const char* op = "squeeze";
  return give(op, y, [&] {
    const suanzi::Tensor& from = dense(op, x);
    return suanzi::squeeze(from, axes ? axes_or_all(op, axes, count, from.rank()) : suanzi::unit_axes(from.shape));
  });
}

SuanziStatus suanzi_transpose(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y) {
  constexpr const char* op = "transpose";
  return give(op, y, [&] {
    const suanzi::Tensor& from = dense(op, x);
    return axes ? permute(op, from, integers(op, "axes", axes, count)) : suanzi::reverse_axes(op, from);
  });
}

SuanziStatus suanzi_split(const SuanziTensor x, const int64_t* sizes, int64_t count, int64_t axis, bool uneven,
                          SuanziTensor* parts) {
  return give_list("split", parts, count, [&] { return split_into(dense("split", x), sizes, count, axis, uneven); });
}

SuanziStatus suanzi_concat(const SuanziTensor* tensors, int64_t count, const int64_t* axis, SuanziTensor* y) {
  return give("concat", y,
              [&] { return suanzi::concat(dense_list("concat", tensors, count), optional_integer(axis), nullptr); });
}

SuanziStatus suanzi_stack(const SuanziTensor* tensors, int64_t count, int64_t axis, SuanziTensor* y) {
  return give("stack", y, [&] { return suanzi::stack(dense_list("stack", tensors, count), axis, nullptr); });
}

SuanziStatus suanzi_unstack(const SuanziTensor x, int64_t axis, int64_t count, SuanziTensor* parts) {
  return give_list("unstack", parts, count, [&] { return suanzi::unstack(dense("unstack", x), axis); });
}

SuanziStatus suanzi_slice(const SuanziTensor x, const int64_t* begin, const int64_t* end, const int64_t* stride,
                          const int64_t* axes, int64_t count, SuanziTensor* y) {
  return give("slice", y, [&] { return slice_of(dense("slice", x), begin, end, stride, axes, count); });
}

SuanziStatus suanzi_tile(const SuanziTensor x, const int64_t* repetitions, int64_t count, SuanziTensor* y) {
  constexpr const char* op = "tile";
  return give(op, y, [&] { return tile_tensor(dense(op, x), integers(op, "repetitions", repetitions, count)); });
}

SuanziStatus suanzi_pad(const SuanziTensor x, const int64_t* before, const int64_t* after, int64_t count, int32_t mode,
                        const SuanziScalar* value, SuanziTensor* y) {
  constexpr const char* op = "pad";
  return give(op, y, [&] {
    const suanzi::Tensor& from = dense(op, x);
    const auto widths = {integers(op, "before", before, count), integers(op, "after", after, count)};
    const auto how = static_cast<suanzi::PadMode>(choice(op, "mode", mode, SUANZI_PAD_WRAP + 1));
    if (count != from.rank())
      fail(suanzi::Status::dimensions_mismatch, op, ": there are widths of ", count, " axes, but shape ", from.shape,
           " has ", from.rank());
    return pad(from, widths.begin()[0], widths.begin()[1], how, scalar_or(op, value, suanzi::zero_of(from.dtype)));
  });
}

SuanziStatus suanzi_reverse(const SuanziTensor x, const int64_t* axes, int64_t count, const int64_t* lengths,
                            int64_t length_count, int64_t batch_axis, SuanziTensor* y) {
  return give("reverse", y,
              [&] { return reversed(dense("reverse", x), axes, count, lengths, length_count, batch_axis); });
}

SuanziStatus suanzi_roll(const SuanziTensor x, const int64_t* shifts, const int64_t* axes, int64_t count,
                         SuanziTensor* y) {
  constexpr const char* op = "roll";
  return give(op, y, [&] {
    const suanzi::Dims by = integers(op, "shifts", shifts, count);
    std::optional<suanzi::Dims> along;
    if (axes) along = integers(op, "axes", axes, count);
    return suanzi::roll(dense(op, x), by, along);
  });
}

SuanziStatus suanzi_crop(const SuanziTensor x, const int64_t* offsets, const int64_t* dims, int64_t count,
                         SuanziTensor* y) {
  constexpr const char* op = "crop";
  return give(op, y, [&] {
    return suanzi::crop(dense(op, x), integers(op, "offsets", offsets, count), integers(op, "the shape", dims, count));
  });
}

SuanziStatus suanzi_gather(const SuanziTensor x, const SuanziTensor index, int64_t axis, SuanziTensor* y) {
  constexpr const char* op = "gather";
  return give(op, y, [&] { return take(op, dense(op, x), dense(op, index), axis); });
}

SuanziStatus suanzi_scatter(const SuanziTensor x, const SuanziTensor index, const SuanziTensor updates, int64_t axis,
                            int32_t mode, SuanziTensor* y) {
  constexpr const char* op = "scatter";
  return give(op, y, [&] {
    const suanzi::Tensor &target = dense(op, x), &at = dense(op, index);
    const auto how = static_cast<suanzi::ScatterMode>(choice(op, "mode", mode, suanzi::scatter_mode_count));
    return scatter(op, target, at, updates_of(op, updates, target.dtype), axis, how, nullptr);
  });
}

SuanziStatus suanzi_expand(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y) {
  constexpr const char* op = "expand";
  return give(op, y, [&] { return expand_keeping(op, dense(op, x), integers(op, "the shape", dims, rank)); });
}

SuanziStatus suanzi_flatten(const SuanziTensor x, int64_t start_axis, int64_t stop_axis, SuanziTensor* y) {
  return give("flatten", y, [&] { return suanzi::flatten(dense("flatten", x), start_axis, stop_axis); });
}

SuanziStatus suanzi_flip(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y) {
  constexpr const char* op = "flip";
  return give(op, y, [&] {
    const suanzi::Tensor& from = dense(op, x);
    return suanzi::flip(from, axes_or_all(op, axes, count, from.rank()));
  });
}

SuanziStatus suanzi_meshgrid(const SuanziTensor* tensors, int64_t count, bool cartesian, SuanziTensor* results) {
  return give_list("meshgrid", results, count,
                   [&] { return suanzi::meshgrid(dense_list("meshgrid", tensors, count), cartesian); });
}

SuanziStatus suanzi_index_select(const SuanziTensor x, const SuanziTensor index, int64_t axis, SuanziTensor* y) {
  constexpr const char* op = "index_select";
  return give(op, y, [&] { return index_select(op, dense(op, x), dense(op, index), axis); });
}
}
