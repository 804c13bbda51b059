// Recurrent layers apply a cell of one layer and direction to the elements of each sequence one after the other.
//
// The caller first computes the product of the whole input and the input's weights, as a product of matrices. The code
// in this folder computes the products of the state, and the gates. Threads that share a step compute separate ranges
// of the state. No bit of the results depends on the ends of the ranges.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi::recurrent {

enum class Cell : uint8_t { rnn, gru, lstm };
inline constexpr std::string_view cell_names[] = {"rnn", "gru", "lstm"};

// The gates of a cell, in the order in which the code numbers the gates. The caller defines the order of the gates
// among the rows of the weights.
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
// The names of the activations, as ONNX spells the names.
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
  // The functions for the gates, the new element, and the cell's result. Cells with fewer functions use the first
  // functions.
  GateFunction functions[3];
  double clip =
      // Arguments of the gates' functions are limited to [-clip, clip].
      std::numeric_limits<double>::infinity();
  // If `reverse` is true, the layer reads each sequence from its end to its beginning.
  bool reverse = false;
  // If `couples_gates` is true, the forget gate is 1 minus the input gate.
  bool couples_gates = false;
  // If `rounds_state` is true, the states of a step are rounded together to 256 values, like uint8 codes, before the
  // products.
  bool rounds_state = false;
  // If `resets_product` is true, the reset gate multiplies the product of the state. Otherwise, the reset gate
  // multiplies the state.
  bool resets_product = false;
};

int gate_count(Cell cell);

inline constexpr int64_t most_coded_sequences = 4;

// The operands have one type, float32 or float64.
struct Operands {
  // The products of the input, with bias vectors added, of shape (steps, batch, gates * size).
  Tensor input;
  // The weights of the state, of shape (gates * size, size).
  Tensor weight;
  // The bias of shape (size) that is added to the product of the state after the reset.
  std::optional<Tensor> new_bias = {};
  // The weights of the cell's state in the input, forget and output gate (peepholes), of shape (3, size).
  std::optional<Tensor> peephole = {};
  // The state before the first element, of shape (batch, size).
  Tensor hidden;
  // The cell's state of shape (batch, size). Only an LSTM has this state.
  std::optional<Tensor> cell = {};
  // The number of steps of each sequence. Without `lengths`, each sequence has all steps.
  std::optional<std::vector<int64_t>> lengths;
  // The weights may be 8-bit codes if the layer runs at most most_coded_sequences sequences of float32 whose states are
  // rounded. The code then uses only the shape of `weight`. Each row has a scale, in float32, and a zero point, in
  // int32.
  std::optional<Tensor> codes = {}, scales = {}, zeros = {};
};

// One direction of a layer, and the tensors that receive its results.
struct Direction {
  Layer layer;
  Operands operands;
  // The state after each element, and 0 after a sequence's end. The shape is (steps, batch, size). Rows are contiguous.
  Tensor out;
  // The state after the last element of each sequence, of shape (batch, size), contiguous.
  Tensor hidden;
  // The cell's state in the form of `hidden`. Only an LSTM has this state.
  std::optional<Tensor> cell = {};
};

// Runs the directions of a layer. The scratch memory holds the packed weights, and some states.
void run(const char* op, const std::vector<Direction>& directions);

}  // namespace suanzi::recurrent
