#include "ops/reduce/reduce.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "ops/reduce/products.h"
#include "runtime/costs.h"
#include "tensor/text.h"
#include "walk/copy.h"
#include "walk/reduction_walk.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

using walk::Cursor;
using walk::Elements;
using walk::ReductionWalk;

Scalar identity(Reduction op, DType t) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case Reduction::prod:
    case Reduction::all:
      return Scalar::of(int64_t{1});
    case Reduction::exponentials:
      return Scalar::of(std::complex<double>(-infinity, 0));
    case Reduction::max:
    case Reduction::min:
      break;
    default:
      return Scalar::of(int64_t{0});
  }
  const bool lowest = op == Reduction::max;
  if (is_floating(t)) return Scalar::of(lowest ? -infinity : infinity);
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

const ReduceKernels& kernels_of(Reduction op, DType t) {
  return kernels().reduce[static_cast<int>(op)][static_cast<int>(t)];
}

// Combines the n accumulators at `acc` with the n accumulators at `other`. Each accumulator at `acc` is the fold of
// `before` elements, and each accumulator at `other` is the fold of `more` elements.
void merge(Reduction op, DType accumulator, std::byte* acc, const std::byte* other, int64_t n, int64_t before,
           int64_t more) {
  const MergeKernel merge_pairs = kernels().accumulator[static_cast<int>(op)].merge;
  if (merge_pairs) return merge_pairs(acc, other, n, before, more);
  kernels_of(merging(op), accumulator).across(acc, other, n, 1, 0, before);
}

// Combines rows of n accumulators each into the first row, pairwise. Each accumulator is the fold of `each` elements of
// a column of `total` elements. In the last row, each accumulator is the fold of the column's remaining elements.
void merge_rows(Reduction op, DType accumulator, std::byte* rows, int64_t count, int64_t n, int64_t each,
                int64_t total) {
  const int64_t row_bytes = n * size_of(accumulator);
  for (int64_t span = 1; span < count; span *= 2)
    for (int64_t i = 0; i + span < count; i += 2 * span) {
      const int64_t more = std::min(total, (i + 2 * span) * each) - (i + span) * each;
      merge(op, accumulator, rows + i * row_bytes, rows + (i + span) * row_bytes, n, span * each, more);
    }
}

// Reduces one tensor to accumulators.
class Reducer {
 public:
  Reducer(const char* name, Reduction op, const Elements& x, uint64_t axes, const Staging& staging, RangeWatch* watch);
  Tensor run();

 private:
  using Scratch = ReductionWalk::Scratch;

  void reduce_along();
  void fold_across(Scratch& scratch, const ReductionWalk::Slab& slab, std::byte* accumulators) const;
  void reduce_across();

  const char* name_;
  Reduction op_;
  DType input_;  // the type that the kernels read
  DType accumulator_;
  Tensor result_;  // the accumulators, with only the kept dimensions
  ReductionWalk walk_;
  ElementBuffer identity_;
  RangeWatch* watch_;  // a watch for products that may leave the range of their accumulators, or null
};

Tensor make_accumulators(const char* name, const Tensor& x, uint64_t axes, DType dtype) {
  Dims shape;
  for (int i = 0; i < x.rank(); ++i)
    if (!(axes >> i & 1)) shape.push_back(x.shape[i]);
  return make_empty(name, shape, dtype);
}

Reducer::Reducer(const char* name, Reduction op, const Elements& x, uint64_t axes, const Staging& staging,
                 RangeWatch* watch)
    : name_(name),
      op_(op),
      input_(staging.input),
      accumulator_(accumulator_type(op, input_)),
      result_(make_accumulators(name, x.tensor, axes, accumulator_)),
      walk_(x, axes, input_, staging.convert, result_),
      watch_(watch) {
  store_scalar(name, identity(op, accumulator_), accumulator_, identity_);
}

