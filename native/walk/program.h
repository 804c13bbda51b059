// Tile programs, the steps for each tile of an elementwise computation, and the calls that run one.
//
// Registers hold one tile each: the first ones are the inputs, converted to the type the steps work in; each step
// writes one. The last is converted to the output's type and stored. A program without steps copies and casts. An
// operand that is one element for a whole tile stays one, and kernels know it; a step of such operands alone is
// computed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "walk/iteration.h"

namespace suanzi::walk {

inline constexpr int max_operands = 8;    // operands of a step: the bits of KernelParams::constants
inline constexpr int max_registers = 64;  // registers of a program
inline constexpr int max_results = 16;    // results of a program

struct Step {
  Kernel kernel;
  KernelParams params;
  DType result;
  uint8_t target;  // the register that it writes
  uint8_t arity;
  uint8_t operands[max_operands];  // the registers that it reads
};

struct Program {
  std::span<const DType> inputs;  // the type of each input register
  std::span<const Step> steps;
  bool heavy = false;  // worth splitting over threads at a smaller size

  uint8_t last() const { return steps.empty() ? 0 : steps.back().target; }  // the register of the result
  DType result() const { return steps.empty() ? inputs[0] : steps.back().result; }
  DType type_of(uint8_t source) const;  // type of the elements of a register at the end
};

// The target of a result: the register that holds it, which no later step writes, and its place in memory.
struct Sink {
  uint8_t source;
  View output;
};

// Runs the program for every element of `shape`. Inputs are broadcast to `shape` already; an input may be the output
// itself but not overlap it otherwise.
void run(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output);
// Runs a program with any number of results, none of which is an input; the walk follows the first.
void run(const Program& program, const Dims& shape, std::span<const View> inputs, std::span<const Sink> sinks);

// Runs a program whose last step folds: its kernel adds the n elements of a tile to the accumulator at `out`. Returns
// the accumulators of all ranges that were walked, one after the other; each begins as `identity`. The walk follows
// `like`.
std::vector<std::byte> fold(const Program& program, const Dims& shape, std::span<const View> inputs, const View& like,
                            std::span<const std::byte> identity);

// Elements of a tile of a program with several steps, of whose inputs only those from `constants` on are constants.
int64_t tile_elements(const Program& program, size_t constants);

}  // namespace suanzi::walk
