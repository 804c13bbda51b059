// A tile program: what is done to each tile of an elementwise computation, and the call that runs one.
//
// Registers hold one tile each: the first ones are the inputs, converted to the type the steps work in; each step
// adds one. The last register is converted to the output's type and stored. A program without steps copies and casts.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/kernel.h"
#include "walk/iteration.h"

namespace suanzi::tile {

inline constexpr int max_inputs = 3;
inline constexpr int max_steps = 4;

struct Step {
  Kernel kernel;
  KernelParams params;
  DType result;
  uint8_t arity;
  uint8_t operands[max_inputs];  // registers
};

struct Program {
  int inputs = 0;
  int steps = 0;
  DType input_types[max_inputs];  // the type of each input register
  Step step[max_steps];
  bool heavy = false;  // worth splitting over threads at a smaller size

  DType result() const { return steps ? step[steps - 1].result : input_types[0]; }
};

// Runs the program for every element of `shape`. Inputs are broadcast to `shape` already; an input may be the output
// itself but not overlap it otherwise.
void run(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output);

}  // namespace suanzi::tile