void Reducer::reduce_along() {
  const FoldKernel fold = kernels_of(op_, input_).along;
  const int acc_size = size_of(accumulator_);
  if (walk_.has_whole_rows()) {
    return walk_.for_whole_rows(acc_size, [&](const void* elements, int64_t target, int64_t rows, int64_t step) {
      const RangeWatch::Guard watching(watch_);
      std::byte* const accumulators = result_.data + target;
      walk::repeat(accumulators, identity_.bytes, acc_size, rows);
      fold(accumulators, elements, walk_.reduced(), rows, step, 0);
    });
  }
  const int64_t chunks = walk_.chunks_along();
  const Tensor partials = chunks == 1 ? Tensor{} : make_empty(name_, {walk_.kept(), chunks}, accumulator_);
  // Once the truth value of a row differs from the initial value, no other element changes the truth value. The code
  // therefore need not read later chunks of such a row.
  const bool may_settle = accumulator_ == DType::boolean;
  const auto settles = may_settle ? ReductionWalk::Settles::all : ReductionWalk::Settles::nothing;
  std::vector<std::atomic<bool>> settled_rows(may_settle && chunks > 1 ? static_cast<size_t>(walk_.kept()) : 0);
  const int64_t counting = walk_.for_runs(settles, [&](Scratch& scratch, const ReductionWalk::Run& run) {
    std::byte* const acc =
        chunks == 1 ? result_.data + run.target : partials.data + (run.kept * chunks + run.chunk) * acc_size;
    std::atomic<bool>* const row = settled_rows.empty() ? nullptr : &settled_rows[static_cast<size_t>(run.kept)];
    if (row && row->load(std::memory_order_relaxed)) return false;
    std::copy_n(identity_.bytes, acc_size, acc);
    const RangeWatch::Guard watching(watch_);
    walk_.for_tiles(scratch, run,
                    [&](const void* elements, int64_t at, int64_t n) { fold(acc, elements, n, 1, 0, at - run.start); });
    const bool settled = may_settle && *acc != identity_.bytes[0];
    if (row && settled) row->store(true, std::memory_order_relaxed);
    return settled;
  });
  if (chunks == 1) return;
  const std::byte settled_value = ~identity_.bytes[0] & std::byte{1};
  if (counting == 0) {
    *result_.data = settled_value;
    return;
  }
  const RangeWatch::Guard watching(watch_);
  Cursor target(walk_.result_path(), 0);
  for (int64_t k = 0; k < walk_.kept(); ++k, target.advance(1)) {
    if (!settled_rows.empty() && settled_rows[static_cast<size_t>(k)].load(std::memory_order_relaxed)) {
      result_.data[target.offset()] = settled_value;
      continue;
    }
    std::byte* const row = partials.data + k * chunks * acc_size;
    merge_rows(op_, accumulator_, row, counting, 1, walk::chunk_elements, walk_.reduced());
    std::copy_n(row, acc_size, result_.data + target.offset());
  }
}

void Reducer::fold_across(Scratch& scratch, const ReductionWalk::Slab& slab, std::byte* accumulators) const {
  const FoldKernel fold = kernels_of(op_, input_).across;
  walk::repeat(accumulators, identity_.bytes, size_of(accumulator_), slab.count);
  walk_.for_rows(scratch, slab, [&](const void* elements, int64_t row, int64_t rows, int64_t step) {
    fold(accumulators, elements, slab.count, rows, step, row - slab.first);
  });
}

void Reducer::reduce_across() {
  const int acc_size = size_of(accumulator_);
  const int64_t kept = walk_.kept(), chunks = walk_.chunks_across();
  const Tensor partials = chunks == 1 ? Tensor{} : make_empty(name_, {chunks, kept}, accumulator_);
  walk_.for_slabs([&](Scratch& scratch, const ReductionWalk::Slab& slab) {
    alignas(64) std::byte accumulators[walk::piece_elements * 16];
    const RangeWatch::Guard watching(watch_);
    fold_across(scratch, slab, accumulators);
    if (chunks == 1) {
      walk::scatter(result_.data, accumulators, walk_.result_path(), acc_size, slab.start, slab.count);
    } else {
      std::copy_n(accumulators, slab.count * acc_size, partials.data + (slab.chunk * kept + slab.start) * acc_size);
    }
  });
  if (chunks == 1) return;
  const RangeWatch::Guard watching(watch_);
  merge_rows(op_, accumulator_, partials.data, chunks, kept, walk_.rows_per_chunk(), walk_.reduced());
  walk::scatter(result_.data, partials.data, walk_.result_path(), acc_size, 0, kept);
}

Tensor Reducer::run() {
  if (walk_.kept() == 0) return result_;
  if (walk_.reduced() == 0) {
    walk::repeat(result_.data, identity_.bytes, size_of(accumulator_), walk_.kept());
  } else if (walk_.along()) {
    reduce_along();
  } else {
    reduce_across();
  }
  return std::move(result_);
}

