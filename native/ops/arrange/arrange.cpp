#include "ops/arrange/arrange.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/kernel.h"
#include "ops/arrange/views.h"
#include "runtime/share.h"
#include "walk/copy.h"
#include "walk/move.h"
#include "walk/movement.kernels.h"

namespace suanzi {
namespace {

using walk::View;

// Checks the list of operands and returns their common type.
DType common_type(const char* op, std::span<const Tensor> tensors) {
  if (tensors.empty()) fail(Status::invalid_argument, op, ": the sequence has no tensors");
  DType common = tensors[0].dtype;
  for (const Tensor& x : tensors) {
    const DType before = common;
    if (!promote(before, x.dtype, common))
      fail(Status::type_mismatch, op, ": ", name(before), " and ", name(x.dtype),
           " have no common type; cast one of them");
  }
  return common;
}

int64_t checked_sum(const char* op, int64_t a, int64_t b) {
  if (__builtin_add_overflow(a, b, &a)) fail(Status::alloc_failed, op, ": the sizes add up past 64 bits");
  return a;
}

int64_t checked_product(const char* op, int64_t a, int64_t b) {
  if (__builtin_mul_overflow(a, b, &a)) fail(Status::alloc_failed, op, ": the size of the result is past 64 bits");
  return a;
}

// The result of joining tensors. The class places the tensors in the result one by one, and casts each tensor whose
// type is not the type of the result.
class Assembly {
 public:
  // Creates the result. The class uses `out` as the result if `out` has the result's type and does not overlap an
  // operand.
  Assembly(const char* op, const Dims& shape, DType dtype, std::span<const Tensor> tensors, const Tensor* out)
      : op_(op), out_(out), result_(), moves_(0) {
    if (out) check_out(op, *out, shape, dtype);
    const bool direct = out && out->dtype == dtype && (shape.size() > 1 || out->contiguous) &&
                        std::ranges::none_of(tensors, [&](const Tensor& x) { return overlaps_partially(x, *out); });
    result_ = direct ? *out : make_empty(op, shape, dtype);
    moves_ = walk::Moves(result_.nbytes());
  }

  const Dims& strides() const { return result_.strides; }

  // Places `x` in the result. `strides` are the result's strides along the dimensions of `x`. The first element of `x`
  // is `offset` elements after the first element of the result.
  void place(const Tensor& x, int64_t offset, const Dims& strides) {
    if (x.size == 0) return;
    if (x.dtype != result_.dtype) return copy_into(op_, make_view(result_, x.shape, strides, offset), x);
    moves_.add(x.shape, {result_.data + offset * size_of(x.dtype), x.dtype, strides}, View::of(x));
    keep_referents(result_, x);
  }

  Tensor finish() {
    moves_.finish();
    if (!out_) return std::move(result_);
    if (result_.data != out_->data) copy_into(op_, *out_, result_);
    return *out_;
  }

 private:
  const char* op_;
  const Tensor* out_;
  Tensor result_;
  walk::Moves moves_;
};

Tensor concat_flat(std::span<const Tensor> tensors, const Tensor* out) {
  const DType common = common_type("concat", tensors);
  int64_t total = 0;
  for (const Tensor& x : tensors) total = checked_sum("concat", total, x.size);
  Assembly assembly("concat", {total}, common, tensors, out);
  int64_t offset = 0;
  for (const Tensor& x : tensors) {
    assembly.place(x, offset, contiguous_strides(x.shape));
    offset += x.size;
  }
  return assembly.finish();
}

// A dimension of the move that writes all repetitions, for `tile` and for `repeat` with one count. Along a repeating
// dimension, `source_step` is 0, so the move reads the same elements again.
struct Repetition {
  int64_t count, target_step, source_step;
};

Tensor repeated(const char* op, const Tensor& x, const Dims& shape, std::span<const Repetition> repetitions) {
  Tensor result = make_empty(op, shape, x.dtype);
  if (result.size == 0) return result;
  // The code leaves out dimensions of size 1. Fewer than max_rank dimensions have a size of 2 or more, because the
  // product of the sizes fits 64 bits.
  Dims sizes, target, source;
  for (const Repetition& r : repetitions) {
    if (r.count == 1) continue;
    sizes.push_back(r.count);
    target.push_back(r.target_step);
    source.push_back(r.source_step);
  }
  const walk::Move move(sizes, {result.data, x.dtype, target}, {x.data, x.dtype, source});
  walk::run({&move, 1});
  keep_referents(result, x);
  return result;
}

// Writes element i counts[i] times, one run after the other, in [target, end). Runs are usually short, and the lengths
// of runs are hard to predict. While enough memory is left before `end`, the function therefore always writes a few
// copies, and the next run overwrites surplus copies.
template <int Size>
void repeat_elements(std::byte* target, const std::byte* end, const std::byte* source,
                     std::span<const int64_t> counts) {
  using Element = std::array<std::byte, Size>;
  constexpr int few = std::max(16 / Size, 2), group = 4;
  for (auto count = counts.begin(); count != counts.end(); ++count, source += Size) {
    while (counts.end() - count > group && end - target >= group * few * Size) {
      const auto whole = count + group;
      for (; count != whole && *count <= few; ++count, source += Size) {
        std::array<Element, few> copies;
        for (Element& copy : copies) std::memcpy(&copy, source, Size);
        std::memcpy(target, &copies, sizeof copies);
        target += *count * Size;
      }
      if (count != whole) break;
    }
    for (int64_t i = 0; i < *count; ++i, target += Size) std::memcpy(target, source, Size);
  }
}

using RepeatElements = void (*)(std::byte*, const std::byte*, const std::byte*, std::span<const int64_t>);
constexpr RepeatElements repeat_elements_of_size[move_sizes] = {
    repeat_elements<1>, repeat_elements<2>, repeat_elements<4>, repeat_elements<8>, repeat_elements<16>};

[[noreturn, gnu::cold]] void fail_negative(std::span<const int64_t> counts) {
  fail(Status::invalid_argument, "repeat: ", *std::ranges::min_element(counts), " is a negative number of repetitions");
}

// Counts of repetitions, in pieces that threads share, and the position in the result at which each piece begins.
class Repetitions {
 public:
  explicit Repetitions(std::span<const int64_t> counts)
      : counts_(counts), pieces_(std::max<int64_t>(1, std::ssize(counts) / piece_rows)), starts_(1) {
    for (int64_t piece = 0; piece < pieces_; ++piece)
      starts_.push_back(checked_sum("repeat", starts_.back(), sum(of(piece))));
  }

