#include "ops/quantized/quantized.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "ops/elementwise/elementwise.h"
#include "ops/quantized/code_parameters.h"
#include "runtime/share.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

using tile::Cursor;
using tile::Path;
using tile::View;

// Elements of a tile of what is staged.
constexpr int64_t staged_tile = tile::register_bytes / static_cast<int64_t>(sizeof(double));

int number(DType t) { return static_cast<int>(t); }
bool is_code(DType t) { return is_integer(t) && size_of(t) <= 2; }
int width(DType codes) { return size_of(codes) == 1 ? 0 : 1; }

// The type in which kernels read the elements of a real operand.
DType read_as(DType t) {
  if (kernels().quantized->encode[number(t)][0]) return t;
  return size_of(t) == 2 ? DType::float32 : DType::float64;
}

// An operand or the result on the walk.
struct WalkOperand {
  std::byte* data = nullptr;
  Path path;
  int size = 0;
  DType type = DType::float64;  // as which kernels read it
  Kernel convert = nullptr;     // to that type
  const std::byte* scale = nullptr;
  Path scale_path;
  int32_t zero = 0;
  double factor = 1;

  bool varies() const { return scale && !scale_path.constant(); }
};

// The scale of a tile: one, or one for each element.
struct Scale {
  double one = 1;
  const float* each = nullptr;
};

struct CodePair {
  Reals x, y;
};

// The elements of operands and result, tile by tile: where they lie or staged, with their scales.
class Walk {
 public:
  struct Scratch {
    alignas(64) std::byte native[2][tile::register_bytes];
    alignas(64) std::byte converted[2][tile::register_bytes];
    alignas(64) double numbers[2][staged_tile];
    alignas(64) float scales[3][staged_tile];
    alignas(64) std::byte result[tile::register_bytes];
  };

  // `target` says how the result lies; where there is none, how the operand lies that sets the order.
  Walk(const Dims& shape, const View& target) : shape_(shape), order_(walking_order(shape, target)) {
    target_.data = target.data;
    target_.size = size_of(target.dtype);
    target_.path = make_path(shape, order_, target);
    size_ = product(shape);
    bytes_ = size_ * target_.size;
    staged_ = !target_.path.linear(target_.size);
    limit_row(target_.path);
  }

  void add(const char* op, const QuantizedOperand& x) {
    WalkOperand& operand = operands_[count_++];
    operand.factor = x.factor;
    if (!x.elements) return;
    const View view = View::broadcast(*x.elements, shape_);
    operand.data = view.data;
    operand.size = size_of(view.dtype);
    operand.path = make_path(shape_, order_, view);
    operand.type = read_as(view.dtype);
    operand.convert = converter(view.dtype, operand.type);
    operand.zero = static_cast<int32_t>(x.zero);
    if (!operand.path.constant()) bytes_ += size_ * operand.size;
    staged_ |= operand.convert || !operand.path.linear(operand.size);
    limit_row(operand.path);
    if (x.scale) add_scale(op, operand, *x.scale, *x.elements);
  }
  // Of the codes that are the result.
  void add_result_scale(const char* op, const Tensor& scale, const Tensor& result) {
    add_scale(op, target_, scale, result);
  }

  const WalkOperand& operand(int k) const { return operands_[k]; }
  // The type of both operands, if they are codes of one; else float64.
  DType common_type() const {
    return operands_[0].type == operands_[1].type && is_code(operands_[0].type) ? operands_[0].type : DType::float64;
  }

  // What is in a tile may have to be staged.
  void stage() { staged_ = true; }
  // body(piece, scratch, start, count) for every tile; pieces are what threads share.
  template <class Body>
  void run(Body&& body);
  // The greatest number of pieces.
  static int64_t most_pieces() { return costs::ranges_per_thread * static_cast<int64_t>(num_threads()); }