// Returns `rows` rows of a contiguous matrix. The rows begin at element `first`, and the matrix has `columns` columns.
Tensor rows_of(const Elements& x, int64_t first, int64_t rows, int64_t columns) {
  if (x.producer) return walk::produced_like({rows, columns}, x.tensor.dtype);
  return make_view(x.tensor, {rows, columns}, {columns, 1}, first);
}

// Folds the rows of a contiguous matrix with few columns into one row. Several rows side by side form a wide row.
// Returns nothing for other operands.
std::optional<Tensor> reduce_narrow(const char* name, Reduction op, const Elements& of, uint64_t axes,
                                    const Staging& staging, RangeWatch* watch) {
  // The order of summation depends on `narrow` and on `wide`.
  constexpr int64_t narrow = 128, wide = 512;
  const Tensor& x = of.tensor;
  if (!x.contiguous || x.rank() != 2 || axes != 1 || x.shape[1] >= narrow || x.shape[1] == 0) return std::nullopt;
  const int64_t columns = x.shape[1], group = wide / columns, groups = x.shape[0] / group;
  if (groups < 4) return std::nullopt;
  const int64_t grouped = groups * group * columns, rest = x.shape[0] - groups * group;
  const Tensor whole = rows_of(of, 0, groups, group * columns), tail = rows_of(of, grouped, rest, columns);
  const Tensor sums = Reducer(name, op, {whole, of.producer, of.first}, 1, staging, watch).run();
  const RangeWatch::Guard watching(watch);
  merge_rows(op, sums.dtype, sums.data, group, columns, groups, group * groups);
  const Tensor others = Reducer(name, op, {tail, of.producer, of.first + grouped}, 1, staging, nullptr).run();
  merge(op, sums.dtype, sums.data, others.data, columns, group * groups, rest);
  return make_view(sums, {columns}, {1});
}

// Returns the greatest number of elements that one call of a kernel folds in the same order as a Reducer. A Reducer
// combines the folds of chunks pairwise, as kernels combine their blocks. In contrast, kernels fold one piece after the
// other for 16-bit floating types, for products of complex numbers, and for accumulators that are pairs of numbers.
int64_t most_at_once(Reduction op, DType t) {
  const bool in_turn = kernels().accumulator[static_cast<int>(op)].merge || (is_floating(t) && size_of(t) == 2) ||
                       (is_complex(t) && op == Reduction::prod);
  return in_turn ? walk::chunk_elements : costs::whole_reduction;
}

// Folds all elements of a small contiguous tensor. The result is the same as the result of a Reducer, whose
// preparations would take longer than the fold.
Tensor reduce_small(const char* name, Reduction op, const Tensor& x, const Dims& shape) {
  const DType acc = accumulator_type(op, x.dtype);
  const Tensor result = make_empty(name, shape, acc);
  ElementBuffer start;
  store_scalar(name, identity(op, acc), acc, start);
  std::copy_n(start.bytes, size_of(acc), result.data);
  kernels_of(op, x.dtype).along(result.data, x.data, x.size, 1, 0, 0);
  return result;
}

// Computes max and min of strings. Max and min of strings have no identity, so the function finds each result by a
// search for the greatest or least of its elements.
Tensor choose_text(const char* name, Reduction op, const Tensor& x, uint64_t axes, bool keepdims) {
  Dims kept_first, reduced, kept, shape;
  for (int i = 0; i < x.rank(); ++i) {
    const bool is_reduced = axes >> i & 1;
    (is_reduced ? reduced : kept_first).push_back(i);
    if (!is_reduced) kept.push_back(x.shape[i]);
    if (!is_reduced || keepdims) shape.push_back(is_reduced ? 1 : x.shape[i]);
  }
  for (const int64_t axis : reduced) kept_first.push_back(axis);
  const Tensor ordered = to_contiguous(name, permute(name, x, kept_first)), result = make_empty(name, kept, x.dtype);
  const int sign = op == Reduction::max ? 1 : -1;
  const int64_t n = result.size ? x.size / result.size : 0;
  const Text* row = ordered.as<Text>();
  for (int64_t i = 0; i < result.size; ++i, row += n)
    result.as<Text>()[i] =
        *std::max_element(row, row + n, [=](const Text& a, const Text& b) { return sign * compare(a, b) < 0; });
  keep_referents(result, ordered);
  return *reshape_view(result, shape);
}

