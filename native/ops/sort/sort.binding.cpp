// Python functions for sort, argsort and other operators that need the order of elements.
#include "ops/sort/sort.h"

#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Computes sort or argsort. If the caller passed `out`, the function copies the result to `out`.
template <Tensor (*order)(const Tensor&, int64_t, bool)>
nb::object order_along(const char* op, nb::handle object, nb::handle axis, nb::handle descending, nb::handle stable,
                       nb::handle out) {
  const int64_t along = require_integer(op, "axis", axis.ptr());
  const bool reverse = require_truth(op, "descending", descending.ptr());
  // The sort is always stable, so the code only checks that `stable` is a bool.
  (void)require_truth(op, "stable", stable.ptr());
  const Tensor x = require_tensor(op, object.ptr());
  Tensor target;
  if (!out.is_none()) {
    target = require_out(op, out.ptr());
    check_ordered(op, x.dtype);
    check_out(op, target, x.shape, order == argsort ? DType::int64 : x.dtype);
  }
  Tensor result = unlocked_if_long(unlocked_work(x), [&] { return order(x, along, reverse); });
  if (out.is_none()) return nb::steal(wrap(std::move(result)));
  copy_into(op, target, result);
  return nb::borrow(out);
}

}  // namespace

void bind_sorting(nb::module_& m) {
  define(m, "sort", [](nb::handle x, nb::handle axis, nb::handle descending, nb::handle stable, nb::handle out) {
    return order_along<sort>("sort", x, axis, descending, stable, out);
  });
  define(m, "argsort", [](nb::handle x, nb::handle axis, nb::handle descending, nb::handle stable, nb::handle out) {
    return order_along<argsort>("argsort", x, axis, descending, stable, out);
  });
  define(m, "topk", "(x: Tensor, k: int, axis: int, largest: bool, sorted: bool, /) -> tuple[Tensor, Tensor]",
         [](nb::handle x, nb::handle k, nb::handle axis, nb::handle largest, nb::handle sorted) {
           const int64_t count = require_integer("topk", "k", k.ptr()),
                         along = require_integer("topk", "axis", axis.ptr());
           const bool greatest = require_truth("topk", "largest", largest.ptr());
           const bool in_order = require_truth("topk", "sorted", sorted.ptr());
           const Tensor input = require_tensor("topk", x.ptr());
           TopK result =
               unlocked_if_long(unlocked_work(input), [&] { return topk(input, count, along, greatest, in_order); });
           return nb::make_tuple(wrapped(std::move(result.values)), wrapped(std::move(result.indices)));
         });
  define(m, "unique", [](nb::handle x, nb::handle indices, nb::handle inverse, nb::handle counts, nb::handle axis) {
    const std::optional<int64_t> along = optional_integer("unique", "axis", axis.ptr());
    const auto wanted = [](const char* what, nb::handle flag) { return require_truth("unique", what, flag.ptr()); };
    const bool with[] = {wanted("return_index", indices), wanted("return_inverse", inverse),
                         wanted("return_counts", counts)};
    const Tensor input = require_tensor("unique", x.ptr());
    Unique result =
        unlocked_if_long(unlocked_work(input), [&] { return unique(input, along, with[0], with[1], with[2]); });
    nb::list parts;
    for (std::optional<Tensor>* part : {&result.indices, &result.inverse, &result.counts})
      if (*part) parts.append(wrapped(std::move(**part)));
    nb::object values = wrapped(std::move(result.values));
    if (parts.size() == 0) return values;
    parts.insert(0, values);
    return nb::object(nb::tuple(parts));
  });
  define(m, "searchsorted", [](nb::handle sorted, nb::handle values, nb::handle side, nb::handle sorter) {
    const bool behind = require_choice("searchsorted", "side", side.ptr(), {"left", "right"}) == 1;
    const Tensor row = require_tensor("searchsorted", sorted.ptr());
    const Tensor wanted = require_operand("searchsorted", values.ptr(), row.dtype);
    std::optional<Tensor> order;
    if (!sorter.is_none()) order = require_tensor("searchsorted", sorter.ptr());
    return unlocked_if_long(unlocked_work(row, wanted),
                            [&] { return searchsorted(row, wanted, behind, order ? &*order : nullptr); });
  });
}

}  // namespace suanzi::python
