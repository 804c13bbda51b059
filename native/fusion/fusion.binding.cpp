// Python objects for graphs and schedules of traced functions. src/suanzi/fusion uses these objects to trace and plan.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "fusion/graph.h"
#include "fusion/schedule.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "runtime/tile_shape.h"
#include "runtime/tracing.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

using fusion::Graph;
using fusion::Program;
using fusion::Schedule;

constexpr const char* op = "fuse";

std::optional<Dims> optional_dims(nb::handle order) {
  return order.is_none() ? std::nullopt : std::optional(require_dims(op, "order", order.ptr()));
}

nb::object dims_or_none(const std::optional<Dims>& dims) { return dims ? nb::steal(dims_to_tuple(*dims)) : nb::none(); }

int node_of(const Graph& graph, nb::handle x) {
  const int node = graph.node_of(require_tensor(op, x.ptr()));
  if (node < 0) fail(Status::internal_error, op, ": a tensor does not stand for a node");
  return node;
}

nb::object record(Graph& graph, nb::handle function, nb::tuple arguments) {
  const Graph::Recording recording(graph);
  return nb::steal(PyObject_CallObject(function.ptr(), arguments.ptr()));
}

// Returns (name, dtype, shape, order, heavy) of the node that x represents, where x is the tensor that the last
// recording returned. If the recording has several steps, the name is None, and `heavy` is true if any step is heavy.
nb::tuple facts(const Graph& graph, nb::handle x) {
  const int last = node_of(graph, x), first = std::min(graph.first_noted(), last);
  bool heavy = false;
  for (int i = first; i <= last; ++i) heavy |= graph.node(i).heavy;
  const fusion::Node& node = graph.node(last);
  return nb::make_tuple(first < last ? nb::none() : nb::cast(node.name), nb::borrow(dtype_object(node.dtype)),
                        nb::steal(dims_to_tuple(node.shape)), dims_or_none(node.order), heavy);
}

nb::object program(const Graph& graph, nb::list inputs, nb::list outputs) {
  const auto nodes_of = [&](const nb::list& tensors) {
    std::vector<int> nodes;
    for (const nb::handle x : tensors) nodes.push_back(node_of(graph, x));
    return nodes;
  };
  return nb::cast(std::const_pointer_cast<Program>(graph.program(nodes_of(inputs), nodes_of(outputs))));
}

// --- the parts of a schedule, which are tuples that Python's planner writes ---

fusion::Value read_value(nb::handle tuple) {
  using Role = fusion::Value::Role;
  constexpr std::array<std::string_view, 3> roles = {"input", "temporary", "output"};
  const nb::tuple parts = nb::cast<nb::tuple>(tuple);
  const auto role = static_cast<Role>(require_choice(op, "role", nb::object(parts[0]).ptr(), roles));
  return {role, require_dtype(op, nb::object(parts[1]).ptr()), require_dims(op, "shape", nb::object(parts[2]).ptr()),
          optional_dims(nb::object(parts[3]))};
}

std::vector<fusion::Use> read_uses(nb::handle list, size_t values) {
  std::vector<fusion::Use> uses;
  for (const nb::handle pair : list) {
    const nb::tuple parts = nb::cast<nb::tuple>(pair);
    const fusion::Use use{nb::cast<int>(parts[0]), nb::cast<int>(parts[1])};
    if (use.value < 0 || static_cast<size_t>(use.value) >= values)
      fail(Status::internal_error, op, ": value ", use.value, " is not one of the ", values, " values");
    uses.push_back(use);
  }
  return uses;
}

// Reads an item of a schedule from the tuple (program | (name, axes, keepdims, correction, dtype, program | None),
// shape, inputs, outputs, blocked).
fusion::Item read_item(nb::handle tuple, size_t values) {
  const nb::tuple parts = nb::cast<nb::tuple>(tuple);
  fusion::Item item;
  item.shape = require_dims(op, "shape", nb::object(parts[1]).ptr());
  item.inputs = read_uses(parts[2], values);
  item.outputs = read_uses(parts[3], values);
  item.blocked = nb::cast<bool>(parts[4]);
  const bool folds = nb::isinstance<nb::tuple>(parts[0]);
  const nb::object program = folds ? nb::object(nb::cast<nb::tuple>(parts[0])[5]) : nb::object(parts[0]);
  if (!program.is_none()) {
    item.program = nb::cast<std::shared_ptr<Program>>(program);
    if (item.inputs.size() != item.program->input_types.size() || item.outputs.size() != item.program->sources.size())
      fail(Status::internal_error, op, ": the operands belong to another program");
  }
  if (!folds) return item;
  const nb::tuple reduction = nb::cast<nb::tuple>(parts[0]);
  item.reduction = &named_reductions[require_choice(op, "op", nb::object(reduction[0]).ptr(), reduction_names())];
  item.options = {require_axes(op, nb::object(reduction[1]).ptr(), item.shape.size()), nb::cast<bool>(reduction[2]),
                  optional_dtype(op, nb::object(reduction[4]).ptr()), nb::cast<double>(reduction[3])};
  return item;
}

