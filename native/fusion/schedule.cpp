#include "fusion/schedule.h"

#include <algorithm>

#include "runtime/share.h"
#include "runtime/tile_shape.h"
#include "walk/copy.h"

namespace suanzi::fusion {
namespace {

// A block of consecutive rows. The rows have the same index in every leading dimension except the last divided
// dimension.
struct Block {
  Dims begin;     // an index for each divided dimension of the rows
  int64_t count;  // the number of rows along the last divided dimension
};

// The blocks of a schedule. A block has one index of each outer dimension of the rows, a range of one dimension, and
// all indices of the inner dimensions.
class Blocks {
 public:
  Blocks(const Dims& rows, int64_t wanted) : rows_(rows) {
    int64_t inner = 1;
    cut_ = rows.size() - 1;
    while (cut_ > 0 && inner * rows[cut_] <= wanted) inner *= rows[cut_--];
    length_ = std::clamp<int64_t>(wanted / std::max<int64_t>(inner, 1), 1, std::max<int64_t>(rows[cut_], 1));
    ranges_ = (rows[cut_] + length_ - 1) / length_;
    count_ = ranges_;
    for (int d = 0; d < cut_; ++d) count_ *= rows[d];
  }
  int64_t count() const { return count_; }
  Block at(int64_t number) const {
    Block block{Dims(cut_ + 1), 0};
    block.begin[cut_] = number % ranges_ * length_;
    block.count = std::min(length_, rows_[cut_] - block.begin[cut_]);
    number /= ranges_;
    for (int d = cut_ - 1; d >= 0; number /= rows_[d--]) block.begin[d] = number % rows_[d];
    return block;
  }

 private:
  const Dims& rows_;
  int cut_;
  int64_t length_, ranges_, count_;
};

// Returns the shape of the part of a value that belongs to a block. Dimension d of the rows is dimension d - skipped of
// `shape`. For each dimension that the block cuts, the function calls see(axis, start of the block).
template <class See>
Dims within(const Block& block, const Dims& shape, int skipped, See see) {
  Dims left = shape;
  for (int d = 0; d < block.begin.size(); ++d) {
    const int axis = d - skipped;
    if (axis < 0 || axis >= shape.size() || shape[axis] == 1) continue;
    left[axis] = d + 1 == block.begin.size() ? block.count : 1;
    see(axis, block.begin[d]);
  }
  return left;
}

Dims within(const Block& block, const Dims& shape, int skipped) {
  return within(block, shape, skipped, [](int, int64_t) {});
}

Tensor part_of(const Tensor& whole, const Block& block, int skipped) {
  int64_t offset = 0;
  Dims shape =
      within(block, whole.shape, skipped, [&](int axis, int64_t begin) { offset += begin * whole.strides[axis]; });
  return make_view(whole, std::move(shape), whole.strides, offset);
}

class Run {
 public:
  Run(const Schedule& schedule, std::span<const Tensor> inputs, std::span<const double> scalars,
      std::span<const Tensor> targets);
  std::vector<Tensor> all();

 private:
  const Value& value(int i) const { return schedule_.values[static_cast<size_t>(i)]; }
  Tensor& whole(int i) { return wholes_[static_cast<size_t>(i)]; }
  Tensor reduced(const Item& item, const Tensor& x) const {
    return item.reduction->compute(item.reduction->name, x, item.options);
  }
  void make(int i);
  void run_item(const Item& item);
  void run_blocks(std::span<const Item> items);
  void run_item(const Item& item, const Block& block, std::vector<Tensor>& local);
  const Tensor& in_block(const Use& use, const Block& block, std::vector<Tensor>& local, std::vector<Tensor>& parts);

