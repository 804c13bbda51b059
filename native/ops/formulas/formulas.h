// Formulas are elementwise functions of several steps. Each formula is one tile program (walk/program.h), which passes
// over memory once.
//
// The code of a formula exists once, and uses the operations of the table (kernels/operations.h). The steps of a
// formula are recorded like the steps of a traced function (fusion/), and each thread keeps the resulting program for
// each element type. While a thread traces, it records the steps one by one, so that the steps are fused with the
// operators before and after the formula. For few elements, the steps run one by one.
#pragma once

#include <span>

#include "ops/reduce/named.h"
#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

struct Formula {
  const char* name;
  int operands;  // the number of tensors, which broadcast
  int numbers;   // the number of scalars that each call passes
  // Runs the steps one by one or, if the thread has a recorder, records the steps.
  Tensor (*steps)(std::span<const Tensor> operands, std::span<const Scalar> numbers);
};

inline constexpr int most_formula_operands = 2;
inline constexpr int most_formula_numbers = 1;
inline constexpr int formula_count = 13;
extern const Formula formulas[formula_count];

// Returns the values of a formula. `op` is the formula's name in messages.
Tensor compute(const char* op, const Formula& formula, std::span<const Tensor> operands,
               std::span<const double> numbers);

// Returns a reduction of the values of a formula, with the same bits as the reduction of the tensor that `compute`
// returns. The function stores the values in memory only if the reduced dimensions prevent computing the values on
// demand.
Tensor fold(const char* op, const Formula& formula, std::span<const Tensor> operands, std::span<const double> numbers,
            const NamedReduction& reduction, const ReductionOptions& options);

}  // namespace suanzi