  int64_t pieces() const { return pieces_; }
  int64_t total() const { return starts_.back(); }
  int64_t first(int64_t piece) const {
    const int64_t n = std::ssize(counts_);
    return n / pieces_ * piece + n % pieces_ * piece / pieces_;
  }
  std::span<const int64_t> of(int64_t piece) const {
    return counts_.subspan(static_cast<size_t>(first(piece)), static_cast<size_t>(first(piece + 1) - first(piece)));
  }
  int64_t start(int64_t piece) const { return starts_[static_cast<size_t>(piece)]; }

 private:
  static constexpr int64_t piece_rows = 2048;  // about the number of counts in a piece, which stay in the L1 cache

  // Sums that may overflow are rare. The bitwise OR of all counts shows whether the sum may overflow.
  static int64_t sum(std::span<const int64_t> counts) {
    uint64_t bits = 0, total = 0;
    for (const int64_t count : counts) {
      bits |= static_cast<uint64_t>(count);
      total += static_cast<uint64_t>(count);
    }
    if (static_cast<int64_t>(bits) < 0) fail_negative(counts);
    if (bits <= static_cast<uint64_t>(INT64_MAX) / std::max<size_t>(counts.size(), 1))
      return static_cast<int64_t>(total);
    return std::accumulate(counts.begin(), counts.end(), int64_t{0},
                           [](int64_t a, int64_t b) { return checked_sum("repeat", a, b); });
  }