// Returns the number of elements of the schedule's largest value. This number decides whether the run releases the
// interpreter's lock.
int64_t work_of(const Schedule& schedule) {
  int64_t work = 0;
  for (const fusion::Value& value : schedule.values) work = std::max(work, product(value.shape));
  return work;
}

nb::object tuple_of(std::vector<Tensor>&& tensors) {
  nb::object results = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(results.ptr(), static_cast<Py_ssize_t>(i), wrapped(std::move(tensors[i])).release().ptr());
  return results;
}

// Returns a tensor for each output of the schedule. The tensor is the item of `out` under the output's number. If `out`
// does not contain the number, the tensor has no storage, and the run creates a new tensor for the output. If `out` is
// empty, the function returns an empty list.
std::vector<Tensor> read_targets(const Schedule& schedule, nb::dict out) {
  std::vector<Tensor> targets;
  if (out.size() == 0) return targets;
  for (const fusion::Value& value : schedule.values) {
    if (value.role != fusion::Value::Role::output) continue;
    const nb::object number = nb::cast(targets.size());
    targets.push_back(out.contains(number) ? require_tensor(op, nb::object(out[number]).ptr()) : Tensor{});
    if (targets.back().storage) check_out(op, targets.back(), value.shape, value.dtype);
  }
  return targets;
}

nb::object run(const Schedule& schedule, nb::sequence tensors, const std::vector<double>& scalars, nb::dict out) {
  std::vector<Tensor> inputs;
  for (const nb::handle x : tensors) inputs.push_back(require_tensor(op, x.ptr()));
  const std::vector<Tensor> targets = read_targets(schedule, out);
  return tuple_of(unlocked_if_long(work_of(schedule), [&] { return schedule.run(inputs, scalars, targets); }));
}

// --- a recorded call, with positional arguments, one schedule, and one or several results ---

// Returns the number of the element of `base` at which a view of `base` begins. For a tensor that is not a view of
// `base`, the function returns nothing.
std::optional<int64_t> view_offset(const Tensor& view, const Tensor& base) {
  if (!view.storage || view.storage.get() != base.storage.get() || view.dtype != base.dtype) return std::nullopt;
  return (view.data - base.data) / size_of(base.dtype);
}

// An input of the schedule is a view of an argument, or of a captured tensor.
struct Input {
  int argument;                   // an argument's number, or the complement of a captured tensor's number
  Tensor like;                    // the view without its storage
  std::optional<int64_t> offset;  // the offset of the view, or nothing if the input is the whole tensor

  Tensor of(const Tensor& base) const {
    if (!offset) return base;
    Tensor view = make_view(base, like.shape, like.strides, *offset);
    view.order = like.order;
    return view;
  }
};

Tensor without_storage(Tensor x) {
  x.storage = {};
  return x;
}

// The condition on an argument of a recorded call. Depending on the kind, the argument must be a tensor with the layout
// of the traced tensor, any float, a number equal to the traced number, or the object to which the stored weak
// reference points.
struct Expected {
  enum class Kind : uint8_t { tensor, number, same, object } kind;
  Tensor like;  // the traced tensor without its storage
  nb::object object;
};

bool is_like(const Tensor& x, const Tensor& like) {
  if (!x.storage || x.dtype != like.dtype || x.shape != like.shape || x.strides != like.strides) return false;
  return x.order ? like.order && *x.order == *like.order : !like.order;
}

