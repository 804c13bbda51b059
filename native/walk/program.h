// Tile programs, and the functions that run tile programs. A tile program consists of the steps that compute each tile
// of an elementwise computation.
//
// Each register holds one tile. The first registers are the inputs, converted to the type in which the steps compute.
// Each step writes one register. The executor converts the last register to the output's type and stores the result. A
// program without steps copies and casts. If an operand has the same element for a whole tile, the operand's register
// holds one element, and KernelParams::constants marks the operand for kernels. A step whose operands are all marked is
// computed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "walk/iteration.h"

namespace suanzi::walk {

// The greatest number of operands of a step, because KernelParams::constants has a bit for each operand.
inline constexpr int max_operands = 8;
inline constexpr int max_registers = 64;  // the greatest number of registers of a program
inline constexpr int max_results = 16;    // the greatest number of results of a program

struct Step {
  Kernel kernel;
  KernelParams params;
  DType result;
  uint8_t target;  // the register that the step writes
  uint8_t arity;
  uint8_t operands[max_operands];  // the registers that the step reads
};

struct Program {
  std::span<const DType> inputs;  // the type of each input register
  std::span<const Step> steps;
  // `heavy` is true if the steps need much more time for a byte than a copy, so that threads share smaller tensors.
  bool heavy = false;

  uint8_t last() const { return steps.empty() ? 0 : steps.back().target; }  // returns the register of the result
  DType result() const { return steps.empty() ? inputs[0] : steps.back().result; }
  DType type_of(uint8_t source) const;  // returns the type of the elements of a register at the end
};

// A sink names the register that holds a result, and the place of the result in memory. No later step writes this
// register.
struct Sink {
  uint8_t source;
  View output;
};

// Runs the program for every element of `shape`. Inputs must already be broadcast to `shape`. An input may be the same
// view as the output, but must not overlap the output in another way.
void run(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output);
// Runs a program with any number of results. No result is an input. The walk follows the first result.
void run(const Program& program, const Dims& shape, std::span<const View> inputs, std::span<const Sink> sinks);

// Runs a program whose last step folds. The kernel of this step folds the n elements of a tile into the accumulator at
// `out`. Returns the accumulators of all ranges of the walk, one after the other. Each accumulator begins as
// `identity`. The walk follows `like`.
std::vector<std::byte> fold(const Program& program, const Dims& shape, std::span<const View> inputs, const View& like,
                            std::span<const std::byte> identity);

// Returns the number of elements in a tile of a program with several steps. Only input number `constants` and later
// inputs may be constants.
int64_t tile_elements(const Program& program, size_t constants);

}  // namespace suanzi::walk
