// Searching: argmax, nonzero, selection by a mask as Python functions.
#include <limits>

#include "algorithms/compaction.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "tile/search.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// How much there is to do for two operands: without broadcasting, as many elements as they have.
int64_t work_of(const Tensor& x, const Tensor& mask) {
  if (x.dtype == DType::string || mask.dtype == DType::string) return 0;  // keeps the lock (tensor/text.h)
  return x.shape == mask.shape ? x.size : std::numeric_limits<int64_t>::max();
}

Tensor search_in(Search which, nb::handle operand, nb::handle axis, bool keepdims) {
  const char* op = search_names[static_cast<int>(which)];
  const Tensor x = require_tensor(op, operand.ptr());
  std::optional<int> chosen;
  if (!axis.is_none()) chosen = checked_axis(op, require_integer(op, "axis", axis.ptr()), x.rank());
  return unlocked_if_long(unlocked_work(x), [&] { return search(which, x, chosen, keepdims); });
}

nb::object nonzero_to(nb::handle operand, bool as_tuple) {
  const Tensor x = require_tensor("nonzero", operand.ptr());
  if (x.rank() == 0) fail(Status::dimensions_mismatch, "nonzero: a tensor of shape () has no coordinates");
  const Tensor all = unlocked_if_long(unlocked_work(x), [&] { return nonzero("nonzero", x); });
  if (!as_tuple) return nb::steal(wrap(permute("nonzero", all, {1, 0})));
  const nb::object axes = nb::steal(PyTuple_New(x.rank()));
  if (!axes.is_valid()) throw PythonErrorSet{};
  for (int axis = 0; axis < x.rank(); ++axis) {
    PyObject* const row = wrap(make_view(all, {all.shape[1]}, {1}, axis * all.shape[1]));
    if (!row) throw PythonErrorSet{};
    PyTuple_SET_ITEM(axes.ptr(), axis, row);
  }
  return axes;
}

// A number or a string, or the only element of a tensor without dimensions, whose bytes stay where they are.
Scalar require_value(const char* op, PyObject* object) {
  if (!PyTensor_Check(object)) return require_element(op, object);
  const Tensor& x = require_tensor(op, object);
  if (x.rank() != 0) fail(Status::dimensions_mismatch, op, ": value of shape ", x.shape, " is not one element");
  if (x.dtype == DType::string) return Scalar::of(*x.as<Text>());
  const nb::object number = nb::steal(item(op, x));
  if (!number.is_valid()) throw PythonErrorSet{};
  return require_scalar(op, number.ptr());
}

nb::object masked_fill_to(nb::handle operand, nb::handle condition, nb::handle number, nb::handle out) {
  constexpr const char* op = "masked_fill";
  const Tensor x = require_tensor(op, operand.ptr()), mask = require_tensor(op, condition.ptr());
  Tensor target;
  if (!out.is_none()) target = require_tensor(op, out.ptr());
  const Scalar value = require_value(op, number.ptr());  // the last: to read a tensor may move its strings
  Tensor result = unlocked_if_long(
      work_of(x, mask), [&] { return masked_fill_copy(op, x, mask, value, out.is_none() ? nullptr : &target); });
  return out.is_none() ? nb::steal(wrap(std::move(result))) : nb::borrow(out);
}

}  // namespace

void bind_searching(nb::module_& m) {
  define(m, "argmax",
         [](nb::handle x, nb::handle axis, bool keepdims) { return search_in(Search::argmax, x, axis, keepdims); });
  define(m, "argmin",
         [](nb::handle x, nb::handle axis, bool keepdims) { return search_in(Search::argmin, x, axis, keepdims); });
  define(m, "nonzero", [](nb::handle x, bool as_tuple) { return nonzero_to(x, as_tuple); });
  define(m, "count_nonzero", [](nb::handle operand, nb::handle axes, bool keepdims) {
    constexpr const char* op = "count_nonzero";
    const Tensor x = require_tensor(op, operand.ptr());
    const uint64_t counted = require_axes(op, axes.ptr(), x.rank());
    return unlocked_if_long(unlocked_work(x), [&] { return count_nonzero(op, x, counted, keepdims); });
  });
  define(m, "masked_select", [](nb::handle operand, nb::handle condition) {
    const Tensor x = require_tensor("masked_select", operand.ptr()),
                 mask = require_tensor("masked_select", condition.ptr());
    return unlocked_if_long(work_of(x, mask), [&] { return masked_select("masked_select", x, mask); });
  });
  define(m, "masked_fill", [](nb::handle x, nb::handle mask, nb::handle value, nb::handle out) {
    return masked_fill_to(x, mask, value, out);
  });
}

}  // namespace suanzi::python
