#include "tile/quantize.h"

#include <initializer_list>

#include "kernels/kernel.h"
#include "tile/elementwise.h"
#include "tile/program.h"

namespace suanzi {
namespace {

struct Stage {
  Operation operation;
  uint8_t operands[2];  // registers: 0 to 2 are x, the scale and a constant, the stages follow
  uint8_t arity;
};

void check_convertible(const char* op, DType from, DType to) {
  if (!kernels().convert[static_cast<int>(from)][static_cast<int>(to)])
    fail(Status::type_mismatch, op, ": ", name(from), " cannot become ", name(to));
}

// A fresh tensor of `result` elements: what the stages make of x, a scale that broadcasts to it and a constant, all in
// `working` precision.
Tensor run_stages(const char* op, const Tensor& x, const Tensor& scale, double constant, DType working, DType result,
                  std::initializer_list<Stage> stages) {
  check_alive(op, x);
  check_alive(op, scale);
  check_convertible(op, x.dtype, working);
  check_convertible(op, scale.dtype, working);
  check_convertible(op, working, result);
  if (broadcast(op, x.shape, scale.shape) != x.shape)
    fail(Status::dimensions_mismatch, op, ": a scale of shape ", scale.shape, " does not broadcast to ", x.shape);
  const Tensor out = make_empty_like(op, x.shape, result, x);
  tile::Program program;
  program.inputs = 3;
  program.heavy = true;
  for (DType& type : program.input_types) type = working;
  for (const Stage& stage : stages) {
    const Kernel kernel = kernels().elementwise[static_cast<int>(stage.operation)][static_cast<int>(working)];
    program.step[program.steps++] = {kernel, {}, working, stage.arity, {stage.operands[0], stage.operands[1], 0}};
  }
  if (is_integer(result) && size_of(result) <= 2) {
    // Past the ends of 16 bits all are one: by way of float32, which holds what lies between, the step is shorter.
    const Kernel narrow = kernels().convert[static_cast<int>(working)][static_cast<int>(DType::float32)];
    const auto last = static_cast<uint8_t>(program.inputs + program.steps - 1);
    program.step[program.steps++] = {narrow, {}, DType::float32, 1, {last, 0, 0}};
  }
  const tile::View inputs[] = {tile::View::of(x),
                               tile::View::broadcast(scale, x.shape),
                               {reinterpret_cast<std::byte*>(&constant), DType::float64, Dims(x.rank(), 0)}};
  tile::run(program, x.shape, inputs, tile::View::of(out));
  return out;
}

}  // namespace

Tensor quantize(const char* op, const Tensor& x, const Tensor& scale, int64_t zero_point, DType codes, bool symmetric) {
  if (!is_integer(codes))
    fail(Status::type_mismatch, op, ": codes have element type ", name(codes), ", not an integer");
  // Storing a floating number as an integer holds it to the ends of the type; a symmetric one ends one earlier.
  const int bits = 8 * size_of(codes);
  const double least = 1 - static_cast<double>(uint64_t{1} << (bits - 1));
  const Stage last = {symmetric ? Operation::maximum : Operation::add, {4, 2}, 2};
  return run_stages(op, x, scale, symmetric ? least : static_cast<double>(zero_point), DType::float64, codes,
                    {{Operation::true_divide, {0, 1}, 2}, {Operation::rint, {3, 0}, 1}, last});
}

Tensor dequantize(const char* op, const Tensor& codes, const Tensor& scale, int64_t zero_point, DType real) {
  if (!is_integer(codes.dtype))
    fail(Status::type_mismatch, op, ": codes have element type ", name(codes.dtype), ", not an integer");
  if (real != DType::float32 && real != DType::float64)
    fail(Status::type_mismatch, op, ": ", name(real), " is neither float32 nor float64");
  if (zero_point == 0) return run_stages(op, codes, scale, 0, real, real, {{Operation::multiply, {0, 1}, 2}});
  return run_stages(op, codes, scale, static_cast<double>(zero_point), real, real,
                    {{Operation::subtract, {0, 2}, 2}, {Operation::multiply, {3, 1}, 2}});
}

}  // namespace suanzi
