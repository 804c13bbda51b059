// Searches (argmax, nonzero and selection by a mask) as Python functions.
#include <limits>

#include "ops/search/compaction.h"
#include "ops/search/membership.h"
#include "ops/search/search.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Returns an estimate of the work of an operation on two operands. If the operands have one shape, the work is the
// number of elements in this shape. Otherwise, the function returns the greatest int64, so that the caller releases the
// lock.
int64_t work_of(const Tensor& x, const Tensor& mask) {
  // Operations on strings keep the lock (tensor/text.h).
  if (x.dtype == DType::string || mask.dtype == DType::string) return 0;
  return x.shape == mask.shape ? x.size : std::numeric_limits<int64_t>::max();
}

Tensor search_in(Search which, nb::handle operand, nb::handle axis, nb::handle flag) {
  const char* op = search_names[static_cast<int>(which)];
  const Tensor x = require_tensor(op, operand.ptr());
  const bool keepdims = require_truth(op, "keepdims", flag.ptr());
  std::optional<int> chosen;
  if (!axis.is_none()) chosen = checked_axis(op, require_integer(op, "axis", axis.ptr()), x.rank());
  return unlocked_if_long(unlocked_work(x), [&] { return search(which, x, chosen, keepdims); });
}

nb::object nonzero_to(nb::handle operand, nb::handle as_tuple) {
  const bool apart = require_truth("nonzero", "as_tuple", as_tuple.ptr());
  const Tensor x = require_tensor("nonzero", operand.ptr());
  const Tensor all = unlocked_if_long(unlocked_work(x), [&] { return nonzero("nonzero", x); });
  if (!apart) return nb::steal(wrap(permute("nonzero", all, {1, 0})));
  const nb::object axes = nb::steal(PyTuple_New(x.rank()));
  if (!axes.is_valid()) throw PythonErrorSet{};
  for (int axis = 0; axis < x.rank(); ++axis) {
    PyObject* const row = wrap(make_view(all, {all.shape[1]}, {1}, axis * all.shape[1]));
    if (!row) throw PythonErrorSet{};
    PyTuple_SET_ITEM(axes.ptr(), axis, row);
  }
  return axes;
}

nb::object masked_fill_to(nb::handle operand, nb::handle condition, nb::handle number, nb::handle out) {
  constexpr const char* op = "masked_fill";
  const Tensor x = require_tensor(op, operand.ptr()), mask = require_operand(op, condition.ptr(), DType::boolean);
  Tensor target;
  if (!out.is_none()) target = require_out(op, out.ptr());
  // The code reads the value last, because reading a tensor may move its strings.
  const Scalar value = require_value(op, number.ptr());
  Tensor result = unlocked_if_long(
      work_of(x, mask), [&] { return masked_fill_copy(op, x, mask, value, out.is_none() ? nullptr : &target); });
  return out.is_none() ? nb::steal(wrap(std::move(result))) : nb::borrow(out);
}

}  // namespace

void bind_searching(nb::module_& m) {
  define(m, "argmax", [](nb::handle x, nb::handle axis, nb::handle keepdims) {
    return search_in(Search::argmax, x, axis, keepdims);
  });
  define(m, "argmin", [](nb::handle x, nb::handle axis, nb::handle keepdims) {
    return search_in(Search::argmin, x, axis, keepdims);
  });
  define(m, "nonzero", [](nb::handle x, nb::handle as_tuple) { return nonzero_to(x, as_tuple); });
  define(m, "count_nonzero", [](nb::handle operand, nb::handle axes, nb::handle flag) {
    constexpr const char* op = "count_nonzero";
    const bool keepdims = require_truth(op, "keepdims", flag.ptr());
    const Tensor x = require_tensor(op, operand.ptr());
    const uint64_t counted = require_axes(op, axes.ptr(), x.rank());
    return unlocked_if_long(unlocked_work(x), [&] { return count_nonzero(op, x, counted, keepdims); });
  });
  define(m, "among_integers", "(operator: str, x: Tensor, values: Tensor, /) -> Tensor | None",
         [](const char* op, nb::handle operand, nb::handle among) -> nb::object {
           const Tensor x = require_tensor(op, operand.ptr()), values = require_tensor(op, among.ptr());
           std::optional<Tensor> found =
               unlocked_if_long(unlocked_work(x, values), [&] { return among_integers(op, x, values); });
           return found ? wrapped(std::move(*found)) : nb::none();
         });
  define(m, "masked_select", [](nb::handle operand, nb::handle condition) {
    const Tensor x = require_tensor("masked_select", operand.ptr()),
                 mask = require_operand("masked_select", condition.ptr(), DType::boolean);
    return unlocked_if_long(work_of(x, mask), [&] { return masked_select("masked_select", x, mask); });
  });
  define(m, "masked_fill", [](nb::handle x, nb::handle mask, nb::handle value, nb::handle out) {
    return masked_fill_to(x, mask, value, out);
  });
}

}  // namespace suanzi::python
