#include "ops/formulas/formulas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numbers>
#include <vector>

#include "fusion/graph.h"
#include "ops/elementwise/recording.h"
#include "runtime/costs.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

using Operands = std::span<const Tensor>;
using Numbers = std::span<const Scalar>;

// An operand of a step, which is a number, an operand of the formula, or the result of another step.
class Term {
 public:
  Term(const Tensor& x) : operand_{&x, {}} {}                     // NOLINT: implicit, so that formulas are short
  Term(const Scalar& number) : operand_{nullptr, number} {}       // NOLINT
  Term(double number) : operand_{nullptr, Scalar::of(number)} {}  // NOLINT
  const Operand& operand() const { return operand_; }

 private:
  Operand operand_;  // the operand, whose tensor must outlive the expression
};

Tensor step(Operation operation, std::initializer_list<Term> terms) {
  Operand operands[3];
  size_t count = 0;
  for (const Term& term : terms) operands[count++] = term.operand();
  return elementwise(operation, {operands, count});
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype == dtype) return x;
  return recorder() ? recorder()->cast(x, dtype) : suanzi::cast("astype", x, dtype);
}

Tensor add(const Term& a, const Term& b) { return step(Operation::add, {a, b}); }
Tensor subtract(const Term& a, const Term& b) { return step(Operation::subtract, {a, b}); }
Tensor multiply(const Term& a, const Term& b) { return step(Operation::multiply, {a, b}); }
Tensor divide(const Term& a, const Term& b) { return step(Operation::true_divide, {a, b}); }
Tensor maximum(const Term& a, const Term& b) { return step(Operation::maximum, {a, b}); }
Tensor clip(const Term& x, const Term& least, const Term& most) { return step(Operation::clip, {x, least, most}); }
Tensor abs(const Term& x) { return step(Operation::abs, {x}); }
Tensor negative(const Term& x) { return step(Operation::negative, {x}); }
Tensor square(const Term& x) { return step(Operation::square, {x}); }
Tensor exp(const Term& x) { return step(Operation::exp, {x}); }
Tensor log1p(const Term& x) { return step(Operation::log1p, {x}); }
Tensor equal(const Term& a, const Term& b) { return step(Operation::equal, {a, b}); }
Tensor is_positive(const Term& x) { return step(Operation::greater_equal, {x, 0.0}); }
Tensor is_nan(const Term& x) { return step(Operation::isnan, {x}); }
Tensor logical_not(const Term& x) { return step(Operation::logical_not, {x}); }
Tensor where(const Tensor& condition, const Term& x, const Term& y) {
  return step(Operation::where, {condition, x, y});
}

// working_type returns the type in which real elements are computed. This type is float32 for float16 and bfloat16, and
// float64 for integers and bool.
DType working_type(DType t) { return is_half(t) ? DType::float32 : is_floating(t) ? t : DType::float64; }
DType floating_type(DType t) { return is_floating(t) ? t : DType::float32; }
DType widest_type(DType t) { return is_complex(t) ? DType::complex128 : DType::float64; }

// --- activations: no intermediate value overflows before the result does ---

Tensor sigmoid(const Tensor& x) {
  const Tensor power = exp(negative(abs(x)));  // the power is at most 1
  return divide(where(is_positive(x), 1.0, power), add(power, 1.0));
}

// If x is below fallen_off, or minus infinity, the product of x and a factor that decreases like exp(x) is -0.
constexpr double fallen_off = -1e30;

// Returns x times the logistic function of t. For a negative t, exp(t) underflows before the product does, so the
// function multiplies x twice by the root of exp(t).
Tensor times_logistic(const Tensor& x, const Tensor& t) {
  const Tensor root = exp(multiply(abs(t), -0.5));
  const Tensor factor = where(is_positive(t), 1.0, root);
  const Tensor product = multiply(multiply(maximum(x, fallen_off), factor), factor);
  return divide(product, add(multiply(root, root), 1.0));
}

Tensor silu(const Tensor& x) { return times_logistic(x, x); }

