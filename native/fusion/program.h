// A Program computes a part of a graph in one pass over memory. A Program consists of a program of the tile engine and
// all data that the program needs.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "base/dims.h"
#include "ops/elementwise/chain.h"
#include "ops/reduce/named.h"
#include "walk/program.h"
#include "walk/scalar.h"

namespace suanzi::fusion {

// A number among the inputs of a program, in the type of its register. If `slot` >= 0, the call passes the number.
struct Number {
  int slot;
  DType type;
  Scalar constant;
};

struct Program {
  // The types of the tensors, which are the first inputs. The numbers are the inputs after the tensors.
  std::vector<DType> input_types;
  std::vector<DType> register_types;
  std::vector<Number> numbers;
  std::deque<Chain> chains;  // the chains of the steps, to which the steps point
  std::vector<walk::Step> steps;
  std::vector<uint8_t> sources;  // the register of each output
  DType output_type;             // the type of the first output
  bool heavy = false;

  walk::Program view() const { return {register_types, steps, heavy}; }

  // Computes the outputs. All outputs have one shape, to which the inputs broadcast. `scalars` are the numbers that the
  // call passes.
  void run(const Dims& shape, std::span<const Tensor> inputs, std::span<const double> scalars,
           std::span<const Tensor> outputs) const;
  // Returns a reduction of the only output. A large output is never in memory as a whole.
  Tensor fold(const NamedReduction& reduction, const ReductionOptions& options, const Dims& shape,
              std::span<const Tensor> inputs, std::span<const double> scalars) const;

 private:
  std::vector<walk::View> views_of(const Dims& shape, std::span<const Tensor> inputs, std::span<const double> scalars,
                                   std::span<ElementBuffer> elements) const;
};

}  // namespace suanzi::fusion
