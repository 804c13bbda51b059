// Operators that join and rearrange tensors, such as concat, pad and roll, as Python functions.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "ops/arrange/arrange.h"
#include "ops/arrange/pad.h"
#include "ops/arrange/views.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Reads the tensors of a list or tuple.
std::vector<Tensor> require_tensors(const char* op, nb::handle list) {
  if (!is_sequence(list.ptr()))
    fail(Status::type_mismatch, op, ": ", Py_TYPE(list.ptr())->tp_name, " is not a list or tuple of tensors");
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(list.ptr());
  std::vector<Tensor> tensors;
  tensors.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) tensors.push_back(require_tensor(op, PySequence_Fast_GET_ITEM(list.ptr(), i)));
  return tensors;
}

// The integers of a list, a tuple or a one-dimensional tensor of any length, or a single integer. The class copies the
// integers, so that no other code can change the integers after a check.
class Integers {
 public:
  explicit Integers(const Tensor& numbers) : numbers_(numbers) {}
  Integers(const char* op, std::span<const int64_t> numbers)
      : numbers_(make_empty(op, {static_cast<int64_t>(numbers.size())}, DType::int64)) {
    std::ranges::copy(numbers, numbers_.as<int64_t>());
  }
  operator std::span<const int64_t>() const { return {numbers_.as<int64_t>(), static_cast<size_t>(numbers_.size)}; }

 private:
  Tensor numbers_;
};

Integers require_integers(const char* op, const char* what, nb::handle object) {
  if (PyTensor_Check(object.ptr())) {
    const Tensor x = require_tensor(op, object.ptr());
    if (!is_integer(x.dtype)) fail(Status::type_mismatch, op, ": ", what, " must be integers, not ", name(x.dtype));
    if (x.rank() > 1) fail(Status::dimensions_mismatch, op, ": ", what, " of shape ", x.shape, " are not in one row");
    return Integers(x.dtype == DType::int64 ? clone(op, x) : to_contiguous(op, cast(op, x, DType::int64)));
  }
  if (!is_sequence(object.ptr())) return Integers(op, std::array{require_integer(op, what, object.ptr())});
  std::vector<int64_t> numbers;
  // The loop reads the length again for each item, because an item's __index__ may change the list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object.ptr()); ++i) {
    const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(object.ptr(), i));
    numbers.push_back(require_integer(op, what, item.ptr()));
  }
  return Integers(op, numbers);
}

nb::object to_tuple(std::vector<Tensor>&& tensors) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  if (!tuple.is_valid()) throw PythonErrorSet{};
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyObject* wrapped = wrap(std::move(tensors[i]));
    if (!wrapped) throw PythonErrorSet{};
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), wrapped);
  }
  return tuple;
}

// Reads the operands and `out` of concat or stack, joins the operands by `join_tensors`, and returns the result.
template <class Join>
nb::object join(const char* op, nb::handle list, nb::handle out, Join&& join_tensors) {
  const std::vector<Tensor> tensors = require_tensors(op, list);
  Tensor target;
  if (!out.is_none()) target = require_out(op, out.ptr());
  int64_t work = 0;
  for (const Tensor& x : tensors) work = std::max(work, x.size);
  const bool strings = std::ranges::any_of(tensors, [](const Tensor& x) { return x.dtype == DType::string; });
  if (strings) work = 0;  // operations on strings keep Python's lock (tensor/text.h)
  Tensor result = unlocked_if_long(work * static_cast<int64_t>(std::min<size_t>(tensors.size(), 1024)),
                                   [&] { return join_tensors(tensors, target.storage ? &target : nullptr); });
  return target.storage ? nb::borrow(out) : nb::steal(wrap(std::move(result)));
}

// Returns references to the items of a list or tuple. The references keep the items alive, because reading an item as a
// number may change the list.
std::vector<nb::object> items(nb::handle list) {
  std::vector<nb::object> kept;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i)
    kept.push_back(nb::borrow(PySequence_Fast_GET_ITEM(list.ptr(), i)));
  return kept;
}

// --- slice ---

// The __index__ of an argument may destroy a tensor. The functions below therefore look the tensor up again after they
// have read all arguments, and then make views of the tensor. Copying the Tensor object earlier would cost as much as
// making the view.

// The bounds of `slice` for each axis. A number or None instead of a list applies to every axis.
struct Bounds {
  nb::handle whole;
  bool is_listed;
  std::vector<nb::object> listed;