  std::span<const int64_t> counts_;
  int64_t pieces_;
  std::vector<int64_t> starts_;
};

// Repeats each row of `row` elements in each block of n rows. `x` and `result` must be contiguous.
void repeat_rows(const Tensor& result, const Tensor& x, const Repetitions& repetitions, int64_t n, int64_t row) {
  const int element = size_of(x.dtype);
  const int exponent = std::countr_zero(static_cast<unsigned>(element));
  const MoveKernel copy = kernels().move[exponent].copy;
  const int64_t bytes = row * element, blocks = x.size / (n * row);
  parallel_for(repetitions.pieces(), is_shared(result.nbytes()) ? max_threads : 1, [&](int64_t piece) {
    for (int64_t block = 0; block < blocks; ++block) {
      std::byte* const first = result.data + block * repetitions.total() * bytes;
      std::byte* target = first + repetitions.start(piece) * bytes;
      const std::byte* source = x.data + (block * n + repetitions.first(piece)) * bytes;
      if (row == 1) {
        repeat_elements_of_size[exponent](target, first + repetitions.start(piece + 1) * bytes, source,
                                          repetitions.of(piece));
        continue;
      }
      for (const int64_t count : repetitions.of(piece)) {
        if (count > 0) copy(target, source, {row, count, element, bytes, element, 0});
        target += count * bytes;
        source += bytes;
      }
    }
  });
}

Tensor repeat_each(const Tensor& x, std::span<const int64_t> counts, int axis) {
  if (std::ssize(counts) != x.shape[axis])
    fail(Status::dimensions_mismatch, "repeat: ", counts.size(), " counts do not fit the ", x.shape[axis],
         " elements along axis ", axis, " of shape ", x.shape);
  const Repetitions repetitions(counts);
  Dims shape = x.shape;
  shape[axis] = repetitions.total();
  Tensor result = make_empty("repeat", shape, x.dtype);
  if (result.size == 0) return result;
  int64_t row = 1;
  for (int i = axis + 1; i < x.rank(); ++i) row *= x.shape[i];
  repeat_rows(result, to_contiguous("repeat", x), repetitions, x.shape[axis], row);
  keep_referents(result, x);
  return result;
}

}  // namespace

Tensor concat(std::span<const Tensor> tensors, OptionalAxis axis, const Tensor* out) {
  if (!axis) return concat_flat(tensors, out);
  const DType common = common_type("concat", tensors);
  Dims shape = tensors[0].shape;
  if (shape.empty()) fail(Status::dimensions_mismatch, "concat: tensors of shape () have no axis to join along");
  const int along = checked_axis("concat", *axis, shape.size());
  shape[along] = 0;
  for (const Tensor& x : tensors) {
    bool fits = x.rank() == shape.size();
    for (int i = 0; fits && i < x.rank(); ++i) fits = i == along || x.shape[i] == shape[i];
    if (!fits)
      fail(Status::dimensions_mismatch, "concat: shapes ", tensors[0].shape, " and ", x.shape,
           " differ in more than axis ", along);
    shape[along] = checked_sum("concat", shape[along], x.shape[along]);
  }
  Assembly assembly("concat", shape, common, tensors, out);
  int64_t offset = 0;
  for (const Tensor& x : tensors) {
    assembly.place(x, offset * assembly.strides()[along], assembly.strides());
    offset += x.shape[along];
  }
  return assembly.finish();
}

Tensor stack(std::span<const Tensor> tensors, int64_t axis, const Tensor* out) {
  const DType common = common_type("stack", tensors);
  const Dims& part = tensors[0].shape;
  if (part.size() == max_rank)
    fail(Status::invalid_argument, "stack: the result of tensors of shape ", part, " has more than the ", max_rank,
         " dimensions supported");
  const int along = checked_axis("stack", axis, part.size() + 1);
  for (const Tensor& x : tensors)
    if (x.shape != part) fail(Status::dimensions_mismatch, "stack: shapes ", part, " and ", x.shape, " differ");
  Dims shape;
  for (int i = 0; i <= part.size(); ++i)
    shape.push_back(i == along ? static_cast<int64_t>(tensors.size()) : part[i < along ? i : i - 1]);
  Assembly assembly("stack", shape, common, tensors, out);
  Dims strides;
  for (int i = 0; i <= part.size(); ++i)
    if (i != along) strides.push_back(assembly.strides()[i]);
  int64_t offset = 0;
  for (const Tensor& x : tensors) {
    assembly.place(x, offset, strides);
    offset += assembly.strides()[along];
  }
  return assembly.finish();
}

Tensor tile_tensor(const Tensor& x, const Dims& repetitions) {
  const int rank = std::max(x.rank(), repetitions.size());
  Dims shape(rank, 1), counts(rank, 1), steps(rank, 0);
  for (int i = 0; i < x.rank(); ++i) {
    shape[rank - x.rank() + i] = x.shape[i];
    steps[rank - x.rank() + i] = x.strides[i];
  }
  for (int i = 0; i < repetitions.size(); ++i) {
    if (repetitions[i] < 0)
      fail(Status::invalid_argument, "tile: repetitions ", repetitions, " have a negative number");
    counts[rank - repetitions.size() + i] = repetitions[i];
  }
  Dims total = shape;
  for (int i = 0; i < rank; ++i) total[i] = checked_product("tile", total[i], counts[i]);
  checked_size("tile", total, x.dtype);
  const Dims strides = contiguous_strides(total);
  std::vector<Repetition> axes;
  for (int i = 0; i < rank && product(total) != 0; ++i) {
    axes.push_back({counts[i], shape[i] * strides[i], 0});
    axes.push_back({shape[i], strides[i], steps[i]});
  }
  return repeated("tile", x, total, axes);
}

Tensor repeat(const Tensor& x, std::span<const int64_t> counts, OptionalAxis axis) {
  if (!axis) return repeat(reshape("repeat", x, {x.size}), counts, 0);
  const int along = checked_axis("repeat", *axis, x.rank());
  if (counts.size() != 1) return repeat_each(x, counts, along);
  if (counts[0] < 0) fail_negative(counts);
  Dims shape = x.shape;
  shape[along] = checked_product("repeat", shape[along], counts[0]);
  if (checked_size("repeat", shape, x.dtype) == 0) return make_empty("repeat", shape, x.dtype);
  const Dims strides = contiguous_strides(shape);
  std::vector<Repetition> axes;
  for (int i = 0; i < x.rank(); ++i) {
    axes.push_back({x.shape[i], i == along ? counts[0] * strides[i] : strides[i], x.strides[i]});
    if (i == along) axes.push_back({counts[0], strides[i], 0});
  }
  return repeated("repeat", x, shape, axes);
}

Tensor roll(const Tensor& x, const Dims& shifts, const std::optional<Dims>& given) {
  if (!given) {
    if (shifts.size() != 1)
      fail(Status::dimensions_mismatch, "roll: ", shifts.size(), " shifts are given, but no axes");
    return reshape("roll", roll(reshape("roll", x, {x.size}), shifts, Dims{0}), x.shape);
  }
  const Dims& axes = *given;
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1)
    fail(Status::dimensions_mismatch, "roll: shifts ", shifts, " and axes ", axes, " differ in length");
  Dims by(x.rank(), 0);
  for (int i = 0; i < std::max(shifts.size(), axes.size()); ++i) {
    if (shifts.empty() || axes.empty()) break;
    const int axis = checked_axis("roll", axes[axes.size() == 1 ? 0 : i], x.rank());
    const int64_t n = std::max<int64_t>(x.shape[axis], 1), shift = shifts[shifts.size() == 1 ? 0 : i] % n;
    // The two shifts are in [0, n), so the sum of the two shifts fits 64 bits.
    const uint64_t sum = static_cast<uint64_t>(by[axis]) + static_cast<uint64_t>(shift < 0 ? shift + n : shift);
    by[axis] = static_cast<int64_t>(sum % static_cast<uint64_t>(n));
  }
  Tensor result = make_empty("roll", x.shape, x.dtype);
  if (result.size == 0) return result;
  // The code cuts each rolled axis into two parts. A piece of the tensor consists of one part of each rolled axis.
  Dims rolling;
  for (int i = 0; i < x.rank(); ++i)
    if (by[i] != 0) rolling.push_back(i);
  walk::Moves moves(result.nbytes());
  for (uint64_t piece = 0; piece >> rolling.size() == 0; ++piece) {
    Dims sizes = x.shape;
    int64_t to = 0, from = 0;
    for (int k = 0; k < rolling.size(); ++k) {
      const int i = static_cast<int>(rolling[k]);
      const bool wraps = piece >> k & 1;
      sizes[i] = wraps ? by[i] : x.shape[i] - by[i];
      (wraps ? from : to) += (wraps ? x.shape[i] - by[i] : by[i]) * (wraps ? x.strides[i] : result.strides[i]);
    }
    const int element = size_of(x.dtype);
    moves.add(sizes, {result.data + to * element, x.dtype, result.strides},
              {x.data + from * element, x.dtype, x.strides});
  }
  moves.finish();
  keep_referents(result, x);
  return result;
}