// Computes GELU by its approximation with tanh. The function replaces (1 + tanh(t)) / 2 by the logistic function of 2
// t, which is equal and has no cancellation.
Tensor gelu_by_tanh(const Tensor& x) {
  const Tensor cube = multiply(multiply(multiply(x, x), x), 0.044715);
  return times_logistic(x, multiply(add(x, cube), 2 * std::sqrt(2 / std::numbers::pi)));
}

Tensor softplus(const Tensor& x) { return add(maximum(x, 0.0), log1p(exp(negative(abs(x))))); }

// Computes x tanh(softplus(x)). With e = exp(-|x|), the factor tanh(softplus(x)) is (1 + 2 e) / (1 + 2 e + 2 e^2) for a
// positive x. For other x, the factor is e (2 + e) / (2 + 2 e + e^2). The product has the root of e twice as a factor,
// as in times_logistic.
Tensor mish(const Tensor& x) {
  const Tensor root = exp(multiply(abs(x), -0.5));
  const Tensor e = multiply(root, root), positive = is_positive(x), twice = add(e, e);
  const Tensor factor = where(positive, 1.0, root);
  const Tensor upper = where(positive, add(twice, 1.0), add(e, 2.0));
  const Tensor squares = multiply(e, e);
  const Tensor lower = add(where(positive, add(add(squares, squares), 1.0), add(squares, 2.0)), twice);
  return divide(multiply(multiply(multiply(maximum(x, fallen_off), factor), factor), upper), lower);
}

// Computes x clip(x + 3, 0, 6) / 6. Near -3, where the result is small, the sum x + 3 is exact. Below -3, the result
// does not depend on x, even if x is infinite.
Tensor hardswish(const Tensor& x) { return multiply(maximum(x, -3.0), divide(clip(add(x, 3.0), 0.0, 6.0), 6.0)); }

// Computes an activation in the working type, and rounds the result once.
template <Tensor (*function)(const Tensor&)>
Tensor activation(Operands x, Numbers) {
  const DType t = x[0].dtype;
  return cast(function(cast(x[0], working_type(t))), floating_type(t));
}

template <Tensor (*function)(const Tensor&)>
Tensor in_float64(Operands x, Numbers) {
  return cast(function(cast(x[0], DType::float64)), floating_type(x[0].dtype));
}

// --- distances from the greatest element, for the logarithm of softmax ---

Tensor lesser_power(Operands x, Numbers) { return where(equal(x[0], 0.0), 0.0, exp(x[0])); }

Tensor greatest(Operands x, Numbers) { return cast(equal(x[0], 0.0), DType::int64); }

// --- the values that reductions fold when they skip NaN ---

Tensor replaced(const Tensor& x, const Scalar& value) { return where(is_nan(x), value, x); }

Tensor filled(Operands x, Numbers value) { return replaced(x[0], value[0]); }

Tensor filled_wide(Operands x, Numbers value) { return replaced(cast(x[0], widest_type(x[0].dtype)), value[0]); }

Tensor missing(Operands x, Numbers) { return is_nan(x[0]); }

Tensor present(Operands x, Numbers) { return cast(logical_not(is_nan(x[0])), DType::int64); }

// Returns the squares of the distances from elements to a mean, in float64.
Tensor squared_deviation(Operands x, Numbers) {
  const Tensor wide = cast(x[0], DType::float64);
  return where(is_nan(wide), 0.0, square(subtract(wide, x[1])));
}

}  // namespace

const Formula formulas[formula_count] = {
    {"sigmoid", 1, 0, activation<sigmoid>},
    {"silu", 1, 0, activation<silu>},
    {"gelu_by_tanh", 1, 0, in_float64<gelu_by_tanh>},
    {"softplus", 1, 0, activation<softplus>},
    {"mish", 1, 0, activation<mish>},
    {"hardswish", 1, 0, activation<hardswish>},
    {"lesser_power", 1, 0, lesser_power},
    {"greatest", 1, 0, greatest},
    {"filled", 1, 1, filled},
    {"filled_wide", 1, 1, filled_wide},
    {"missing", 1, 0, missing},
    {"present", 1, 0, present},
    {"squared_deviation", 2, 0, squared_deviation},
};

