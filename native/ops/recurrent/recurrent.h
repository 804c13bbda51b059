// Recurrent layers: a cell of one layer and direction, applied to one element of each sequence after the other.
//
// The product of the whole input with its weights is a product of matrices that the caller makes beforehand; here are
// the products of the state, and the gates. A step is computed in ranges of the state that threads share out; no bit
// depends on where they end.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi::recurrent {

enum class Cell : uint8_t { rnn, gru, lstm };
inline constexpr std::string_view cell_names[] = {"rnn", "gru", "lstm"};

// The gates of a cell, in the order in which the code has them. Their order among the rows of the weights is the
// caller's.
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
// The names as ONNX spells them.
inline constexpr std::string_view activation_names[] = {"Affine",   "Elu",        "HardSigmoid",    "LeakyRelu",
                                                        "Relu",     "ScaledTanh", "Sigmoid",        "Softplus",
                                                        "Softsign", "Tanh",       "ThresholdedRelu"};

struct GateFunction {
  Activation kind;
  double alpha, beta;
};

struct Layer {
  Cell cell;
  int place[most_gates];      // the place of each gate among the rows of the weights
  GateFunction functions[3];  // for the gates, the new element, the cell's result; as many as the cell has
  double clip =
      std::numeric_limits<double>::infinity();  // the most and, negated, the least that functions of gates are given
  bool reverse = false;                         // from the end of each sequence to its beginning
  bool couples_gates = false;                   // the forget gate is 1 less the input gate
  bool rounds_state = false;    // to 256 values, as of uint8 codes, before the products, for all of a step together
  bool resets_product = false;  // the reset gate multiplies the product of the state, not the state
};

int gate_count(Cell cell);

inline constexpr int64_t most_coded_sequences = 4;

// The operands have one type, float32 or float64.
struct Operands {
  Tensor input;                         // (steps, batch, gates * size): the input's products, with vectors added
  Tensor weight;                        // (gates * size, size), of the state
  std::optional<Tensor> new_bias = {};  // (size), added to the product of the state that is reset
  std::optional<Tensor> peephole = {};  // (3, size): of the input, forget and output gate
  Tensor hidden;                        // (batch, size): the state before the first element
  std::optional<Tensor> cell = {};      // (batch, size), of an LSTM
  std::optional<std::vector<int64_t>> lengths;  // steps of each sequence; without them, each has all
  // With at most most_coded_sequences sequences of float32 whose states are rounded, the weights may be codes of 8
  // bits. Then `weight` has the shape alone. Each row has a scale, in float32, and a zero point, in int32.
  std::optional<Tensor> codes = {}, scales = {}, zeros = {};
};

struct Result {
  Tensor hidden;  // (batch, size): after the last element of each sequence
  std::optional<Tensor> cell;
};

// Writes the state after each element into `out`, of shape (steps, batch, size) with contiguous rows; zeros past the
// end of a sequence. Scratch memory: the packed weights, and some states.
Result run(const char* op, const Layer& layer, const Operands& operands, const Tensor& out);

}  // namespace suanzi::recurrent
