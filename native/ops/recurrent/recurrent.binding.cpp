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
      "(operator: str, cell: str, input: Tensor, weight: Tensor, new_bias: Tensor | None, peephole: Tensor | None, "
      "states: tuple[Tensor, ...], out: Tensor, lengths: list[int] | None, places: tuple[int, ...], functions: "
      "tuple[tuple[str, float, float], ...], clip: float, flags: tuple[bool, bool, bool, bool], codes: tuple[Tensor, "
      "Tensor, Tensor] | None, /) -> tuple[Tensor, ...]",
      [](const char* op, nb::handle cell, nb::handle input, nb::handle weight, nb::handle new_bias, nb::handle peephole,
         nb::handle states, nb::handle out, nb::handle lengths, nb::handle places, nb::handle functions,
         nb::handle clip, nb::handle flags, nb::handle codes) {
        Layer layer{};
        layer.cell = static_cast<recurrent::Cell>(require_choice(op, "cell", cell.ptr(), recurrent::cell_names));
        const int gates = recurrent::gate_count(layer.cell);
        for (int k = 0; k < gates; ++k) {
          const int64_t place = require_integer(op, "place", item(places, k).ptr());
          if (place < 0 || place >= gates) fail(Status::internal_error, op, ": no gate has place ", place);
          layer.place[k] = static_cast<int>(place);
        }
        read_functions(op, functions, layer);
        layer.clip = require_real(op, "clip", clip.ptr());
        layer.reverse = require_truth(op, "reverse", item(flags, 0).ptr());
        layer.couples_gates = require_truth(op, "input_forget", item(flags, 1).ptr());
        layer.resets_product = require_truth(op, "linear_before_reset", item(flags, 2).ptr());
        layer.rounds_state = require_truth(op, "rounds_state", item(flags, 3).ptr());
        recurrent::Operands operands{
            require_tensor(op, input.ptr()), require_tensor(op, weight.ptr()),          optional_tensor(op, new_bias),
            optional_tensor(op, peephole),   require_tensor(op, item(states, 0).ptr()), std::nullopt,
            read_lengths(op, lengths)};
        if (!codes.is_none()) {
          operands.codes = require_tensor(op, item(codes, 0).ptr());
          operands.scales = require_tensor(op, item(codes, 1).ptr());
          operands.zeros = require_tensor(op, item(codes, 2).ptr());
        }
        if (PySequence_Size(states.ptr()) > 1) operands.cell = require_tensor(op, item(states, 1).ptr());
        const Tensor target = require_out(op, out.ptr());
        const recurrent::Result result = unlocked_if_long(8 * std::max(operands.input.size, operands.weight.size),
                                                          [&] { return recurrent::run(op, layer, operands, target); });
        nb::list given;
        given.append(wrapped(Tensor(result.hidden)));
        if (result.cell) given.append(wrapped(Tensor(*result.cell)));
        return nb::tuple(given);
      });
}

}  // namespace suanzi::python