// Returns true if the result of a reduction over `axes` has an element.
bool keeps_any(const Tensor& x, uint64_t axes) {
  for (int i = 0; i < x.rank(); ++i)
    if (!(axes >> i & 1) && x.shape[i] == 0) return false;
  return true;
}

}  // namespace

Staging stage_as(const char* name, const Tensor& x, DType input) {
  if (x.dtype == input) return {input, nullptr};
  const Kernel convert = kernels().convert[static_cast<int>(x.dtype)][static_cast<int>(input)];
  if (!convert) fail(Status::type_mismatch, name, ": ", suanzi::name(x.dtype), " cannot become ", suanzi::name(input));
  return {input, convert};
}

DType computed_as(DType elements, DType wanted) {
  const bool are_digits = is_floating(elements) || (is_complex(elements) && is_complex(wanted));
  DType common = wanted;
  return are_digits && !is_integer(wanted) && kind(wanted) != Kind::boolean && promote(elements, wanted, common)
             ? common
             : wanted;
}

namespace {

Tensor fold(const char* name, Reduction op, const Elements& of, uint64_t axes, bool keepdims, const Staging& staging,
            RangeWatch* watch) {
  const Tensor& x = of.tensor;
  Dims shape;
  bool whole = true;
  for (int i = 0; i < x.rank(); ++i) {
    const bool reduced = axes >> i & 1;
    if (!reduced && x.shape[i] != 1) whole = false;
    if (!reduced || keepdims) shape.push_back(reduced ? 1 : x.shape[i]);
  }
  if (whole && x.contiguous && !staging.convert && x.size <= most_at_once(op, x.dtype)) {
    const RangeWatch::Guard watching(watch);
    return reduce_small(name, op, x, shape);
  }
  const auto narrow = reduce_narrow(name, op, of, axes, staging, watch);
  const Tensor result = narrow ? *narrow : Reducer(name, op, of, axes, staging, watch).run();
  return *reshape_view(result, shape);
}

}  // namespace

Tensor accumulate(const char* name, Reduction op, const Elements& of, uint64_t axes, bool keepdims,
                  const Staging& staging) {
  if (of.producer && of.tensor.size <= costs::whole_reduction)
    return accumulate(name, op, in_memory(name, of), axes, keepdims, staging);
  if (op != Reduction::prod || !(is_floating(staging.input) || is_complex(staging.input)))
    return fold(name, op, of, axes, keepdims, staging, nullptr);
  RangeWatch watch;
  const Tensor result = fold(name, op, of, axes, keepdims, staging, &watch);
  if (watch.noted()) [[unlikely]]
    mend_products(of, axes, staging, result);
  return result;
}

Tensor reduce(const char* name, Reduction op, const Elements& of, uint64_t axes, bool keepdims,
              std::optional<DType> dtype) {
  const Tensor& x = of.tensor;
  if (!of.producer) check_alive(name, x);
  const bool logical = op == Reduction::all || op == Reduction::any;
  const bool ordering = op == Reduction::max || op == Reduction::min;
  const DType wanted = dtype.value_or(x.dtype);
  const DType input = logical ? x.dtype : ordering ? wanted : computed_as(x.dtype, wanted);
  const bool text = ordering && input == DType::string;
  if (!text && !kernels_of(op, input).along)
    fail(Status::type_mismatch, name, ": element type ", suanzi::name(input),
         input == DType::string ? " is not a number" : " has no order");
  const Staging staging = stage_as(name, x, input);
  if (ordering && x.size == 0 && keeps_any(x, axes))
    fail(Status::invalid_argument, name, ": shape ", x.shape, " has no elements to choose from");
  if (text) return choose_text(name, op, x, axes, keepdims);
  const Tensor result = accumulate(name, op, of, axes, keepdims, staging);
  const bool wide = !dtype && (is_integer(x.dtype) || kind(x.dtype) == Kind::boolean);
  const DType type = logical ? dtype.value_or(DType::boolean) : wide && !ordering ? result.dtype : wanted;
  return result.dtype == type ? result : cast(name, result, type);
}

}  // namespace suanzi
