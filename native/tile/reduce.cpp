#include "tile/reduce.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "runtime/threads.h"
#include "tile/elementwise.h"
#include "tile/iteration.h"
#include "tile/staging.h"

namespace suanzi {
namespace {

using tile::Cursor;
using tile::Path;
using tile::View;

// Elements folded into one partial result when everything is reduced along memory.
constexpr int64_t chunk_elements = 32768;
// Accumulators kept side by side when the fastest dimension stays.
constexpr int64_t piece_elements = 1024;
// Elements folded across into one row of partial results.
constexpr int64_t across_elements = 262144;
// Bytes below which one thread does all.
constexpr int64_t parallel_bytes = 256 * 1024;

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
  struct Scratch {
    alignas(64) std::byte native[tile::register_bytes];
    alignas(64) std::byte converted[tile::register_bytes];
    alignas(64) std::byte accumulators[piece_elements * 16];
  };

  const ReduceKernels& kernels_of(DType t) const {
    return kernels().reduce[static_cast<int>(op_)][static_cast<int>(t)];
  }
  bool fastest_is_reduced() const;
  const void* load(Scratch& scratch, const std::byte* base, const Path& path, int64_t start, int64_t count) const;
  void fold_along(Scratch& scratch, std::byte* acc, const std::byte* base, int64_t start, int64_t count) const;
  void reduce_along();
  void fold_across(Scratch& scratch, int64_t kept_start, int64_t count, int64_t first, int64_t last) const;
  void reduce_across();
  template <class Body>
  void for_units(int64_t units, Body&& body) const;