// Returns true if two objects are the same number. Equal numbers may differ, such as 1 and True, or 0.0 and -0.0.
bool is_same(PyObject* x, PyObject* known) {
  if (x == known) return true;
  if (Py_TYPE(x) != Py_TYPE(known)) return false;
  if (PyFloat_CheckExact(x)) {
    const double a = PyFloat_AS_DOUBLE(x), b = PyFloat_AS_DOUBLE(known);
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  return (PyLong_CheckExact(x) || PyUnicode_CheckExact(x)) && PyObject_RichCompareBool(x, known, Py_EQ) == 1;
}

// Returns the object to which a weak reference points, or no object if the object no longer exists.
nb::object referent(PyObject* reference) {
#if PY_VERSION_HEX >= 0x030d0000
  PyObject* alive = nullptr;
  return PyWeakref_GetRef(reference, &alive) == 1 ? nb::steal(alive) : nb::object();
#else
  PyObject* const alive = PyWeakref_GetObject(reference);
  return alive == Py_None ? nb::object() : nb::borrow(alive);
#endif
}

class KnownCall {
 public:
  // `inputs` holds pairs. The first element of a pair is the number of an argument, or the complement of a captured
  // tensor's number. The second element is the tensor that the schedule reads. This tensor is the argument, the
  // captured tensor, or a view of the argument or captured tensor.
  KnownCall(nb::tuple arguments, nb::list kinds, nb::object schedule, nb::list inputs, nb::list captured,
            std::vector<int> numbers, std::vector<int> outputs, bool single)
      : keeps_(schedule),
        schedule_(nb::cast<const Schedule*>(schedule)),
        numbers_(std::move(numbers)),
        outputs_(std::move(outputs)),
        single_(single),
        work_(work_of(*schedule_)) {
    constexpr std::array<std::string_view, 4> words = {"tensor", "number", "same", "object"};
    for (size_t i = 0; i < arguments.size(); ++i) {
      const nb::object argument = arguments[i];
      Expected one{static_cast<Expected::Kind>(require_choice(op, "kind", nb::object(kinds[i]).ptr(), words)), {}, {}};
      if (one.kind == Expected::Kind::same || one.kind == Expected::Kind::object) one.object = argument;
      if (one.kind == Expected::Kind::object && !PyWeakref_Check(argument.ptr()))
        fail(Status::internal_error, op, ": an object does not support weak references");
      if (one.kind == Expected::Kind::tensor) one.like = without_storage(require_tensor(op, argument.ptr()));
      expected_.push_back(std::move(one));
    }
    for (const nb::handle x : captured) {
      require_tensor(op, x.ptr());
      captured_.push_back(nb::steal(PyWeakref_NewRef(x.ptr(), nullptr)));
      if (!captured_.back().is_valid()) throw PythonErrorSet{};
    }
    for (const nb::handle pair : inputs) {
      const nb::tuple parts = nb::cast<nb::tuple>(pair);
      const int number = nb::cast<int>(parts[0]);
      const Tensor base = number < 0 ? require_tensor(op, nb::object(captured[static_cast<size_t>(~number)]).ptr())
                                     : require_tensor(op, nb::object(arguments[static_cast<size_t>(number)]).ptr());
      const Tensor view = require_tensor(op, nb::object(parts[1]).ptr());
      const bool same = view.data == base.data && is_like(view, base);
      inputs_.push_back({number, without_storage(view), same ? std::nullopt : view_offset(view, base)});
    }
  }

  // Runs the schedule with the arguments of a call, and returns the results. Returns None if the arguments do not meet
  // the conditions of the recorded call, or if the user has destroyed a captured tensor.
  nb::object call(nb::args arguments) const {
    PyObject* const given = arguments.ptr();
    if (tracing || tile_shape() || default_ != default_dtype() || !fits(given)) return nb::none();
    std::vector<Tensor> captured;
    captured.reserve(captured_.size());
    for (const nb::object& reference : captured_) {
      const nb::object x = referent(reference.ptr());
      if (!x.is_valid() || !tensor_of(x.ptr()).storage) return nb::none();
      captured.push_back(tensor_of(x.ptr()));
    }
    std::vector<Tensor> inputs;
    inputs.reserve(inputs_.size());
    for (const Input& input : inputs_) {
      const int i = input.argument;
      inputs.push_back(input.of(i < 0 ? captured[static_cast<size_t>(~i)] : tensor_of(PyTuple_GET_ITEM(given, i))));
    }
    std::vector<double> numbers;
    for (const int i : numbers_) numbers.push_back(PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(given, i)));
    std::vector<Tensor> results = unlocked_if_long(work_, [&] { return schedule_->run(inputs, numbers); });
    if (single_) return wrapped(std::move(results[static_cast<size_t>(outputs_[0])]));
    std::vector<Tensor> ordered;
    for (const int i : outputs_) ordered.push_back(results[static_cast<size_t>(i)]);
    return tuple_of(std::move(ordered));
  }

 private:
  bool fits(PyObject* given) const {
    if (PyTuple_GET_SIZE(given) != std::ssize(expected_)) return false;
    for (size_t i = 0; i < expected_.size(); ++i) {
      PyObject* const x = PyTuple_GET_ITEM(given, static_cast<Py_ssize_t>(i));
      const Expected& one = expected_[i];
      if (one.kind == Expected::Kind::tensor   ? !PyTensor_Check(x) || !is_like(tensor_of(x), one.like)
          : one.kind == Expected::Kind::number ? !PyFloat_CheckExact(x)
          : one.kind == Expected::Kind::same   ? !is_same(x, one.object.ptr())
                                               : !referent(one.object.ptr()).is(x))
        return false;
    }
    return true;
  }

  nb::object keeps_;
  const Schedule* schedule_;
  std::vector<Expected> expected_;
  std::vector<Input> inputs_;
  std::vector<int> numbers_, outputs_;
  std::vector<nb::object> captured_;  // weak references; the Python program of the call keeps the tensors alive
  bool single_;
  int64_t work_;
  DType default_ = default_dtype();  // the default type with which the function has created tensors
};