namespace {

using Program = std::shared_ptr<const fusion::Program>;

Program make_program(const char* op, const Formula& formula, Operands operands) {
  fusion::Graph graph;
  std::vector<int> inputs;
  std::vector<Tensor> standing;
  for (const Tensor& x : operands) {
    standing.push_back(graph.add_input(x.dtype, {1}, std::nullopt));
    inputs.push_back(graph.node_of(standing.back()));
  }
  std::vector<Scalar> numbers;
  for (int i = 0; i < formula.numbers; ++i) numbers.push_back(Scalar::of(graph.add_slot()));
  const fusion::Graph::Recording recording(graph);
  const int result = graph.node_of(formula.steps(standing, numbers));
  Program program = graph.program(inputs, {&result, 1});
  if (!program) fail(Status::internal_error, op, ": the formula has more steps than the engine has registers");
  return program;
}

bool takes(const fusion::Program& program, Operands operands) {
  return std::ranges::equal(program.input_types, operands, {}, {}, &Tensor::dtype);
}

// Returns the program of a formula for operands of these types. Each thread caches one program for each formula and
// type of the first operand, because the types of the other operands rarely vary.
Program program_of(const char* op, const Formula& formula, Operands operands) {
  using Programs = std::array<std::array<Program, dtype_count>, formula_count>;
  // The programs are on the heap, because a thread has little memory for thread-local variables of a library.
  thread_local const auto programs = std::make_unique<Programs>();
  Program& known = (*programs)[static_cast<size_t>(&formula - formulas)][static_cast<size_t>(operands[0].dtype)];
  if (!known || !takes(*known, operands)) known = make_program(op, formula, operands);
  return known;
}

// Returns the first operand with the shape of the result. The order of this operand's elements determines the order of
// computation.
const Tensor* leader(Operands operands, const Dims& shape) {
  const auto found = std::ranges::find(operands, shape, &Tensor::shape);
  return found == operands.end() ? nullptr : &*found;
}

Dims common_shape(const char* op, Operands operands) {
  Dims shape;
  for (const Tensor& x : operands) {
    check_alive(op, x);
    shape = broadcast(op, shape, x.shape);
  }
  return shape;
}

// Returns the number of elements, in row-major order, that a reduction reads consecutively if a formula computes the
// elements on demand. These elements are a run of reduced dimensions at the end, or of kept dimensions. Returns 0 if
// the reduction cannot read elements in this way.
int64_t run_of(const Dims& shape, uint64_t axes) {
  int d = shape.size() - 1;
  while (d > 0 && shape[d] == 1) --d;
  if (d < 0) return 1;
  const bool last = axes >> d & 1;
  int64_t run = 1;
  for (; d >= 0 && (shape[d] == 1 || (axes >> d & 1) == last); --d) run *= shape[d];
  for (; d >= 0 && last; --d)
    if (shape[d] != 1 && (axes >> d & 1)) return 0;
  return run;
}

Tensor one_by_one(const Formula& formula, Operands operands, std::span<const double> numbers) {
  std::vector<Scalar> given;
  for (const double number : numbers) given.push_back(Scalar::of(number));
  return formula.steps(operands, given);
}

}  // namespace

Tensor compute(const char* op, const Formula& formula, Operands operands, std::span<const double> numbers) {
  if (recorder()) return one_by_one(formula, operands, numbers);
  const Dims shape = common_shape(op, operands);
  if (product(shape) <= costs::stepwise_elements) return one_by_one(formula, operands, numbers);
  const Program program = program_of(op, formula, operands);
  const Tensor* const like = leader(operands, shape);
  const Tensor result =
      like ? make_empty_like(op, shape, program->output_type, *like) : make_empty(op, shape, program->output_type);
  program->run(shape, operands, numbers, {&result, 1});
  return result;
}

Tensor fold(const char* op, const Formula& formula, Operands operands, std::span<const double> numbers,
            const NamedReduction& reduction, const ReductionOptions& options) {
  const Dims shape = common_shape(op, operands);
  const Tensor* const like = leader(operands, shape);
  const bool has_order = like && (!like->contiguous || like->order) && is_dense(*like);
  if (has_order || product(shape) <= costs::folded_whole || run_of(shape, options.axes) < costs::long_row)
    return reduction.compute(op, compute(op, formula, operands, numbers), options);
  return program_of(op, formula, operands)->fold(reduction, options, shape, operands, numbers);
}

}  // namespace suanzi
