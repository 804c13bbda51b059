#include "ops/elementwise/elementwise.h"

#include <algorithm>

#include "ops/elementwise/comparison.h"
#include "ops/elementwise/recording.h"
#include "runtime/costs.h"
#include "walk/copy.h"
#include "walk/program.h"

namespace suanzi {
namespace {

constexpr int max_arity = 3;

// The types that an operation uses for operands of a given common type.
struct Plan {
  DType computed;  // the type of the computation, from which the table's Result derives the result's type
  DType working;   // the type of the kernel's inputs
  DType produced;  // the type of the kernel's output
  DType result;
  Kernel kernel;
};

DType apply_result(Result rule, DType t) {
  switch (rule) {
    case Result::computed:
      return t;
    case Result::boolean:
      return DType::boolean;
    case Result::real:
      return real_part(t);
    case Result::complex:
      return complex_of(t);
  }
  return t;
}

bool accepts(const OperationInfo& op, DType t) {
  switch (kind(t)) {
    case Kind::boolean:
      return op.accepts & B;
    case Kind::unsigned_integer:
    case Kind::signed_integer:
      return op.accepts & I;
    case Kind::floating:
      return op.accepts & F;
    case Kind::complex:
      return op.accepts & C;
    case Kind::string:
      return op.accepts & S;
  }
  return false;
}

[[noreturn, gnu::cold]] void fail_type(const char* op, const OperationInfo& row, DType t) {
  std::string kinds;
  constexpr std::pair<Accepts, const char*> kind_names[] = {
      {B, "bool"}, {I, "integer"}, {F, "floating"}, {C, "complex"}, {S, "string"}};
  for (const auto& [bit, kind_name] : kind_names)
    if (row.accepts & bit) kinds.append(kinds.empty() ? "" : ", ").append(kind_name);
  fail(Status::type_mismatch, op, ": element type ", name(t), " is not one of ", kinds);
}

Plan make_plan(const char* op, Operation operation, DType promoted, const KernelParams& params = {}) {
  const OperationInfo& row = info(operation);
  // After the result is rounded to a 16-bit type, the float32 sqrt is as accurate as the float64 sqrt.
  const bool is_root = operation == Operation::pow && params.real[0] == 0.5;
  if (!accepts(row, promoted)) fail_type(op, row, promoted);
  Plan plan;
  plan.computed =
      row.compute == Compute::floating && !is_floating(promoted) && !is_complex(promoted) ? DType::float32 : promoted;
  plan.working = plan.computed;
  if (is_half(plan.computed) && row.half != Half::bits)
    plan.working = row.half == Half::float32 || is_root ? DType::float32 : DType::float64;
  plan.produced = apply_result(row.result, plan.working);
  plan.result = apply_result(row.result, plan.computed);
  plan.kernel = kernels().elementwise[static_cast<int>(operation)][static_cast<int>(plan.working)];
  return plan;
}

// The exponents of powers that other operations compute, and these operations.
constexpr std::pair<double, Operation> simple_powers[] = {
    {1, Operation::positive}, {2, Operation::square}, {-1, Operation::reciprocal}};

// Reports to the recorder that the result depends on the value of `number`. This function is out of line, so that the
// function does not slow down calls without a recorder.
[[gnu::cold, gnu::noinline]] void note_reading(const Scalar& number) {
  if (Recorder* const records = recorder()) records->reads(number);
}

// Returns the operation that computes a power with this exponent. The function also writes the exponent to `params`,
// because pow has shorter kernels for some exponents.
Operation power_by(DType base, const Scalar& exponent, KernelParams& params) {
  const bool real = exponent.kind == Scalar::Kind::integer || exponent.kind == Scalar::Kind::floating;
  if (!real || promote_scalar(base, exponent) != base) return Operation::pow;
  note_reading(exponent);
  params.real[0] = exponent.value.real();
  for (const auto& [value, operation] : simple_powers) {
    if (value != params.real[0] || !accepts(info(operation), base)) continue;
    return operation != Operation::reciprocal || is_floating(base) ? operation : Operation::pow;
  }
  return Operation::pow;
}

// Returns the index of the first operand that takes part in the promotion. The condition of `where` does not take part.
int first_value(Operation op) { return op == Operation::where ? 1 : 0; }

DType promoted_type(const char* op, Operation operation, std::span<const Operand> operands) {
  bool found = false;
  DType common = DType::boolean;
  const auto values = operands.subspan(static_cast<size_t>(first_value(operation)));
  for (const Operand& operand : values) {
    if (!operand.tensor) continue;
    const DType t = operand.tensor->dtype;
    if (found && !promote(common, t, common))
      fail(Status::type_mismatch, op, ": ", name(common), " and ", name(t), " have no common type; cast one of them");
    if (!found) common = t;
    found = true;
  }
  // In where(condition, 1.0, 0.0), only scalars determine the type. The type is then float32, as the standard requires,
  // except for bools, strings and complex numbers. The code refuses numbers that this type does not hold exactly.
  const auto all_are = [&](Scalar::Kind kind) {
    return std::ranges::all_of(values, [=](const Operand& o) { return o.scalar.kind == kind; });
  };
  if (!found)
    common = all_are(Scalar::Kind::boolean)  ? DType::boolean
             : all_are(Scalar::Kind::string) ? DType::string
                                             : DType::float32;
  for (const Operand& operand : values) {
    if (operand.tensor) continue;
    if ((operand.scalar.kind == Scalar::Kind::string) != (common == DType::string))
      fail(Status::type_mismatch, op, ": a string and a number have no common type");
    common = promote_scalar(common, operand.scalar);
  }
  for (const Operand& operand : values) {
    if (!found && !is_exact(operand.scalar, common))
      fail(Status::out_of_range, op, ": ", text_of(operand.scalar), " is not exact in ", name(common),
           "; a tensor of one element keeps its own type");
  }
  return common;
}

Tensor make_result(const char* op, const Dims& shape, DType dtype, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.tensor && operand.tensor->shape == shape) return make_empty_like(op, shape, dtype, *operand.tensor);
  return make_empty(op, shape, dtype);
}

// The kernel that computes the whole operation if the operands have the kernel's type and the result needs no
// conversion.
struct DirectKernel {
  Kernel kernel = nullptr;
  DType result = DType::boolean;
};

struct DirectKernels {
  DirectKernel table[operation_count][dtype_count];

