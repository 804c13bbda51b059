#include "tile/reduce.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "tile/elementwise.h"
#include "tile/reduction_walk.h"
#include "tile/staging.h"

namespace suanzi {
namespace {

using tile::Cursor;
using tile::ReductionWalk;

Scalar identity(Reduction op, DType t) {
  switch (op) {
    case Reduction::sum:
    case Reduction::any:
      return Scalar::of(int64_t{0});
    case Reduction::prod:
    case Reduction::all:
      return Scalar::of(int64_t{1});
    default:
      break;
  }
  const bool lowest = op == Reduction::max;
  if (is_floating(t))
    return Scalar::of(lowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
  const int bits = 8 * size_of(t);
  Scalar s = Scalar::of(int64_t{0});
  if (kind(t) == Kind::boolean) {
    s.magnitude = lowest ? 0 : 1;
  } else if (kind(t) == Kind::unsigned_integer) {
    s.magnitude = lowest ? 0 : ~uint64_t{0} >> (64 - bits);
  } else {
    s.negative = lowest;
    s.magnitude = (uint64_t{1} << (bits - 1)) - (lowest ? 0 : 1);
  }
  s.value = static_cast<double>(s.magnitude);
  return s;
}

// One reduction of one tensor to its accumulators.
class Reducer {
 public:
  Reducer(Reduction op, const Tensor& x, uint64_t axes, DType input);
  Tensor run();

 private:
  using Scratch = ReductionWalk::Scratch;

  const ReduceKernels& kernels_of(DType t) const {
    return kernels().reduce[static_cast<int>(op_)][static_cast<int>(t)];
  }
  void reduce_along();
  void fold_across(Scratch& scratch, const ReductionWalk::Slab& slab, std::byte* accumulators) const;
  void reduce_across();

  Reduction op_;
  DType input_;  // the type that the kernels read
  DType accumulator_;
  Tensor result_;  // accumulators, kept dimensions alone
  ReductionWalk walk_;
  ElementBuffer identity_;
};

Tensor make_accumulators(Reduction op, const Tensor& x, uint64_t axes, DType dtype) {
  Dims shape;
  for (int i = 0; i < x.rank(); ++i)
    if (!(axes >> i & 1)) shape.push_back(x.shape[i]);
  return make_empty(reduction_names[static_cast<int>(op)].data(), shape, dtype);
}

Reducer::Reducer(Reduction op, const Tensor& x, uint64_t axes, DType input)
    : op_(op),
      input_(input),
      accumulator_(accumulator_type(op, input)),
      result_(make_accumulators(op, x, axes, accumulator_)),
      walk_(x, axes, input, converter(x.dtype, input), result_) {
  store_scalar(reduction_names[static_cast<int>(op)].data(), identity(op, accumulator_), accumulator_, identity_);
}

void Reducer::reduce_along() {
  const FoldKernel fold = kernels_of(input_).along;
  const int acc_size = size_of(accumulator_);
  const int64_t chunks = walk_.chunks_along();
  const Tensor partials = chunks == 1 ? Tensor{} : make_empty("reduce", {walk_.kept(), chunks}, accumulator_);
  // A truth value other than the one to start from stays, whatever follows.
  const bool may_settle = accumulator_ == DType::boolean;
  const int64_t counting = walk_.for_runs(may_settle, [&](Scratch& scratch, const ReductionWalk::Run& run) {
    std::byte* const acc =
        chunks == 1 ? result_.data + run.target : partials.data + (run.kept * chunks + run.chunk) * acc_size;
    std::copy_n(identity_.bytes, acc_size, acc);
    walk_.for_tiles(scratch, run, [&](const void* elements, int64_t, int64_t n) { fold(acc, elements, n); });
    return may_settle && *acc != identity_.bytes[0];
  });
  if (chunks == 1) return;
  Cursor target(walk_.result_path(), 0);
  for (int64_t k = 0; k < walk_.kept(); ++k, target.advance(1)) {
    std::byte* acc = result_.data + target.offset();
    std::copy_n(identity_.bytes, acc_size, acc);
    kernels_of(accumulator_).along(acc, partials.data + k * chunks * acc_size, counting);
  }
}

void Reducer::fold_across(Scratch& scratch, const ReductionWalk::Slab& slab, std::byte* accumulators) const {
  const FoldEachKernel fold = kernels_of(input_).across;
  tile::repeat(accumulators, identity_.bytes, size_of(accumulator_), slab.count);
  walk_.for_rows(scratch, slab, [&](const void* elements, int64_t, int64_t rows, int64_t step) {
    fold(accumulators, elements, slab.count, rows, step);
  });
}

void Reducer::reduce_across() {
  const int acc_size = size_of(accumulator_);
  const int64_t kept = walk_.kept(), chunks = walk_.chunks_across();
  const Tensor partials = chunks == 1 ? Tensor{} : make_empty("reduce", {chunks, kept}, accumulator_);
  walk_.for_slabs([&](Scratch& scratch, const ReductionWalk::Slab& slab) {
    alignas(64) std::byte accumulators[tile::piece_elements * 16];
    fold_across(scratch, slab, accumulators);
    if (chunks == 1) {
      tile::scatter(result_.data, accumulators, walk_.result_path(), acc_size, slab.start, slab.count);
    } else {
      std::copy_n(accumulators, slab.count * acc_size, partials.data + (slab.chunk * kept + slab.start) * acc_size);
    }
  });
  if (chunks == 1) return;
  std::vector<std::byte> total(static_cast<size_t>(kept * acc_size));
  for (int64_t k = 0; k < kept; ++k) std::copy_n(identity_.bytes, acc_size, total.data() + k * acc_size);
  kernels_of(accumulator_).across(total.data(), partials.data, kept, chunks, kept * acc_size);
  tile::scatter(result_.data, total.data(), walk_.result_path(), acc_size, 0, kept);
}

Tensor Reducer::run() {
  if (walk_.kept() == 0) return result_;
  if (walk_.reduced() == 0) {
    tile::repeat(result_.data, identity_.bytes, size_of(accumulator_), walk_.kept());
  } else if (walk_.along()) {
    reduce_along();
  } else {
    reduce_across();
  }
  return std::move(result_);
}

// A reduction over the rows of a contiguous matrix with few columns: several rows side by side make a wide one.
std::optional<Tensor> reduce_narrow(Reduction op, const Tensor& x, uint64_t axes, DType input) {
  constexpr int64_t narrow = 128, wide = 512;
  if (!x.contiguous || x.rank() != 2 || axes != 1 || x.shape[1] >= narrow || x.shape[1] == 0) return std::nullopt;
  const int64_t columns = x.shape[1], group = wide / columns, groups = x.shape[0] / group;
  if (groups < 4) return std::nullopt;
  const Tensor grouped = make_view(x, {groups, group * columns}, {group * columns, 1});
  const Tensor wide_sums = Reducer(op, grouped, 1, input).run();
  const DType acc = wide_sums.dtype;
  const Tensor sums = Reducer(op, make_view(wide_sums, {group, columns}, {columns, 1}), 1, acc).run();
  const int64_t rest = x.shape[0] - groups * group;
  const Tensor tail =
      Reducer(op, make_view(x, {rest, columns}, {columns, 1}, groups * group * columns), 1, input).run();
  kernels().reduce[static_cast<int>(op)][static_cast<int>(acc)].across(sums.data, tail.data, columns, 1, 0);
  return sums;
}

// All elements of a contiguous tensor that one chunk holds: what Reducer would do, without its preparations.
Tensor reduce_small(Reduction op, const Tensor& x, const Dims& shape) {
  const char* name = reduction_names[static_cast<int>(op)].data();
  const DType acc = accumulator_type(op, x.dtype);
  const Tensor result = make_empty(name, shape, acc);
  ElementBuffer start;
  store_scalar(name, identity(op, acc), acc, start);
  std::copy_n(start.bytes, size_of(acc), result.data);
  kernels().reduce[static_cast<int>(op)][static_cast<int>(x.dtype)].along(result.data, x.data, x.size);
  return result;
}

bool accepts(Reduction op, DType t) {
  return kernels().reduce[static_cast<int>(op)][static_cast<int>(t)].along != nullptr;
}

// The accumulators of the kept dimensions, reshaped to what keepdims asks for.
Tensor accumulate(Reduction op, const Tensor& x, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const char* name = reduction_names[static_cast<int>(op)].data();
  check_alive(name, x);
  const DType input = dtype.value_or(x.dtype);
  if (!accepts(op, input)) fail(Status::type_mismatch, name, ": element type ", suanzi::name(input), " has no order");
  if (!kernels().convert[static_cast<int>(x.dtype)][static_cast<int>(input)])
    fail(Status::type_mismatch, name, ": ", suanzi::name(x.dtype), " cannot become ", suanzi::name(input));
  const bool needs_elements = op == Reduction::max || op == Reduction::min;
  Dims shape, kept_shape;
  for (int i = 0; i < x.rank(); ++i) {
    const bool reduced = axes >> i & 1;
    if (!reduced) kept_shape.push_back(x.shape[i]);
    if (!reduced || keepdims) shape.push_back(reduced ? 1 : x.shape[i]);
  }
  const int64_t kept = product(kept_shape);
  if (needs_elements && x.size == 0 && kept != 0)
    fail(Status::invalid_argument, name, ": shape ", x.shape, " has no elements to choose from");
  if (kept == 1 && x.contiguous && x.dtype == input && x.size <= tile::chunk_elements)
    return reduce_small(op, x, shape);
  const auto narrow = reduce_narrow(op, x, axes, input);
  const Tensor result = narrow ? *narrow : Reducer(op, x, axes, input).run();
  return *reshape_view(result, shape);
}

}  // namespace

Tensor reduce(Reduction op, const Tensor& x, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  const Tensor result = accumulate(op, x, axes, keepdims, dtype);
  const bool wide = !dtype && (is_integer(x.dtype) || kind(x.dtype) == Kind::boolean);
  const bool logical = op == Reduction::all || op == Reduction::any;
  const bool ordering = op == Reduction::max || op == Reduction::min;
  const DType type = logical ? DType::boolean : wide && !ordering ? result.dtype : dtype.value_or(x.dtype);
  return result.dtype == type ? result : cast(reduction_names[static_cast<int>(op)].data(), result, type);
}

Tensor mean(const Tensor& x, uint64_t axes, bool keepdims, std::optional<DType> dtype) {
  check_alive("mean", x);
  const bool whole = is_integer(x.dtype) || kind(x.dtype) == Kind::boolean;
  const DType type = dtype.value_or(whole ? DType::float32 : x.dtype);
  if (!is_floating(type) && !is_complex(type))
    fail(Status::type_mismatch, "mean: element type ", name(type), " is not one of floating, complex");
  double count = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (axes >> i & 1) count *= static_cast<double>(x.shape[i]);
  // Integers are added as float64, which does not wrap around.
  Tensor sum = accumulate(Reduction::sum, x, axes, keepdims, whole ? DType::float64 : dtype);
  const Operand operands[] = {{&sum, {}}, {nullptr, Scalar::of(count)}};
  elementwise(Operation::true_divide, operands, &sum);
  return sum.dtype == type ? sum : cast("mean", sum, type);
}

}  // namespace suanzi
