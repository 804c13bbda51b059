// The loop of recurrent layers as a Python function for suanzi.nn, which reads and checks the arguments of users.
#include "ops/recurrent/recurrent.h"

#include <algorithm>
#include <vector>

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

using recurrent::Layer;

nb::object item(nb::handle sequence, Py_ssize_t i) {
  const nb::object found = nb::steal(PySequence_GetItem(sequence.ptr(), i));
  if (!found.is_valid()) throw PythonErrorSet{};
  return found;
}

// Reads the activations of a layer, each as a name, alpha and beta.
void read_functions(const char* op, nb::handle given, Layer& layer) {
  Py_ssize_t k = 0;
  for (recurrent::GateFunction& function : layer.functions) {
    if (k == PySequence_Size(given.ptr())) break;
    const nb::object one = item(given, k++);
    function = {static_cast<recurrent::Activation>(
                    require_choice(op, "activation", item(one, 0).ptr(), recurrent::activation_names)),
                require_real(op, "alpha", item(one, 1).ptr()), require_real(op, "beta", item(one, 2).ptr())};
  }
}

void read_flags(const char* op, nb::handle given, Layer& layer) {
  layer.reverse = require_truth(op, "reverse", item(given, 0).ptr());
  layer.couples_gates = require_truth(op, "input_forget", item(given, 1).ptr());
  layer.resets_product = require_truth(op, "linear_before_reset", item(given, 2).ptr());
  layer.rounds_state = require_truth(op, "rounds_state", item(given, 3).ptr());
}

std::optional<std::vector<int64_t>> read_lengths(const char* op, nb::handle lengths) {
  if (lengths.is_none()) return std::nullopt;
  std::vector<int64_t> result;
  const Py_ssize_t count = PySequence_Size(lengths.ptr());
  if (count < 0) throw PythonErrorSet{};
  for (Py_ssize_t i = 0; i < count; ++i) result.push_back(require_integer(op, "length", item(lengths, i).ptr()));
  return result;
}

// The tensors of a call that all directions share: the states, of shape (directions, batch, size), and the results.
struct Shared {
  std::vector<Tensor> before, after;  // the hidden states, and the states of an LSTM's cells
  Tensor out;                         // a result of shape (steps, batch, directions * size)
  std::optional<std::vector<int64_t>> lengths;

  Tensor of_direction(const Tensor& states, int64_t d) const {
    return make_view(states, {states.shape[1], states.shape[2]}, {states.strides[1], states.strides[2]},
                     d * states.strides[0]);
  }
};

Layer read_layer(const char* op, nb::handle cell, nb::handle places, nb::handle clip) {
  Layer layer{};
  layer.cell = static_cast<recurrent::Cell>(require_choice(op, "cell", cell.ptr(), recurrent::cell_names));
  const int gates = recurrent::gate_count(layer.cell);
  for (int k = 0; k < gates; ++k) {
    const int64_t place = require_integer(op, "place", item(places, k).ptr());
    if (place < 0 || place >= gates) fail(Status::internal_error, op, ": no gate has place ", place);
    layer.place[k] = static_cast<int>(place);
  }
  layer.clip = require_real(op, "clip", clip.ptr());
  return layer;
}

Shared read_shared(const char* op, const Layer& layer, nb::handle input, nb::handle states, nb::handle lengths,
                   int64_t directions, bool batch_first) {
  Shared shared{{}, {}, {}, read_lengths(op, lengths)};
  const Dims& sizes = require_tensor(op, input.ptr()).shape;
  const Py_ssize_t count = PySequence_Size(states.ptr());
  if (sizes.size() != 3 || count != (layer.cell == recurrent::Cell::lstm ? 2 : 1))
    fail(Status::internal_error, op, ": shape ", sizes, " and ", count, " states do not fit the cell");
  const int64_t steps = sizes[0], batch = sizes[1], size = sizes[2] / recurrent::gate_count(layer.cell);
  const Dims shape = {directions, batch, size};
  for (Py_ssize_t k = 0; k < count; ++k) {
    shared.before.push_back(require_tensor(op, item(states, k).ptr()));
    if (shared.before.back().shape != shape)
      fail(Status::dimensions_mismatch, op, ": states have shape ", shared.before.back().shape, ", not ", shape);
    shared.after.push_back(make_empty(op, shape, shared.before.back().dtype));
  }
  const DType dtype = shared.before.front().dtype;
  const int64_t row = directions * size;
  shared.out = make_empty(op, batch_first ? Dims{batch, steps, row} : Dims{steps, batch, row}, dtype);
  return shared;
}

