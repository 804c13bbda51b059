// Recurrent layers: a cell of one layer and direction, which is applied to the elements of each sequence one after the
// other.
//
// The caller computes the product of the whole input with its weights beforehand, as a product of matrices. This file
// computes the products of the state, and the gates. Threads share a step in ranges of the state; no bit of the results
// depends on where the ranges end.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi::recurrent {

enum class Cell : uint8_t { rnn, gru, lstm };
inline constexpr std::string_view cell_names[] = {"rnn", "gru", "lstm"};

// The gates of a cell, in the order of the code. The caller defines the order of the gates among the rows of the
// weights.
enum LstmGate : uint8_t { input_gate, forget_gate, cell_gate, output_gate };
enum GruGate : uint8_t { reset_gate, update_gate, new_gate };
inline constexpr int most_gates = 4;

enum class Activation : uint8_t {
  affine,
  elu,
  hard_sigmoid,
  leaky_relu,
  relu,
  scaled_tanh,
  sigmoid,
  softplus,
  softsign,
  tanh,
  thresholded_relu
};
// The names in ONNX's spelling.
inline constexpr std::string_view activation_names[] = {"Affine",   "Elu",        "HardSigmoid",    "LeakyRelu",
                                                        "Relu",     "ScaledTanh", "Sigmoid",        "Softplus",
                                                        "Softsign", "Tanh",       "ThresholdedRelu"};

struct GateFunction {
  Activation kind;
  double alpha, beta;
};

struct Layer {
  Cell cell;
  int place[most_gates];  // the position of each gate among the rows of the weights
  // The functions for the gates, the new element, and the cell's result; cells with fewer functions use the first
  // functions.
  GateFunction functions[3];
  double clip =
      // arguments of the gates' functions are limited to [-clip, clip]
      std::numeric_limits<double>::infinity();
  bool reverse = false;        // go from the end of each sequence to its beginning
  bool couples_gates = false;  // the forget gate is 1 minus the input gate
  // round the states of a step together to 256 values, like uint8 codes, before the products
  bool rounds_state = false;
  bool resets_product = false;  // the reset gate multiplies the product of the state, and not the state
};

int gate_count(Cell cell);

inline constexpr int64_t most_coded_sequences = 4;

// The operands have one type, float32 or float64.
struct Operands {
  Tensor input;   // (steps, batch, gates * size): the products of the input, with bias vectors added
  Tensor weight;  // (gates * size, size): the weights of the state
  std::optional<Tensor> new_bias = {};  // (size): added to the product of the state that is reset
  std::optional<Tensor> peephole = {};  // (3, size): for the input, forget and output gate
  Tensor hidden;                        // (batch, size): the state before the first element
  std::optional<Tensor> cell = {};      // (batch, size): only for an LSTM
  // the number of steps of each sequence; without it, each sequence has all steps
  std::optional<std::vector<int64_t>> lengths;
  // The weights may be 8-bit codes if there are at most most_coded_sequences sequences of float32 whose states are
  // rounded. `weight` then only has a shape. Each row has a scale, in float32, and a zero point, in int32.
  std::optional<Tensor> codes = {}, scales = {}, zeros = {};
};

// One direction of a layer, and the tensors that receive its results.
struct Direction {
  Layer layer;
  Operands operands;
  Tensor out;     // (steps, batch, size), contiguous rows: the state after each element, and 0 after a sequence's end
  Tensor hidden;  // (batch, size), contiguous: the state after the last element of each sequence
  std::optional<Tensor> cell = {};  // as `hidden`; only for an LSTM
};

// Runs the directions of a layer. The scratch memory holds the packed weights, and some states.
void run(const char* op, const std::vector<Direction>& directions);

}  // namespace suanzi::recurrent