  bool streams() const { return stream_; }
  Scale scale_of(const WalkOperand& operand, float* room, int64_t start, int64_t count) const;
  Scale result_scale(Scratch& scratch, int64_t start, int64_t count) const {
    return scale_of(target_, scratch.scales[2], start, count);
  }
  // The elements of operand k in a tile, as its type.
  const void* elements(int k, Scratch& scratch, int64_t start, int64_t count) const;
  // Both operands in a tile, if `direct` and each has one scale there.
  std::optional<CodePair> codes(bool direct, Scratch& scratch, int64_t start, int64_t count) const;
  // The numbers that they stand for.
  const double* numbers(int k, Scratch& scratch, int64_t start, int64_t count) const;
  // Where the result of a tile goes, and there from the scratch memory.
  void* place(Scratch& scratch, int64_t start, int64_t count) const;
  void finish(const void* result, int64_t start, int64_t count) const;

 private:
  void add_scale(const char* op, WalkOperand& operand, const Tensor& scale, const Tensor& of);
  void limit_row(const Path& path) {
    if (!path.constant()) row_ = std::min(row_, path.sizes[0]);
  }
  bool aliased() const { return operands_[0].data == target_.data || operands_[1].data == target_.data; }

  Dims shape_, order_;
  WalkOperand operands_[2], target_;
  int count_ = 0;
  int64_t size_ = 0, bytes_ = 0;
  int64_t row_ = std::numeric_limits<int64_t>::max();  // tiles do not cross multiples of this
  bool staged_ = false;
  bool stream_ = false;  // the result is too large for the caches
};

void Walk::add_scale(const char* op, WalkOperand& operand, const Tensor& scale, const Tensor& of) {
  check_alive(op, scale);
  if (scale.dtype != DType::float32)
    fail(Status::type_mismatch, op, ": a scale has element type ", name(scale.dtype), ", not float32");
  if (broadcast(op, of.shape, scale.shape) != of.shape)
    fail(Status::dimensions_mismatch, op, ": a scale of shape ", scale.shape, " does not broadcast to ", of.shape);
  const Tensor spread = expand(op, scale, of.shape);
  const View view = View::broadcast(spread, shape_);
  operand.scale = view.data;
  operand.scale_path = make_path(shape_, order_, view);
  limit_row(operand.scale_path);
  staged_ |= operand.varies();
}

template <class Body>
void Walk::run(Body&& body) {
  if (size_ == 0) return;
  stream_ = costs::passes_caches(bytes_) && !aliased();
  if (row_ < costs::long_row || row_ > size_) row_ = size_;
  const int64_t tile = staged_ ? staged_tile : stream_ ? costs::streamed_tile : costs::direct_tile;
  const int64_t tiles_per_row = (row_ + tile - 1) / tile, tiles = size_ / row_ * tiles_per_row;
  const auto run_tiles = [&](int64_t piece, int64_t first, int64_t last) {
    Scratch scratch;
    for (int64_t t = first; t < last; ++t) {
      const int64_t begin = t % tiles_per_row * tile;
      body(piece, scratch, t / tiles_per_row * row_ + begin, std::min(tile, row_ - begin));
    }
  };
  for_ranges(range_count(bytes_, tiles), bytes_, tiles, run_tiles);
}

Scale Walk::scale_of(const WalkOperand& operand, float* room, int64_t start, int64_t count) const {
  if (!operand.scale) return {operand.factor, nullptr};
  const Cursor at(operand.scale_path, start);
  const std::byte* first = operand.scale + at.offset();
  if (operand.scale_path.constant() || (at.step() == 0 && at.left_in_row() >= count))
    return {*reinterpret_cast<const float*>(first), nullptr};
  constexpr int size = sizeof(float);
  const std::byte* scales = in_place(const_cast<std::byte*>(operand.scale), operand.scale_path, size, start, count);
  if (!scales) {
    gather(reinterpret_cast<std::byte*>(room), operand.scale, operand.scale_path, size, start, count);
    return {1, room};
  }
  return {1, reinterpret_cast<const float*>(scales)};
}