void bind_graphs(nb::module_& m) {
  nb::class_<Program>(m, "FusedProgram")
      .def_prop_ro("steps", [](const Program& program) { return program.steps.size(); })
      .def_prop_ro("tile_elements", [](const Program& program) {
        return walk::tile_elements(program.view(), program.input_types.size());
      });
  nb::class_<Graph>(m, "FusedGraph")
      .def(nb::init<>())
      .def(
          "add_input",
          [](Graph& g, nb::handle dtype, nb::handle shape, nb::handle order) {
            return wrapped(
                g.add_input(require_dtype(op, dtype.ptr()), require_shape(op, shape.ptr()), optional_dims(order)));
          },
          nb::arg("dtype"), nb::arg("shape"), nb::arg("order").none())
      .def("add_cast",
           [](Graph& g, nb::handle x, nb::handle dtype) {
             (void)node_of(g, x);
             return wrapped(g.add_cast(require_tensor(op, x.ptr()), require_dtype(op, dtype.ptr())));
           })
      .def("add_slot", &Graph::add_slot)
      .def_prop_ro("read_slot", &Graph::read_slot)
      .def("record", record)
      .def("facts", facts)
      .def("program", program);
}

}  // namespace

void bind_fusion(nb::module_& m) {
  define(m, "is_tracing", "() -> bool", [] { return tracing; });
  define(m, "check_fused_tile", "(rank: int, element_bytes: int, /) -> None", [](int rank, int element_bytes) {
    if (const Dims* const tile = tile_shape()) check_tile(op, *tile, rank, element_bytes);
  });
  define(m, "dense_order", "(x: Tensor, /) -> tuple[int, ...] | None", [](nb::handle x) {
    const Tensor& tensor = require_tensor(op, x.ptr());
    check_alive(op, tensor);
    return dims_or_none(fusion::dense_order(tensor));
  });
  define(m, "is_view", "(view: Tensor, base: Tensor, /) -> bool", [](nb::handle view, nb::handle base) -> bool {
    return view_offset(require_tensor(op, view.ptr()), require_tensor(op, base.ptr())).has_value();
  });
  define(m, "set_tracing", "(value: bool, /) -> None", [](bool value) {
    static std::atomic<uint32_t> traces{0};
    tracing = value;
    current_trace = value ? ++traces : 0;
  });
  define(m, "set_watcher", "(watcher: Callable[[str, tuple[Any, ...]], Any] | None, /) -> None",
         [](nb::handle given) { Py_XSETREF(watcher, given.is_none() ? nullptr : given.inc_ref().ptr()); });
  define(m, "set_carrying_out", "(value: bool, /) -> None", [](bool value) { carrying_out = value; });
  bind_graphs(m);
  nb::class_<Schedule>(m, "FusedSchedule")
      .def("__init__",
           [](Schedule* place, nb::list values, nb::list items, nb::handle rows, int64_t row_bytes) {
             Schedule schedule;
             for (const nb::handle value : values) schedule.values.push_back(read_value(value));
             for (const nb::handle item : items) schedule.items.push_back(read_item(item, schedule.values.size()));
             schedule.rows = require_dims(op, "rows", rows.ptr());
             schedule.row_bytes = row_bytes;
             new (place) Schedule(std::move(schedule));
           })
      .def("run", run)
      .def_prop_ro("block_rows", &Schedule::block_rows);
  nb::class_<KnownCall>(m, "FusedCall")
      .def(nb::init<nb::tuple, nb::list, nb::object, nb::list, nb::list, std::vector<int>, std::vector<int>, bool>())
      .def("__call__", &KnownCall::call);
}

}  // namespace suanzi::python