  explicit Bounds(nb::handle bounds) : whole(bounds), is_listed(is_sequence(bounds.ptr())) {
    if (is_listed) listed = items(bounds);
  }
  PyObject* at(int i) const { return is_listed ? listed[static_cast<size_t>(i)].ptr() : whole.ptr(); }
};

// Reads a bound as Python's slices read bounds. Bounds beyond 64 bits are limited to 64 bits.
Py_ssize_t read_bound(PyObject* object, Py_ssize_t otherwise) {
  if (object == Py_None) return otherwise;
  if (PyLong_CheckExact(object)) {
    const Py_ssize_t bound = PyLong_AsSsize_t(object);
    if (bound != -1 || !PyErr_Occurred()) return bound;
    PyErr_Clear();
  }
  const bool integer = PyIndex_Check(object);
  const Py_ssize_t bound = integer ? PyNumber_AsSsize_t(object, nullptr) : -1;
  if (integer && (bound != -1 || !PyErr_Occurred())) return bound;
  if (integer && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
  PyErr_Clear();
  fail(Status::type_mismatch, "slice: begin, end and stride must be integers or None");
}

Tensor slice_by(nb::handle operand, nb::handle begin, nb::handle end, nb::handle stride, nb::handle axis) {
  const int rank = require_tensor("slice", operand.ptr()).rank();
  const Bounds bounds[] = {Bounds(begin), Bounds(end), Bounds(stride)};
  size_t count = 1;
  for (const Bounds& b : bounds)
    if (b.is_listed) count = b.listed.size();
  Dims axes;
  if (!axis.is_none()) {
    axes = require_dims("slice", "axis", axis.ptr());
    if (std::ranges::none_of(bounds, &Bounds::is_listed)) count = static_cast<size_t>(axes.size());
  } else {
    for (int i = 0; i < static_cast<int>(std::min<size_t>(count, max_rank)); ++i) axes.push_back(i);
  }
  for (const Bounds& b : bounds)
    if (b.is_listed && b.listed.size() != count)
      fail(Status::dimensions_mismatch, "slice: begin, end and stride have different lengths, ", count, " and ",
           b.listed.size());
  if (count != static_cast<size_t>(axes.size()))
    fail(Status::dimensions_mismatch, "slice: there are bounds for ", count, " axes, but only ",
         axis.is_none() ? rank : axes.size(), " axes");
  Dims starts, stops, steps;
  for (int i = 0; i < axes.size(); ++i) {
    steps.push_back(read_bound(bounds[2].at(i), 1));
    starts.push_back(read_bound(bounds[0].at(i), slice_start(steps[i])));
    stops.push_back(read_bound(bounds[1].at(i), slice_stop(steps[i])));
  }
  return slice(require_tensor("slice", operand.ptr()), axes, starts, stops, steps);
}

// --- pad ---

struct Widths {
  int64_t before, after;
};

// Reads an integer, or a list of one or two integers.
Widths require_widths(nb::handle width) {
  if (!is_sequence(width.ptr())) {
    const int64_t n = require_integer("pad", "a width", width.ptr());
    return {n, n};
  }
  const Integers listed = require_integers("pad", "a width", width);
  const std::span<const int64_t> widths = listed;
  if (widths.empty() || widths.size() > 2)
    fail(Status::dimensions_mismatch, "pad: an axis has ", widths.size(), " widths, not one before and one after");
  return {widths.front(), widths.back()};
}

PadMode require_pad_mode(nb::handle mode) {
  if (!PyUnicode_Check(mode.ptr()))
    fail(Status::type_mismatch, "pad: mode must be a string, not ", Py_TYPE(mode.ptr())->tp_name);
  for (int i = 0; i < static_cast<int>(std::size(pad_mode_names)); ++i)
    if (PyUnicode_CompareWithASCIIString(mode.ptr(), pad_mode_names[i]) == 0) return static_cast<PadMode>(i);
  fail(Status::invalid_argument, "pad: mode ", shown(mode.ptr()),
       " is not one of constant, edge, reflect, symmetric, wrap");
}

Tensor pad_tensor(nb::handle operand, nb::handle pad_width, nb::handle mode, nb::handle value) {
  const Tensor x = require_tensor("pad", operand.ptr());
  const std::vector<nb::object> listed = is_sequence(pad_width.ptr()) ? items(pad_width) : std::vector<nb::object>();
  const bool each = std::ranges::any_of(listed, [](const nb::object& width) { return is_sequence(width.ptr()); });
  if (each && listed.size() != 1 && listed.size() != static_cast<size_t>(x.rank()))
    fail(Status::dimensions_mismatch, "pad: there are widths of ", listed.size(), " axes, but shape ", x.shape, " has ",
         x.rank());
  const PadMode how = require_pad_mode(mode);
  Dims before, after;
  Widths widths{0, 0};
  if (!each || listed.size() == 1) widths = require_widths(each ? nb::handle(listed[0]) : pad_width);
  for (int i = 0; i < x.rank(); ++i) {
    if (each && listed.size() > 1) widths = require_widths(listed[static_cast<size_t>(i)]);
    before.push_back(widths.before);
    after.push_back(widths.after);
  }
  // The code reads the value last, because reading a tensor may move the tensor's strings.
  const Scalar constant = value.is_none() ? zero_of(x.dtype) : require_value("pad", value.ptr());
  return unlocked_if_long(unlocked_work(x), [&] { return pad(x, before, after, how, constant); });
}

// --- the module ---

void bind_joining(nb::module_& m) {
  define_of_lists(m, "concat", [](nb::handle tensors, nb::handle axis, nb::handle out) {
    const OptionalAxis along = optional_integer("concat", "axis", axis.ptr());
    return join("concat", tensors, out, [&](const auto& all, const Tensor* to) { return concat(all, along, to); });
  });
  define_of_lists(m, "stack", [](nb::handle tensors, nb::handle axis, nb::handle out) {
    const int64_t along = require_integer("stack", "axis", axis.ptr());
    return join("stack", tensors, out, [&](const auto& all, const Tensor* to) { return stack(all, along, to); });
  });
  define(m, "split", [](nb::handle operand, nb::handle sections, nb::handle axis, nb::handle flag) {
    const Tensor x = require_tensor("split", operand.ptr());
    const bool uneven = require_truth("split", "uneven", flag.ptr());
    const int64_t along = require_integer("split", "axis", axis.ptr());
    const bool is_list =
        PyTensor_Check(sections.ptr()) ? tensor_of(sections.ptr()).rank() > 0 : is_sequence(sections.ptr());
    if (!is_list) {
      const int64_t count = require_integer("split", "the number of parts", sections.ptr());
      return to_tuple(uneven ? split_unevenly(x, count, along) : split_equally(x, count, along));
    }
    if (uneven)
      fail(Status::invalid_argument, "split: uneven goes with a number of parts, not with the sizes of the parts");
    return to_tuple(split(x, require_integers("split", "sizes", sections), along));
  });
  define(m, "unstack", [](nb::handle operand, nb::handle axis) {
    const Tensor x = require_tensor("unstack", operand.ptr());
    return to_tuple(unstack(x, require_integer("unstack", "axis", axis.ptr())));
  });
  define(m, "tile", [](nb::handle operand, nb::handle repetitions) {
    const Tensor x = require_tensor("tile", operand.ptr());
    const Dims counts = require_dims("tile", "repetitions", repetitions.ptr());
    return unlocked_if_long(unlocked_work(x), [&] { return tile_tensor(x, counts); });
  });
  define(m, "repeat", [](nb::handle operand, nb::handle repeats, nb::handle axis) {
    const Tensor x = require_tensor("repeat", operand.ptr());
    const Integers counts = require_integers("repeat", "repeats", repeats);
    const OptionalAxis along = optional_integer("repeat", "axis", axis.ptr());
    return unlocked_if_long(unlocked_work(x), [&] { return repeat(x, counts, along); });
  });
  for (const char* op : {"broadcast_arrays", "broadcast_tensors"})
    define_of_lists(m, op, "(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]",
                    [op](nb::handle tensors) { return to_tuple(broadcast_all(op, require_tensors(op, tensors))); });
  define_of_lists(m, "meshgrid", "(tensors: tuple[Tensor, ...], indexing: str, /) -> tuple[Tensor, ...]",
                  [](nb::handle tensors, nb::handle indexing) {
                    const bool cartesian = require_choice("meshgrid", "indexing", indexing.ptr(), {"xy", "ij"}) == 0;
                    return to_tuple(meshgrid(require_tensors("meshgrid", tensors), cartesian));
                  });
}

void bind_moves(nb::module_& m) {
  define(m, "pad", [](nb::handle x, nb::handle pad_width, nb::handle mode, nb::handle value) {
    return pad_tensor(x, pad_width, mode, value);
  });
  define(m, "roll", [](nb::handle operand, nb::handle shift, nb::handle axis) {
    const Tensor x = require_tensor("roll", operand.ptr());
    const Dims shifts = require_dims("roll", "shift", shift.ptr());
    std::optional<Dims> axes;
    if (!axis.is_none()) axes = require_dims("roll", "axis", axis.ptr());
    return unlocked_if_long(unlocked_work(x), [&] { return roll(x, shifts, axes); });
  });
  define(m, "reverse", [](nb::handle operand, nb::handle axis, nb::handle lengths, nb::handle batch_axis) {
    const Tensor x = require_tensor("reverse", operand.ptr());
    if (lengths.is_none()) return flip(x, require_axes("reverse", axis.ptr(), x.rank()));
    const int64_t along = require_integer("reverse", "axis", axis.ptr());
    const int64_t batch = require_integer("reverse", "batch_axis", batch_axis.ptr());
    const Integers counts = require_integers("reverse", "lengths", lengths);
    return unlocked_if_long(unlocked_work(x), [&] { return reverse_prefixes(x, along, counts, batch); });
  });
}

void bind_views(nb::module_& m) {
  define(m, "expand_dims", [](nb::handle operand, nb::handle axis) {
    (void)require_tensor("expand_dims", operand.ptr());
    const Dims added = axis.is_none() ? Dims() : require_dims("expand_dims", "axis", axis.ptr());
    return expand_dims(require_tensor("expand_dims", operand.ptr()), added);
  });
  define(m, "squeeze", [](nb::handle operand, nb::handle axis) {
    const Tensor& x = require_tensor("squeeze", operand.ptr());
    const uint64_t axes = axis.is_none() ? unit_axes(x.shape) : require_axes("squeeze", axis.ptr(), x.rank());
    return squeeze(require_tensor("squeeze", operand.ptr()), axes);
  });
  define(m, "flatten", [](nb::handle operand, nb::handle start_axis, nb::handle stop_axis) {
    const Tensor x = require_tensor("flatten", operand.ptr());
    const int64_t start = require_integer("flatten", "start_axis", start_axis.ptr());
    const int64_t stop = require_integer("flatten", "stop_axis", stop_axis.ptr());
    return unlocked_if_long(unlocked_work(x), [&] { return flatten(x, start, stop); });
  });
  define(m, "slice", [](nb::handle x, nb::handle begin, nb::handle end, nb::handle stride, nb::handle axis) {
    return slice_by(x, begin, end, stride, axis);
  });
  define(m, "crop", [](nb::handle operand, nb::handle offsets, nb::handle shape) {
    (void)require_tensor("crop", operand.ptr());
    const Dims starts = require_dims("crop", "offsets", offsets.ptr());
    const Dims sizes = require_dims("crop", "shape", shape.ptr());
    return crop(require_tensor("crop", operand.ptr()), starts, sizes);
  });
  define(m, "flip", [](nb::handle operand, nb::handle axis) {
    const uint64_t axes = require_axes("flip", axis.ptr(), require_tensor("flip", operand.ptr()).rank());
    return flip(require_tensor("flip", operand.ptr()), axes);
  });
  define(m, "rot90", [](nb::handle operand, nb::handle k, nb::handle axes) {
    (void)require_tensor("rot90", operand.ptr());
    const int64_t turns = require_integer("rot90", "k", k.ptr());
    const Dims plane = require_dims("rot90", "axes", axes.ptr());
    return rot90(require_tensor("rot90", operand.ptr()), turns, plane);
  });
  define(m, "moveaxis", [](nb::handle operand, nb::handle source, nb::handle destination) {
    (void)require_tensor("moveaxis", operand.ptr());
    const Dims from = require_dims("moveaxis", "source", source.ptr());
    const Dims to = require_dims("moveaxis", "destination", destination.ptr());
    return move_axes(require_tensor("moveaxis", operand.ptr()), from, to);
  });
  define(m, "swapaxes", [](nb::handle operand, nb::handle axis1, nb::handle axis2) {
    (void)require_tensor("swapaxes", operand.ptr());
    const int64_t first = require_integer("swapaxes", "axis1", axis1.ptr());
    const int64_t second = require_integer("swapaxes", "axis2", axis2.ptr());
    return swap_axes(require_tensor("swapaxes", operand.ptr()), first, second);
  });
}

}  // namespace

void bind_rearranging(nb::module_& m) {
  bind_joining(m);
  bind_moves(m);
  bind_views(m);
}

}  // namespace suanzi::python
