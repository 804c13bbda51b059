#include "ops/quantized/quantized.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "kernels/kernel.h"
#include "ops/elementwise/elementwise.h"
#include "ops/quantized/code_parameters.h"
#include "walk/copy.h"
#include "walk/program.h"

namespace suanzi {
namespace {

using walk::View;

int number(DType t) { return static_cast<int>(t); }
bool is_code(DType t) { return is_integer(t) && size_of(t) <= 2; }
int width(DType codes) { return size_of(codes) == 1 ? 0 : 1; }

// Returns the type in which kernels read the elements of a real operand.
DType read_as(DType t) {
  if (kernels().quantized->encode[number(t)][0]) return t;
  return size_of(t) == 2 ? DType::float32 : DType::float64;
}

Kernel numeric_kernel(Operation operation) {
  return kernels().elementwise[static_cast<int>(operation)][number(DType::float64)];
}

// A tile program (walk/program.h) under construction. The program has registers for elements and scales, and a register
// for the result of each step.
class CodeProgram {
 public:
  CodeProgram(const char* op, const Dims& shape) : op_(op), shape_(shape) {}
  CodeProgram(const CodeProgram&) = delete;
  CodeProgram& operator=(const CodeProgram&) = delete;

  uint8_t elements(const Tensor& x, DType as) { return input(View::broadcast(x, shape_), as); }
  // Adds the scale of x to the program, as float32 or float64, and returns the scale's register.
  uint8_t scale(const QuantizedOperand& x, DType as = DType::float64) {
    return x.scale ? scale(*x.scale, x.elements->shape, as) : constant(x.factor, as);
  }
  // Adds a scale to the program and returns the scale's register. The scale broadcasts to the shape `over`, which
  // broadcasts to the shape of the program.
  uint8_t scale(const Tensor& scale, const Dims& over, DType as = DType::float64);
  uint8_t constant(double value, DType as = DType::float64);
  uint8_t step(Kernel kernel, DType result, std::initializer_list<uint8_t> operands, const KernelParams& params = {});
  // Adds steps that compute the numbers of an operand in float64 to the program, and returns the register of the
  // numbers.
  uint8_t numbers(const QuantizedOperand& x);

  void run(const Tensor& target) const { walk::run(program(), shape_, views(), View::of(target)); }
  std::vector<std::byte> fold(const View& like, std::span<const std::byte> identity) const {
    return walk::fold(program(), shape_, views(), like, identity);
  }

 private:
  static constexpr int most_inputs = 6, most_steps = 4;

  uint8_t input(const View& view, DType as);
  std::span<const View> views() const { return {views_, inputs_}; }
  walk::Program program() const { return {{types_, inputs_}, {steps_, step_count_}}; }

