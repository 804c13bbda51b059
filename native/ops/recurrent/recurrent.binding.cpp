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

// Reads the name, alpha and beta of each function.
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

}  // namespace

void bind_recurrent(nb::module_& m) {
  define(
      m, "recurrent",
      "(operator: str, cell: str, inputs: tuple[Tensor, ...], weights: tuple[Tensor, ...], new_biases: tuple[Tensor | "
      "None, ...], peepholes: tuple[Tensor | None, ...], states: tuple[tuple[Tensor, ...], ...], outs: tuple[Tensor, "
      "...], lengths: list[int] | None, places: tuple[int, ...], "
      "functions: tuple[tuple[tuple[str, float, float], ...], ...], clip: float, "
      "flags: tuple[tuple[bool, bool, bool, bool], ...], codes: tuple[tuple[Tensor, Tensor, Tensor] | None, ...], /) "
      "-> tuple[tuple[Tensor, ...], ...]",
      [](const char* op, nb::handle cell, nb::handle inputs, nb::handle weights, nb::handle new_biases,
         nb::handle peepholes, nb::handle states, nb::handle outs, nb::handle lengths, nb::handle places,
         nb::handle functions, nb::handle clip, nb::handle flags, nb::handle codes) {
        Layer layer{};
        layer.cell = static_cast<recurrent::Cell>(require_choice(op, "cell", cell.ptr(), recurrent::cell_names));
        const int gates = recurrent::gate_count(layer.cell);
        for (int k = 0; k < gates; ++k) {
          const int64_t place = require_integer(op, "place", item(places, k).ptr());
          if (place < 0 || place >= gates) fail(Status::internal_error, op, ": no gate has place ", place);
          layer.place[k] = static_cast<int>(place);
        }
        layer.clip = require_real(op, "clip", clip.ptr());
        const std::optional<std::vector<int64_t>> read = read_lengths(op, lengths);
        std::vector<recurrent::Direction> directions;
        int64_t work = 0;
        const Py_ssize_t count = PySequence_Size(inputs.ptr());
        if (count < 1) fail(Status::internal_error, op, ": no direction");
        for (Py_ssize_t d = 0; d < count; ++d) {
          read_functions(op, item(functions, d), layer);
          read_flags(op, item(flags, d), layer);
          recurrent::Operands operands{require_tensor(op, item(inputs, d).ptr()),
                                       require_tensor(op, item(weights, d).ptr()),
                                       optional_tensor(op, item(new_biases, d)),
                                       optional_tensor(op, item(peepholes, d)),
                                       require_tensor(op, item(item(states, d), 0).ptr()),
                                       std::nullopt,
                                       read};
          if (const nb::object coded = item(codes, d); !coded.is_none()) {
            operands.codes = require_tensor(op, item(coded, 0).ptr());
            operands.scales = require_tensor(op, item(coded, 1).ptr());
            operands.zeros = require_tensor(op, item(coded, 2).ptr());
          }
          if (PySequence_Size(item(states, d).ptr()) > 1)
            operands.cell = require_tensor(op, item(item(states, d), 1).ptr());
          work = std::max({work, operands.input.size, operands.weight.size});
          directions.push_back({layer, std::move(operands), require_out(op, item(outs, d).ptr())});
        }
        const std::vector<recurrent::Result> results =
            unlocked_if_long(8 * work, [&] { return recurrent::run(op, directions); });
        nb::list given;
        for (const recurrent::Result& result : results) {
          nb::list of_direction;
          of_direction.append(wrapped(Tensor(result.hidden)));
          if (result.cell) of_direction.append(wrapped(Tensor(*result.cell)));
          given.append(nb::tuple(of_direction));
        }
        return nb::tuple(given);
      },
      Operands::listed);
}

}  // namespace suanzi::python