  DirectKernels() {
    for (int op = 0; op < operation_count; ++op)
      for (int t = 0; t < dtype_count; ++t) {
        const OperationInfo& row = operation_table[op];
        const auto type = static_cast<DType>(t);
        if (!accepts(row, type) || static_cast<Operation>(op) == Operation::where) continue;
        const Plan plan = make_plan(row.name.data(), static_cast<Operation>(op), type);
        if (plan.result == DType::string) continue;  // the result keeps the bytes of strings
        if (plan.working == type && plan.produced == plan.result) table[op][t] = {plan.kernel, plan.result};
      }
  }
};

const DirectKernel& direct_kernel(Operation op, DType t) {
  static const DirectKernels kernels;
  return kernels.table[static_cast<int>(op)][static_cast<int>(t)];
}

// Returns the operand with the most dimensions. The shape of this operand is the shape of the result if the other
// tensors have as many elements. Returns null if the operand is not contiguous, or is so large that the tile engine
// (walk/) is faster.
const Tensor* direct_candidate(std::span<const Operand> operands) {
  const Tensor* like = nullptr;
  for (const Operand& operand : operands)
    if (operand.tensor && (!like || operand.tensor->rank() > like->rank())) like = operand.tensor;
  return like && like->contiguous && like->storage && like->size <= costs::direct_elements ? like : nullptr;
}

// Returns true if x has the shape of `like`. Leading dimensions of size 1 may be missing in x.
bool is_alike(const Tensor& x, const Tensor& like) {
  if (x.size != like.size) return false;
  const int missing = like.rank() - x.rank();
  return missing >= 0 && std::equal(x.shape.begin(), x.shape.end(), like.shape.begin() + missing);
}

// Returns true if the contiguous tensor x has the strides of a new tensor with the shape of x. In a view, the strides
// of dimensions of size 1 may be any numbers.
bool has_own_strides(const Tensor& x) {
  if (x.order) return false;
  int64_t step = 1;
  for (int d = x.rank() - 1; d >= 0; step *= x.shape[d--])
    if (x.strides[d] != step) return false;
  return true;
}

// Computes an operation without the tile engine, for small contiguous operands of one type and shape. Some of the
// operands may be numbers or tensors of one element. Returns false for other operands.
bool run_direct(const char* op, Operation operation, std::span<const Operand> operands, KernelParams params,
                Tensor& result) {
  const Tensor* like = direct_candidate(operands);
  if (!like) return false;
  const DirectKernel& direct = direct_kernel(operation, like->dtype);
  if (!direct.kernel) return false;
  const void* in[max_arity];
  ElementBuffer numbers[max_arity];
  // The code checks types first, because the conversion of a number depends on all operands, including later operands.
  for (const Operand& operand : operands) {
    const DType t = operand.tensor ? operand.tensor->dtype : promote_scalar(like->dtype, operand.scalar);
    if (t != like->dtype) return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor* x = operands[i].tensor;
    if (x) {
      if (!x->contiguous || !x->storage) return false;
      in[i] = x->data;
      if (is_alike(*x, *like)) continue;
      if (x->size != 1) return false;
    } else {
      store_scalar(op, operands[i].scalar, like->dtype, numbers[i]);
      in[i] = numbers[i].bytes;
    }
    params.constants |= static_cast<uint8_t>(1 << i);
  }
  if (!has_own_strides(*like)) {
    result = make_empty_like(op, like->shape, direct.result, *like);
  } else {
    result.dtype = direct.result;
    result.size = like->size;
    result.storage = StoragePtr::allocate(static_cast<size_t>(result.nbytes()));
    result.data = result.storage->data();
    result.shape = like->shape;
    result.strides = like->strides;
  }
  direct.kernel(result.data, in, like->size, params);
  return true;
}

// Returns true if an operation takes so long per element that several threads save time even for few elements.
bool is_heavy(Operation operation) {
  return info(operation).compute == Compute::floating || operation == Operation::pow;
}

void run_program(const char* op, const Plan& plan, Operation operation, std::span<const Operand> operands,
                 const Tensor& out, const KernelParams& params) {
  const auto arity = static_cast<uint8_t>(operands.size());
  const walk::Step step = {plan.kernel, params, plan.produced, arity, arity, {0, 1, 2}};
  DType types[max_arity];
  const walk::Program program{{types, arity}, {&step, 1}, is_heavy(operation)};
  walk::View views[max_arity];
  ElementBuffer scalars[max_arity];
  Tensor copies[max_arity];
  for (int i = 0; i < arity; ++i) {
    const Operand& operand = operands[static_cast<size_t>(i)];
    const bool condition = i < first_value(operation);
    types[i] = condition ? DType::boolean : plan.working;
    if (operand.tensor) {
      // The promotion of an integer and a 16-bit floating type rounds the integer to the 16-bit type. The code rounds
      // the integer first, because the working type has more digits.
      const bool rounded = !condition && plan.working != plan.computed && operand.tensor->dtype != plan.computed;
      const bool overlapping = overlaps_partially(*operand.tensor, out);
      if (rounded) copies[i] = cast(op, *operand.tensor, plan.computed);
      if (!rounded && overlapping) copies[i] = clone(op, *operand.tensor);
      views[i] = walk::View::broadcast(rounded || overlapping ? copies[i] : *operand.tensor, out.shape);
    } else {
      const DType t = condition ? DType::boolean : plan.computed;
      store_element(op, operand.scalar, t, out, scalars[i]);
      views[i] = {scalars[i].bytes, t, Dims(out.rank(), 0)};
    }
  }
  walk::run(program, out.shape, {views, operands.size()}, walk::View::of(out));
  for (int i = first_value(operation); i < arity; ++i) {
    const Tensor* source = copies[i].storage ? &copies[i] : operands[static_cast<size_t>(i)].tensor;
    if (source) keep_referents(out, *source);
  }
}

// Runs an operation on its operands. `op` is the operation's name in messages.
Tensor run_operation(const char* op, Operation operation, std::span<const Operand> operands, const Tensor* out,
                     const KernelParams& params) {
  Tensor result;
  if (!out && run_direct(op, operation, operands, params, result)) return result;

  bool tensors = false;
  for (const Operand& operand : operands) {
    if (!operand.tensor) continue;
    check_alive(op, *operand.tensor);
    tensors = true;
  }
  if (!tensors) fail(Status::type_mismatch, op, ": at least one operand must be a tensor");
  const Plan plan = make_plan(op, operation, promoted_type(op, operation, operands), params);
  if (!plan.kernel) fail(Status::internal_error, op, ": there is no kernel for ", name(plan.working));
  for (const Operand& operand : operands.first(static_cast<size_t>(first_value(operation))))
    if (operand.tensor) check_condition(op, *operand.tensor);
  if (Recorder* const records = recorder()) [[unlikely]]
    return records->record({op, operation, plan.kernel, params, operands, first_value(operation), plan.computed,
                            plan.working, plan.produced, plan.result, is_heavy(operation)});
  Dims shape;
  for (const Operand& operand : operands)
    if (operand.tensor) shape = broadcast(op, shape, operand.tensor->shape);
  if (out) {
    check_out(op, *out, shape, plan.result);
    run_program(op, plan, operation, operands, *out, params);
    return *out;
  }
  result = make_result(op, shape, plan.result, operands);
  run_program(op, plan, operation, operands, result, params);
  return result;
}

}  // namespace

Recorder*& recorder() {
  thread_local Recorder* of_thread = nullptr;
  return of_thread;
}

Tensor elementwise(Operation operation, std::span<const Operand> operands, const Tensor* out, KernelParams params,
                   const char* op) {
  if (!op) op = info(operation).name.data();
  if (operation == Operation::pow && operands[0].tensor && !operands[1].tensor) {
    operation = power_by(operands[0].tensor->dtype, operands[1].scalar, params);
  } else if (past_range(operation, operands)) [[unlikely]] {
    Operand compared[2];
    operation = within_range(operation, operands, compared);
    return run_operation(op, operation, compared, out, params);
  }
  return run_operation(op, operation, operands.first(info(operation).arity), out, params);
}

void check_condition(const char* op, const Tensor& condition) {
  if (condition.dtype == DType::string)
    fail(Status::type_mismatch, op, ": a condition cannot have element type string; compare the strings with ''");
}

}  // namespace suanzi
