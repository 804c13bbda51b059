// The run of a part of a traced function: passes over memory and reductions, one after the other, or all of them for
// one block of rows after the other, so that values between them stay in a core's own cache and never reach memory.
//
// The bits are those of the same operators called one by one. A reduction of the trailing dimensions of contiguous
// elements gives each row its result whatever rows stand beside it; no other is done by blocks.
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
  std::optional<Dims> order;  // the logical order, where it is not the default one
};

// A value as an item has it. Its dimension k is dimension k + skipped of the rows' shape.
struct Use {
  int value;
  int skipped;
};

// One pass of a program, or a reduction: of one value, or of a program's values, which are then never stored.
struct Item {
  std::shared_ptr<const Program> program;
  const NamedReduction* reduction = nullptr;
  ReductionOptions options{};
  Dims shape;  // the shape that a program walks
  std::vector<Use> inputs, outputs;
  bool blocked = false;
};

struct Schedule {
  std::vector<Value> values;
  std::vector<Item> items;  // blocked items follow one another
  Dims rows;                // the leading dimensions that all blocked items have in common
  int64_t row_bytes = 0;    // bytes of all values in a row

  // The values that are outputs, in their order; `inputs` are those that are inputs, in theirs. Where `targets` are
  // given, one for each output, those that have storage take what they stand for, whose shape they have. To one that
  // shares memory with an input or another target nothing is written before all of the work is done.
  std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const double> scalars,
                          std::span<const Tensor> targets = {}) const;
  // Rows of a block.
  int64_t block_rows() const;
};

}  // namespace suanzi::fusion