  Reduction op_;
  const Tensor& x_;
  DType input_;  // the type that the kernels read
  DType accumulator_;
  Kernel convert_ = nullptr;
  Tensor result_;  // accumulators, kept dimensions alone
  ElementBuffer identity_;
  Path reduced_, kept_, result_path_;
  int64_t reduced_size_;
  int64_t kept_size_;
};

Reducer::Reducer(Reduction op, const Tensor& x, uint64_t axes, DType input)
    : op_(op), x_(x), input_(input), accumulator_(accumulator_type(op, input)) {
  const char* name = reduction_names[static_cast<int>(op)].data();
  if (x.dtype != input) convert_ = kernels().convert[static_cast<int>(x.dtype)][static_cast<int>(input)];
  Dims kept_shape, kept_strides, reduced_shape, reduced_strides;
  for (int i = 0; i < x.rank(); ++i) {
    const bool reduced = axes >> i & 1;
    (reduced ? reduced_shape : kept_shape).push_back(x.shape[i]);
    (reduced ? reduced_strides : kept_strides).push_back(x.strides[i]);
  }
  result_ = make_empty(name, kept_shape, accumulator_);
  kept_size_ = result_.size;
  reduced_size_ = kept_size_ ? x.size / kept_size_ : 0;
  const View reduced_view{x.data, x.dtype, reduced_strides}, kept_view{x.data, x.dtype, kept_strides};
  const Dims kept_order = tile::walking_order(kept_shape, kept_view);
  reduced_ = tile::make_path(reduced_shape, tile::walking_order(reduced_shape, reduced_view), reduced_view);
  kept_ = tile::make_path(kept_shape, kept_order, kept_view);
  result_path_ = tile::make_path(kept_shape, kept_order, View::of(result_));
  store_scalar(name, identity(op, accumulator_), accumulator_, identity_);
}

bool Reducer::fastest_is_reduced() const {
  if (kept_.sizes.empty() || reduced_.sizes.empty()) return true;
  return std::abs(reduced_.steps[0]) <= std::abs(kept_.steps[0]);
}

const void* Reducer::load(Scratch& scratch, const std::byte* base, const Path& path, int64_t start,
                          int64_t count) const {
  const int size = size_of(x_.dtype);
  const std::byte* elements = tile::in_place(const_cast<std::byte*>(base), path, size, start, count);
  if (!elements) {
    tile::gather(scratch.native, base, path, size, start, count);
    elements = scratch.native;
  }
  if (!convert_) return elements;
  const void* source = elements;
  convert_(scratch.converted, &source, count, {});
  return scratch.converted;
}

void Reducer::fold_along(Scratch& scratch, std::byte* acc, const std::byte* base, int64_t start, int64_t count) const {
  const FoldKernel fold = kernels_of(input_).along;
  if (!convert_ && reduced_.linear(size_of(x_.dtype))) return fold(acc, base + start * size_of(x_.dtype), count);
  const int64_t step = tile::register_bytes / std::max(size_of(x_.dtype), size_of(input_));
  for (int64_t done = 0; done < count; done += step) {
    const int64_t n = std::min(step, count - done);
    fold(acc, load(scratch, base, reduced_, start + done, n), n);
  }
}

template <class Body>
void Reducer::for_units(int64_t units, Body&& body) const {
  if (units == 1 || x_.nbytes() < parallel_bytes) return body(0, units);
  const int64_t pieces = std::min<int64_t>(units, 4 * num_threads());
  parallel_for(pieces, [&](int64_t piece) { body(units * piece / pieces, units * (piece + 1) / pieces); });
}

void Reducer::reduce_along() {
  const int64_t chunks = (reduced_size_ + chunk_elements - 1) / chunk_elements;
  const int acc_size = size_of(accumulator_);
  const Tensor partials = chunks == 1 ? Tensor{} : make_empty("reduce", {kept_size_, chunks}, accumulator_);
  for_units(kept_size_ * chunks, [&](int64_t first, int64_t last) {
    Scratch scratch;
    Cursor kept(kept_, first / chunks), target(result_path_, first / chunks);
    for (int64_t unit = first; unit < last; ++unit) {
      const int64_t chunk = unit % chunks, start = chunk * chunk_elements;
      std::byte* acc = chunks == 1 ? result_.data + target.offset() : partials.data + unit * acc_size;
      std::copy_n(identity_.bytes, acc_size, acc);
      fold_along(scratch, acc, x_.data + kept.offset(), start, std::min(chunk_elements, reduced_size_ - start));
      if (chunk + 1 == chunks) {
        kept.advance(1);
        target.advance(1);
      }
    }
  });
  if (chunks == 1) return;
  Cursor target(result_path_, 0);
  for (int64_t k = 0; k < kept_size_; ++k, target.advance(1)) {
    std::byte* acc = result_.data + target.offset();
    std::copy_n(identity_.bytes, acc_size, acc);
    kernels_of(accumulator_).along(acc, partials.data + k * chunks * acc_size, chunks);
  }
}

void Reducer::fold_across(Scratch& scratch, int64_t kept_start, int64_t count, int64_t first, int64_t last) const {
  tile::repeat(scratch.accumulators, identity_.bytes, size_of(accumulator_), count);
  const int size = size_of(x_.dtype);
  Cursor row(reduced_, first);
  for (int64_t r = first, rows; r < last; r += rows, row.advance(rows)) {
    std::byte* const base = x_.data + row.offset();
    const std::byte* const lying = convert_ ? nullptr : tile::in_place(base, kept_, size, kept_start, count);
    rows = lying ? std::min(last - r, row.left_in_row()) : 1;
    const void* const source = lying ? lying : load(scratch, base, kept_, kept_start, count);
    kernels_of(input_).across(scratch.accumulators, source, count, rows, row.step());
  }
}

void Reducer::reduce_across() {
  const int acc_size = size_of(accumulator_);
  const int64_t row = kept_.sizes[0];
  const int64_t widest = std::max(size_of(x_.dtype), size_of(input_));
  const int64_t piece = std::min({row, piece_elements, tile::register_bytes / widest});
  const int64_t pieces_per_row = (row + piece - 1) / piece;
  const int64_t pieces = kept_size_ / row * pieces_per_row;
  const int64_t rows_per_chunk = std::max<int64_t>(1, across_elements / piece);
  const int64_t chunks = (reduced_size_ + rows_per_chunk - 1) / rows_per_chunk;
  const Tensor partials = chunks == 1 ? Tensor{} : make_empty("reduce", {chunks, kept_size_}, accumulator_);
  for_units(pieces * chunks, [&](int64_t first_unit, int64_t last_unit) {
    Scratch scratch;
    for (int64_t unit = first_unit; unit < last_unit; ++unit) {
      const int64_t p = unit / chunks, chunk = unit % chunks;
      const int64_t begin = p % pieces_per_row * piece;
      const int64_t count = std::min(piece, row - begin), start = p / pieces_per_row * row + begin;
      const int64_t first = chunk * rows_per_chunk;
      fold_across(scratch, start, count, first, std::min(first + rows_per_chunk, reduced_size_));
      if (chunks == 1) {
        tile::scatter(result_.data, scratch.accumulators, result_path_, acc_size, start, count);
      } else {
        std::copy_n(scratch.accumulators, count * acc_size, partials.data + (chunk * kept_size_ + start) * acc_size);
      }
    }
  });
  if (chunks == 1) return;
  std::vector<std::byte> total(static_cast<size_t>(kept_size_ * acc_size));
  for (int64_t k = 0; k < kept_size_; ++k) std::copy_n(identity_.bytes, acc_size, total.data() + k * acc_size);
  kernels_of(accumulator_).across(total.data(), partials.data, kept_size_, chunks, kept_size_ * acc_size);
  tile::scatter(result_.data, total.data(), result_path_, acc_size, 0, kept_size_);
}

Tensor Reducer::run() {
  if (kept_size_ == 0) return result_;
  if (reduced_size_ == 0) {
    tile::repeat(result_.data, identity_.bytes, size_of(accumulator_), kept_size_);
  } else if (fastest_is_reduced()) {
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
  if (kept == 1 && x.contiguous && x.dtype == input && x.size <= chunk_elements) return reduce_small(op, x, shape);
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