const void* Walk::elements(int k, Scratch& scratch, int64_t start, int64_t count) const {
  const WalkOperand& operand = operands_[k];
  std::byte* elements = in_place(operand.data, operand.path, operand.size, start, count);
  if (!elements) {
    elements = scratch.native[k];
    gather(elements, operand.data, operand.path, operand.size, start, count);
  }
  if (!operand.convert) return elements;
  const void* source = elements;
  operand.convert(scratch.converted[k], &source, count, {});
  return scratch.converted[k];
}

std::optional<CodePair> Walk::codes(bool direct, Scratch& scratch, int64_t start, int64_t count) const {
  if (!direct) return {};
  Reals both[2];
  for (int k = 0; k < 2; ++k) {
    const Scale scale = scale_of(operands_[k], scratch.scales[k], start, count);
    if (scale.each) return {};
    both[k] = {elements(k, scratch, start, count), operands_[k].zero, scale.one};
  }
  return CodePair{both[0], both[1]};
}

const double* Walk::numbers(int k, Scratch& scratch, int64_t start, int64_t count) const {
  const WalkOperand& operand = operands_[k];
  double* const result = scratch.numbers[k];
  if (!operand.data) {
    std::fill_n(result, count, operand.factor);
    return result;
  }
  const void* source = elements(k, scratch, start, count);
  if (const DecodeKernel decode = kernels().quantized->decode[number(operand.type)][1]) {
    const Scale scale = scale_of(operand, scratch.scales[k], start, count);
    decode(result, {source, operand.zero, scale.one}, scale.each, count, false);
    return result;
  }
  if (operand.type == DType::float64 && operand.factor == 1) return static_cast<const double*>(source);
  kernels().convert[number(operand.type)][number(DType::float64)](result, &source, count, {});
  for (int64_t i = 0; i < count; ++i) result[i] *= operand.factor;
  return result;
}

void* Walk::place(Scratch& scratch, int64_t start, int64_t count) const {
  std::byte* const target = in_place(target_.data, target_.path, target_.size, start, count);
  return target ? target : scratch.result;
}

void Walk::finish(const void* result, int64_t start, int64_t count) const {
  if (in_place(target_.data, target_.path, target_.size, start, count)) return;
  scatter(target_.data, static_cast<const std::byte*>(result), target_.path, target_.size, start, count);
}

void check_operand(const char* op, const QuantizedOperand& x) {
  if (!x.elements) return;
  check_alive(op, *x.elements);
  if (!kernels().convert[number(x.elements->dtype)][number(DType::float64)])
    fail(Status::type_mismatch, op, ": ", name(x.elements->dtype), " elements are not real numbers");
  if (x.zero == 0 && !x.scale) return;
  if (!is_code(x.elements->dtype))
    fail(Status::type_mismatch, op, ": codes have element type ", name(x.elements->dtype),
         ", not an integer of 8 or 16 bits");
  if (x.zero < -0x8000 || x.zero > 0xffff) fail(Status::out_of_range, op, ": zero point ", x.zero, " is no code");
}

// The codes that there are; their scale is found in each tile.
Codes codes_of(const char* op, const Quantization& result) {
  const auto [least, greatest] = code_limits(op, result.codes, result.symmetric);
  if (result.zero < least || result.zero > greatest)
    fail(Status::out_of_range, op, ": zero point ", result.zero, " is outside [", least, ", ", greatest, "]");
  return {nullptr, static_cast<int32_t>(result.zero), least, greatest, 1, nullptr};
}

// Where codes go: `out`, or a fresh tensor laid out as one of the operands that has the shape.
Tensor target_of(const char* op, const Dims& shape, DType codes, std::initializer_list<const Tensor*> operands,
                 const Tensor* out) {
  if (out) {
    check_out(op, *out, shape, codes);
    if (out->dtype != codes)
      fail(Status::type_mismatch, op, ": out has element type ", name(out->dtype), " where codes are ", name(codes));
    return *out;
  }
  for (const Tensor* x : operands)
    if (x && x->shape == shape) return make_empty_like(op, shape, codes, *x);
  return make_empty(op, shape, codes);
}