Tensor reverse_prefixes(const Tensor& x, int64_t axis, std::span<const int64_t> lengths, int64_t batch_axis) {
  const int along = checked_axis("reverse", axis, x.rank()), batch = checked_axis("reverse", batch_axis, x.rank());
  if (along == batch) fail(Status::invalid_argument, "reverse: axis ", axis, " is also the batch axis");
  if (static_cast<int64_t>(lengths.size()) != x.shape[batch])
    fail(Status::dimensions_mismatch, "reverse: ", lengths.size(), " lengths do not fit the ", x.shape[batch],
         " elements along axis ", batch, " of shape ", x.shape);
  const int64_t n = x.shape[along];
  for (int64_t length : lengths)
    if (length < 0 || length > n)
      fail(Status::out_of_range, "reverse: length ", length, " is outside [0, ", n, "] of axis ", along);
  const Tensor result = make_empty("reverse", x.shape, x.dtype);
  if (result.size == 0) return result;
  walk::Moves moves(result.nbytes());
  const auto move = [&](const Tensor& target, const Tensor& source) {
    moves.add(target.shape, View::of(target), View::of(source));
  };
  for (int64_t i = 0; i < x.shape[batch]; ++i) {
    const int64_t length = lengths[static_cast<size_t>(i)];
    const Tensor from = narrow(x, batch, {i, 1, 1}), to = narrow(result, batch, {i, 1, 1});
    move(narrow(to, along, {0, length, 1}), flip(narrow(from, along, {0, length, 1}), uint64_t{1} << along));
    move(narrow(to, along, {length, n - length, 1}), narrow(from, along, {length, n - length, 1}));
  }
  moves.finish();
  keep_referents(result, x);
  return result;
}

}  // namespace suanzi
