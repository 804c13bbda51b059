// Formulas: elementwise functions of several steps, each a tile program that passes over memory once.
//
// A formula is written once, in the operations of the table (kernels/operations.h). Its steps are recorded as those of
// a traced function are (fusion/), and each thread keeps the program that is made of them for each element type. While
// a thread traces, the steps are recorded one by one, so that they are fused with the operators before and after them;
// of few elements they are run one by one.
#pragma once

#include <span>

#include "ops/reduce/named.h"
#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

struct Formula {
  const char* name;
  int operands;  // tensors, which broadcast
  int numbers;   // numbers that each call gives
  // Runs the steps one by one or, where the thread has a recorder, has it note them.
  Tensor (*steps)(std::span<const Tensor> operands, std::span<const Scalar> numbers);
};

inline constexpr int most_formula_operands = 2;
inline constexpr int most_formula_numbers = 1;
inline constexpr int formula_count = 13;
extern const Formula formulas[formula_count];

// The values of a formula; `op` is its name in messages.
Tensor compute(const char* op, const Formula& formula, std::span<const Tensor> operands,
               std::span<const double> numbers);

// A reduction of these values, with the bits that it has of the tensor `compute` returns. The values are in memory only
// where the reduced dimensions do not allow to make them on the way.
Tensor fold(const char* op, const Formula& formula, std::span<const Tensor> operands, std::span<const double> numbers,
            const NamedReduction& reduction, const ReductionOptions& options);

}  // namespace suanzi