// Reads a direction's parameters. The parameters are the weight of the state, the bias of the new gate, the peephole,
// the functions, the flags and the codes of the weight.
recurrent::Direction read_direction(const char* op, Layer layer, nb::handle input, nb::handle parameters,
                                    const Shared& shared, int64_t d, bool batch_first) {
  read_functions(op, item(parameters, 3), layer);
  read_flags(op, item(parameters, 4), layer);
  recurrent::Operands operands{require_tensor(op, input.ptr()),
                               require_tensor(op, item(parameters, 0).ptr()),
                               optional_tensor(op, item(parameters, 1)),
                               optional_tensor(op, item(parameters, 2)),
                               shared.of_direction(shared.before[0], d),
                               std::nullopt,
                               shared.lengths};
  if (const nb::object coded = item(parameters, 5); !coded.is_none()) {
    operands.codes = require_tensor(op, item(coded, 0).ptr());
    operands.scales = require_tensor(op, item(coded, 1).ptr());
    operands.zeros = require_tensor(op, item(coded, 2).ptr());
  }
  const Dims &shape = shared.out.shape, &strides = shared.out.strides;
  const int64_t size = shared.after[0].shape[2];
  const Tensor out = batch_first
                         ? make_view(shared.out, {shape[1], shape[0], size}, {strides[1], strides[0], 1}, d * size)
                         : make_view(shared.out, {shape[0], shape[1], size}, {strides[0], strides[1], 1}, d * size);
  recurrent::Direction direction{layer, std::move(operands), out, shared.of_direction(shared.after[0], d)};
  if (shared.before.size() > 1) {
    direction.operands.cell = shared.of_direction(shared.before[1], d);
    direction.cell = shared.of_direction(shared.after[1], d);
  }
  return direction;
}

}  // namespace

void bind_recurrent(nb::module_& m) {
  define(
      m, "recurrent",
      "(operator: str, cell: str, inputs: tuple[Tensor, ...], parameters: tuple[tuple[Tensor, Tensor | None, Tensor | "
      "None, tuple[tuple[str, float, float], ...], tuple[bool, bool, bool, bool], tuple[Tensor, Tensor, Tensor] | "
      "None], ...], states: tuple[Tensor, ...], lengths: list[int] | None, places: tuple[int, ...], clip: float, "
      "batch_first: bool, /) -> tuple[Tensor, ...]",
      [](const char* op, nb::handle cell, nb::handle inputs, nb::handle parameters, nb::handle states,
         nb::handle lengths, nb::handle places, nb::handle clip, nb::handle batch_first) {
        const Layer layer = read_layer(op, cell, places, clip);
        const bool batches = require_truth(op, "batch_first", batch_first.ptr());
        const Py_ssize_t count = PySequence_Size(inputs.ptr());
        if (count < 1) fail(Status::internal_error, op, ": no direction");
        const Shared shared = read_shared(op, layer, item(inputs, 0), states, lengths, count, batches);
        std::vector<recurrent::Direction> directions;
        int64_t work = 0;
        for (Py_ssize_t d = 0; d < count; ++d) {
          directions.push_back(read_direction(op, layer, item(inputs, d), item(parameters, d), shared, d, batches));
          const recurrent::Operands& operands = directions.back().operands;
          work = std::max({work, operands.input.size, operands.weight.size});
        }
        unlocked_if_long(8 * work, [&] { recurrent::run(op, directions); });
        nb::list results;
        results.append(wrapped(Tensor(shared.out)));
        for (const Tensor& after : shared.after) results.append(wrapped(Tensor(after)));
        return nb::tuple(results);
      },
      Operands::listed);
}

}  // namespace suanzi::python
