// Runs a part of a traced function. The part consists of reductions and of passes over memory. Either the passes and
// reductions run one after the other on whole values, or all passes and reductions run on one block of rows, then on
// the next block. With blocks, the results of a pass stay in the L2 cache for the next pass, and no pass writes these
// results to memory.
//
// The results have the same bits as the results of the operators, called one by one. Only reductions of the trailing
// dimensions of contiguous elements run in blocks, because the result of a row then does not depend on the other rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fusion/program.h"
#include "ops/reduce/named.h"

namespace suanzi::fusion {

struct Value {
  enum class Role : uint8_t { input, temporary, output };
  Role role;
  DType dtype;
  Dims shape;
  std::optional<Dims> order;  // the logical order, or nothing for the default order
};

// The use of a value by an item. Dimension k of the value is dimension k + skipped of the rows' shape.
struct Use {
  int value;
  int skipped;
};

// An item is one pass of a program, a reduction of one value, or a reduction of a program's values. If an item reduces
// the values of a program, large values are never in memory as a whole.
struct Item {
  std::shared_ptr<const Program> program;
  const NamedReduction* reduction = nullptr;
  ReductionOptions options{};
  Dims shape;  // the shape over which a program runs
  std::vector<Use> inputs, outputs;
  bool blocked = false;
};

struct Schedule {
  std::vector<Value> values;
  std::vector<Item> items;  // the items, among which blocked items are consecutive
  Dims rows;                // the leading dimensions that all blocked items share
  int64_t row_bytes = 0;    // the bytes of all values in a row

  // Runs the schedule on `inputs`, the values of the inputs in their order, and returns the outputs in their order.
  // `targets`, if given, holds a tensor for each output. A tensor with storage must have the shape of the output, and
  // receives the output. A target that shares memory with an input or another target is written only after all work is
  // done.
  std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const double> scalars,
                          std::span<const Tensor> targets = {}) const;
  // Returns the number of rows that a block of this schedule has.
  int64_t block_rows() const;
};

}  // namespace suanzi::fusion