  const Schedule& schedule_;
  std::span<const double> scalars_;
  std::span<const Tensor> targets_;
  std::vector<Tensor> wholes_;  // the whole values, which are empty until an item computes them
  std::vector<int> last_item_;  // the last item that needs a value as a whole
};

// Returns true if the schedule may compute the value directly in target k. The target's elements must be contiguous as
// in a new tensor, because the order of a sum depends on the layout. The target's memory must not belong to an input or
// another target.
bool takes_place(std::span<const Tensor> targets, size_t k, const Value& value, std::span<const Tensor> inputs) {
  const Tensor& target = targets[k];
  if (!target.storage || target.dtype != value.dtype || !target.contiguous || value.order) return false;
  // Two storages may have common memory, for example if both were made from arrays that overlap.
  const auto shares = [&](const Tensor& x) {
    return x.storage.get() == target.storage.get() || may_overlap(x, target);
  };
  return std::ranges::none_of(inputs, shares) && std::ranges::count_if(targets, shares) == 1;
}

Run::Run(const Schedule& schedule, std::span<const Tensor> inputs, std::span<const double> scalars,
         std::span<const Tensor> targets)
    : schedule_(schedule),
      scalars_(scalars),
      targets_(targets),
      wholes_(schedule.values.size()),
      last_item_(schedule.values.size(), -1) {
  size_t given = 0, target = 0;
  for (size_t i = 0; i < schedule.values.size(); ++i) {
    const Value& value = schedule.values[i];
    if (value.role == Value::Role::output && !targets.empty()) {
      const size_t k = target++;
      if (takes_place(targets, k, value, inputs)) wholes_[i] = targets[k];
    }
    if (value.role != Value::Role::input) continue;
    if (given == inputs.size()) fail(Status::internal_error, "fuse: ", given, " inputs are too few");
    const Tensor& x = inputs[given++];
    check_alive("fuse", x);
    if (x.dtype != value.dtype || x.shape != value.shape)
      fail(Status::internal_error, "fuse: an input has shape ", x.shape, ", but shape ", value.shape, " was traced");
    wholes_[i] = x;
  }
  for (size_t k = 0; k < schedule.items.size(); ++k)
    for (const Use& use : schedule.items[k].inputs) last_item_[static_cast<size_t>(use.value)] = static_cast<int>(k);
}

void Run::make(int i) {
  const Value& v = value(i);
  if (!whole(i).storage) whole(i) = make_empty("fuse", v.shape, v.dtype, v.order ? &*v.order : nullptr);
}

void Run::run_item(const Item& item) {
  std::vector<Tensor> inputs, outputs;
  for (const Use& use : item.inputs) inputs.push_back(whole(use.value));
  if (item.reduction) {
    Tensor& place = whole(item.outputs[0].value);
    Tensor result = item.program ? item.program->fold(*item.reduction, item.options, item.shape, inputs, scalars_)
                                 : reduced(item, inputs[0]);
    if (place.storage) {
      copy_into("fuse", place, result);
    } else {
      place = std::move(result);
    }
    return;
  }
  for (const Use& use : item.outputs) {
    make(use.value);
    outputs.push_back(whole(use.value));
  }
  item.program->run(item.shape, inputs, scalars_, outputs);
}

const Tensor& Run::in_block(const Use& use, const Block& block, std::vector<Tensor>& local,
                            std::vector<Tensor>& parts) {
  Tensor& place = local[static_cast<size_t>(use.value)];
  if (whole(use.value).storage) return parts.emplace_back(part_of(whole(use.value), block, use.skipped));
  const Value& v = value(use.value);
  Dims shape = within(block, v.shape, use.skipped);
  if (!place.storage || place.shape != shape) place = make_empty("fuse", shape, v.dtype);
  return parts.emplace_back(place);
}

void Run::run_item(const Item& item, const Block& block, std::vector<Tensor>& local) {
  std::vector<Tensor> inputs, outputs;
  for (const Use& use : item.inputs) in_block(use, block, local, inputs);
  if (item.reduction) {
    const Use& use = item.outputs[0];
    Tensor result = reduced(item, inputs[0]);
    if (whole(use.value).storage) {
      copy_into("fuse", in_block(use, block, local, outputs), result);
    } else {
      local[static_cast<size_t>(use.value)] = std::move(result);
    }
    return;
  }
  for (const Use& use : item.outputs) in_block(use, block, local, outputs);
  item.program->run(within(block, item.shape, item.outputs[0].skipped), inputs, scalars_, outputs);
}

void Run::run_blocks(std::span<const Item> items) {
  bool heavy = false;
  int64_t rows = 1;
  for (const int64_t n : schedule_.rows) rows *= n;
  for (const Item& item : items) {
    heavy |= item.program && item.program->heavy;
    for (const Use& use : item.outputs)
      if (value(use.value).role == Value::Role::output) make(use.value);
  }
  if (rows == 0) return;
  const Blocks blocks(schedule_.rows, schedule_.block_rows());
  int64_t work;
  if (__builtin_mul_overflow(rows, schedule_.row_bytes * (heavy ? costs::function_cost : 1), &work)) work = INT64_MAX;
  share(work, blocks.count(), [&](int64_t first, int64_t last) {
    std::vector<Tensor> local(schedule_.values.size());
    for (int64_t b = first; b < last; ++b) {
      const Block block = blocks.at(b);
      for (const Item& item : items) run_item(item, block, local);
    }
  });
}

std::vector<Tensor> Run::all() {
  const std::span<const Item> items = schedule_.items;
  for (size_t k = 0; k < items.size();) {
    size_t end = k + 1;
    if (items[k].blocked) {
      while (end < items.size() && items[end].blocked) ++end;
      run_blocks(items.subspan(k, end - k));
    } else {
      run_item(items[k]);
    }
    k = end;
    for (size_t i = 0; i < wholes_.size(); ++i)
      if (value(static_cast<int>(i)).role == Value::Role::temporary && last_item_[i] < static_cast<int>(k))
        wholes_[i] = {};
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < wholes_.size(); ++i)
    if (value(static_cast<int>(i)).role == Value::Role::output) outputs.push_back(std::move(wholes_[i]));
  for (size_t k = 0; k < targets_.size(); ++k)
    if (targets_[k].storage && outputs[k].storage.get() != targets_[k].storage.get()) {
      copy_into("fuse", targets_[k], outputs[k]);
      outputs[k] = targets_[k];
    }
  return outputs;
}

}  // namespace

int64_t Schedule::block_rows() const {
  if (const Dims* const tile = tile_shape(); tile && tile->size() >= rows.size()) {
    int64_t count = 1;
    for (int d = 0; d < rows.size(); ++d)
      if (__builtin_mul_overflow(count, (*tile)[d], &count)) count = INT64_MAX;
    return count;
  }
  return std::max<int64_t>(1, costs::fused_block / std::max<int64_t>(row_bytes, 1));
}

std::vector<Tensor> Schedule::run(std::span<const Tensor> inputs, std::span<const double> scalars,
                                  std::span<const Tensor> targets) const {
  const TileWalk in_tiles(tile_shape());
  return Run(*this, inputs, scalars, targets).all();
}

}  // namespace suanzi::fusion