  const char* op_;
  Dims shape_;
  View views_[most_inputs];
  DType types_[most_inputs];
  double numbers_[most_inputs];
  walk::Step steps_[most_steps];
  size_t inputs_ = 0, step_count_ = 0;
};

uint8_t CodeProgram::input(const View& view, DType as) {
  views_[inputs_] = view;
  types_[inputs_] = as;
  return static_cast<uint8_t>(inputs_++);
}

uint8_t CodeProgram::scale(const Tensor& scale, const Dims& over, DType as) {
  check_alive(op_, scale);
  if (scale.dtype != DType::float32)
    fail(Status::type_mismatch, op_, ": a scale has element type ", name(scale.dtype), ", not float32");
  if (broadcast(op_, over, scale.shape) != over)
    fail(Status::dimensions_mismatch, op_, ": a scale of shape ", scale.shape, " does not broadcast to ", over);
  return input(View::broadcast(expand(op_, scale, over), shape_), as);
}

uint8_t CodeProgram::constant(double value, DType as) {
  double& kept = numbers_[inputs_];
  kept = value;
  return input({reinterpret_cast<std::byte*>(&kept), DType::float64, Dims(shape_.size(), 0)}, as);
}

uint8_t CodeProgram::step(Kernel kernel, DType result, std::initializer_list<uint8_t> operands,
                          const KernelParams& params) {
  const auto target = static_cast<uint8_t>(most_inputs + step_count_);
  walk::Step& step = steps_[step_count_++];
  step = {kernel, params, result, target, static_cast<uint8_t>(operands.size()), {}};
  std::ranges::copy(operands, step.operands);
  return target;
}

uint8_t CodeProgram::numbers(const QuantizedOperand& x) {
  if (!x.elements) return constant(x.factor);
  const DType type = x.elements->dtype;
  if (const Kernel decode = kernels().quantized->decode[number(type)][1]) {
    KernelParams params;
    params.integer[0] = x.zero;
    return step(decode, DType::float64, {elements(*x.elements, type), scale(x)}, params);
  }
  const uint8_t numbers = elements(*x.elements, DType::float64);
  if (x.factor == 1) return numbers;
  return step(numeric_kernel(Operation::multiply), DType::float64, {numbers, constant(x.factor)});
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
  if (x.zero < -0x8000 || x.zero > 0xffff)
    fail(Status::out_of_range, op, ": zero point ", x.zero, " is not a code of 8 or 16 bits");
}

// The codes of a result. No code represents NaN, so the caller of a program tests for NaN afterwards.
class Encoding {
 public:
  Encoding(const char* op, const Quantization& result) : op_(op) {
    const auto [least, greatest] = code_limits(op, result.codes, result.symmetric);
    if (result.zero < least || result.zero > greatest)
      fail(Status::out_of_range, op, ": zero point ", result.zero, " is outside [", least, ", ", greatest, "]");
    coding_ = {static_cast<int32_t>(result.zero), least, greatest, &has_nan_};
  }
  Encoding(const Encoding&) = delete;
  Encoding& operator=(const Encoding&) = delete;

  // Returns the parameters for kernels that compute these codes. `x_zero` and `y_zero` are the zero points of the
  // operands.
  KernelParams params(int64_t x_zero = 0, int64_t y_zero = 0) const {
    KernelParams params;
    params.integer[0] = x_zero;
    params.integer[1] = y_zero;
    params.more = &coding_;
    return params;
  }
  void check() const {
    if (has_nan_.load()) fail(Status::invalid_argument, op_, ": a value is NaN, which has no code");
  }