// The operand, or a copy of one that shares memory with the result.
QuantizedOperand apart(const char* op, const QuantizedOperand& x, const Tensor& out, Tensor& copy) {
  QuantizedOperand result = x;
  if (x.elements && overlaps_partially(*x.elements, out)) {
    copy = clone(op, *x.elements);
    result.elements = &copy;
  }
  return result;
}

Dims common_shape(const char* op, const QuantizedOperand& x, const QuantizedOperand& y) {
  Dims shape;
  for (const QuantizedOperand* operand : {&x, &y}) {
    check_operand(op, *operand);
    if (operand->elements) shape = broadcast(op, shape, operand->elements->shape);
  }
  return shape;
}

// Encodes numbers that are float64.
bool encode_numbers(Codes& codes, const Scale& scale, const double* numbers, int64_t count, DType type, bool stream) {
  const QuantizedKernels& kernel = *kernels().quantized;
  codes.scale = scale.one;
  codes.scales = scale.each;
  const EncodeKernel encode =
      scale.each ? kernel.encode_each[width(type)] : kernel.encode[number(DType::float64)][width(type)];
  return encode(codes, {numbers, 0, 1}, count, stream);
}

// The operation of float64 numbers, as every elementwise operator has it.
Kernel numeric_kernel(Operation operation) {
  return kernels().elementwise[static_cast<int>(operation)][number(DType::float64)];
}

// The numbers that the operation makes of both operands in a tile.
const double* combined_numbers(const Walk& walk, Kernel kernel, Walk::Scratch& scratch, int64_t start, int64_t count) {
  const void* both[] = {walk.numbers(0, scratch, start, count), walk.numbers(1, scratch, start, count)};
  kernel(scratch.numbers[0], both, count, {});
  return scratch.numbers[0];
}

}  // namespace

Tensor quantize(const char* op, const QuantizedOperand& x, const Quantization& result, const Tensor* out) {
  check_operand(op, x);
  const Codes encoding = codes_of(op, result);
  const Tensor target = target_of(op, x.elements->shape, result.codes, {x.elements}, out);
  Tensor copy;
  const QuantizedOperand source = apart(op, x, target, copy);
  Walk walk(target.shape, View::of(target));
  walk.add(op, source);
  walk.add_result_scale(op, *result.scale, target);
  std::atomic<bool> strange = false;
  walk.run([&](int64_t, Walk::Scratch& scratch, int64_t start, int64_t count) {
    const WalkOperand& operand = walk.operand(0);
    const Scale by = walk.result_scale(scratch, start, count);
    const Scale scale = walk.scale_of(operand, scratch.scales[0], start, count);
    Codes codes = encoding;
    codes.elements = walk.place(scratch, start, count);
    bool has_nan = false;
    if (by.each || scale.each) {
      has_nan = encode_numbers(codes, by, walk.numbers(0, scratch, start, count), count, result.codes, walk.streams());
    } else {
      const void* elements = walk.elements(0, scratch, start, count);
      codes.scale = by.one;
      has_nan = kernels().quantized->encode[number(operand.type)][width(result.codes)](
          codes, {elements, operand.zero, scale.one}, count, walk.streams());
    }
    if (has_nan) strange.store(true, std::memory_order_relaxed);
    walk.finish(codes.elements, start, count);
  });
  if (strange.load()) fail(Status::invalid_argument, op, ": the values hold a NaN, which has no code");
  return target;
}