 private:
  const char* op_;
  std::atomic<bool> has_nan_ = false;
  Coding coding_;
};

// Returns the tensor that receives codes. This tensor is `out` or, without `out`, a new tensor with the layout of the
// operand that has the shape of the result.
Tensor target_of(const char* op, const Dims& shape, DType codes, std::initializer_list<const Tensor*> operands,
                 const Tensor* out) {
  if (out) {
    check_out(op, *out, shape, codes);
    if (out->dtype != codes)
      fail(Status::type_mismatch, op, ": out has element type ", name(out->dtype), ", but the codes have ",
           name(codes));
    return *out;
  }
  for (const Tensor* x : operands)
    if (x && x->shape == shape) return make_empty_like(op, shape, codes, *x);
  return make_empty(op, shape, codes);
}

// Returns the operand, or a copy of the operand if the memory of the operand partially overlaps the result.
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

// Returns true if the two operands are codes of one type. One kernel reads codes of one type directly.
bool are_alike(const QuantizedOperand& x, const QuantizedOperand& y) {
  return x.elements && y.elements && x.elements->dtype == y.elements->dtype && is_code(x.elements->dtype);
}

uint8_t combined_numbers(CodeProgram& program, Operation operation, const QuantizedOperand& x,
                         const QuantizedOperand& y) {
  return program.step(numeric_kernel(operation), DType::float64, {program.numbers(x), program.numbers(y)});
}

}  // namespace

Tensor quantize(const char* op, const QuantizedOperand& x, const Quantization& result, const Tensor* out) {
  check_operand(op, x);
  const Encoding encoding(op, result);
  const Tensor target = target_of(op, x.elements->shape, result.codes, {x.elements}, out);
  Tensor copy;
  const QuantizedOperand source = apart(op, x, target, copy);
  const DType type = read_as(source.elements->dtype);
  CodeProgram program(op, target.shape);
  program.step(
      kernels().quantized->encode[number(type)][width(result.codes)], result.codes,
      {program.elements(*source.elements, type), program.scale(source), program.scale(*result.scale, target.shape)},
      encoding.params(x.zero));
  program.run(target);
  encoding.check();
  return target;
}

Tensor combine(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
               const Quantization& result, const Tensor* out) {
  const Encoding encoding(op, result);
  const Dims shape = common_shape(op, x, y);
  const Tensor target = target_of(op, shape, result.codes, {x.elements, y.elements}, out);
  Tensor copies[2];
  const QuantizedOperand a = apart(op, x, target, copies[0]), b = apart(op, y, target, copies[1]);
  const QuantizedKernels& kernel = *kernels().quantized;
  CodeProgram program(op, shape);
  if (are_alike(a, b)) {
    const DType type = a.elements->dtype;
    program.step(kernel.combine[quantized_place(operation)][number(type)][width(result.codes)], result.codes,
                 {program.elements(*a.elements, type), program.scale(a), program.elements(*b.elements, type),
                  program.scale(b), program.scale(*result.scale, shape)},
                 encoding.params(a.zero, b.zero));
  } else {
    const uint8_t numbers = combined_numbers(program, operation, a, b);
    program.step(kernel.encode[number(DType::float64)][width(result.codes)], result.codes,
                 {numbers, program.constant(1), program.scale(*result.scale, shape)}, encoding.params());
  }
  program.run(target);
  encoding.check();
  return target;
}

Tensor operate(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y) {
  const Dims shape = common_shape(op, x, y);
  const Tensor target = target_of(op, shape, DType::float64, {x.elements, y.elements}, nullptr);
  CodeProgram program(op, shape);
  combined_numbers(program, operation, x, y);
  program.run(target);
  return target;
}

std::optional<NumberRange> combined_range(const char* op, Operation operation, const QuantizedOperand& x,
                                          const QuantizedOperand& y) {
  const Dims shape = common_shape(op, x, y);
  const QuantizedKernels& kernel = *kernels().quantized;
  CodeProgram program(op, shape);
  if (are_alike(x, y)) {
    const DType type = x.elements->dtype;
    KernelParams params;
    params.integer[0] = x.zero;
    params.integer[1] = y.zero;
    program.step(
        kernel.combined_range[quantized_place(operation)][number(type)], DType::float64,
        {program.elements(*x.elements, type), program.scale(x), program.elements(*y.elements, type), program.scale(y)},
        params);
  } else {
    program.step(kernel.range, DType::float64, {combined_numbers(program, operation, x, y)});
  }
  // The walk follows the first operand that has the shape of the result.
  const QuantizedOperand& leader = x.elements && x.elements->shape == shape ? x : y;
  const View like =
      leader.elements ? View::broadcast(*leader.elements, shape) : View{nullptr, DType::float64, Dims(shape.size(), 0)};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double range[] = {infinity, -infinity};
  const std::vector<std::byte> ranges = program.fold(like, std::as_bytes(std::span(range)));
  for (size_t at = 0; at < ranges.size(); at += sizeof(range)) {
    double of_one[2];
    std::memcpy(of_one, ranges.data() + at, sizeof(of_one));
    range[0] = std::min(range[0], of_one[0]);
    range[1] = std::max(range[1], of_one[1]);
  }
  if (range[0] > range[1]) return {};
  return NumberRange{range[0], range[1]};
}

Tensor dequantize(const char* op, const QuantizedOperand& x, DType real) {
  check_operand(op, x);
  if (real != DType::float32 && real != DType::float64)
    fail(Status::type_mismatch, op, ": ", name(real), " is neither float32 nor float64");
  const DType codes = x.elements->dtype;
  const Kernel decode = kernels().quantized->decode[number(codes)][real == DType::float64];
  if (!decode)
    fail(Status::type_mismatch, op, ": codes have element type ", name(codes), ", not an integer of 8 or 16 bits");
  const Tensor target = make_empty_like(op, x.elements->shape, real, *x.elements);
  CodeProgram program(op, target.shape);
  KernelParams params;
  params.integer[0] = x.zero;
  program.step(decode, real, {program.elements(*x.elements, codes), program.scale(x, real)}, params);
  program.run(target);
  return target;
}

}  // namespace suanzi