Tensor combine(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
               const Quantization& result, const Tensor* out) {
  const Codes encoding = codes_of(op, result);
  const Dims shape = common_shape(op, x, y);
  const Tensor target = target_of(op, shape, result.codes, {x.elements, y.elements}, out);
  Tensor copies[2];
  Walk walk(shape, View::of(target));
  walk.add(op, apart(op, x, target, copies[0]));
  walk.add(op, apart(op, y, target, copies[1]));
  walk.add_result_scale(op, *result.scale, target);
  const Kernel numeric = numeric_kernel(operation);
  const DType type = walk.common_type();
  const CombineCodesKernel direct =
      kernels().quantized->combine[quantized_place(operation)][number(type)][width(result.codes)];
  if (!direct) walk.stage();
  walk.run([&](int64_t, Walk::Scratch& scratch, int64_t start, int64_t count) {
    const Scale by = walk.result_scale(scratch, start, count);
    Codes codes = encoding;
    codes.elements = walk.place(scratch, start, count);
    if (const auto both = walk.codes(direct != nullptr, scratch, start, count); both && !by.each) {
      codes.scale = by.one;
      direct(codes, both->x, both->y, count, walk.streams());
    } else {
      encode_numbers(codes, by, combined_numbers(walk, numeric, scratch, start, count), count, result.codes,
                     walk.streams());
    }
    walk.finish(codes.elements, start, count);
  });
  return target;
}

std::optional<NumberRange> combined_range(const char* op, Operation operation, const QuantizedOperand& x,
                                          const QuantizedOperand& y) {
  const Dims shape = common_shape(op, x, y);
  // Nothing is written; the walk follows the first operand that is as large as the result.
  const QuantizedOperand& leader = x.elements && x.elements->shape == shape ? x : y;
  Walk walk(shape, leader.elements ? View::broadcast(*leader.elements, shape) : View{nullptr, DType::int8, {}});
  walk.add(op, x);
  walk.add(op, y);
  const Kernel numeric = numeric_kernel(operation);
  const CombinedRangeKernel direct =
      kernels().quantized->combined_range[quantized_place(operation)][number(walk.common_type())];
  if (!direct) walk.stage();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<NumberRange> ranges(static_cast<size_t>(Walk::most_pieces()), {infinity, -infinity});
  walk.run([&](int64_t piece, Walk::Scratch& scratch, int64_t start, int64_t count) {
    NumberRange& range = ranges[static_cast<size_t>(piece)];
    double ends[] = {range.least, range.greatest};
    if (const auto both = walk.codes(direct != nullptr, scratch, start, count)) {
      direct(ends, both->x, both->y, count);
    } else {
      kernels().quantized->range(ends, combined_numbers(walk, numeric, scratch, start, count), count);
    }
    range = {ends[0], ends[1]};
  });
  NumberRange all = ranges[0];
  for (const NumberRange& range : ranges)
    all = {std::min(all.least, range.least), std::max(all.greatest, range.greatest)};
  if (all.least > all.greatest) return {};
  return all;
}

Tensor dequantize(const char* op, const QuantizedOperand& x, DType real) {
  check_operand(op, x);
  if (real != DType::float32 && real != DType::float64)
    fail(Status::type_mismatch, op, ": ", name(real), " is neither float32 nor float64");
  const Tensor target = make_empty_like(op, x.elements->shape, real, *x.elements);
  Walk walk(target.shape, View::of(target));
  walk.add(op, x);
  const DecodeKernel decode = kernels().quantized->decode[number(x.elements->dtype)][real == DType::float64];
  if (!decode)
    fail(Status::type_mismatch, op, ": codes have element type ", name(x.elements->dtype),
         ", not an integer of 8 or 16 bits");
  walk.run([&](int64_t, Walk::Scratch& scratch, int64_t start, int64_t count) {
    const WalkOperand& operand = walk.operand(0);
    const Scale scale = walk.scale_of(operand, scratch.scales[0], start, count);
    const void* elements = walk.elements(0, scratch, start, count);
    void* const result = walk.place(scratch, start, count);
    decode(result, {elements, operand.zero, scale.one}, scale.each, count, walk.streams());
    walk.finish(result, start, count);
  });
  return target;
}

}  // namespace suanzi
