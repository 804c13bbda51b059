// Ensembles of decision trees as a Python object.
#include "ops/trees/trees.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

TreeTables require_tables(const char* op, nb::handle tables, nb::handle count) {
  if (!PyTuple_Check(tables.ptr()) || PyTuple_GET_SIZE(tables.ptr()) != 11)
    fail(Status::type_mismatch, op, ": the tables are not a tuple of eleven tensors");
  const auto item = [&](Py_ssize_t i) { return require_tensor(op, PyTuple_GET_ITEM(tables.ptr(), i)); };
  return {item(0), item(1), item(2), item(3), item(4),  item(5),
          item(6), item(7), item(8), item(9), item(10), require_integer(op, "number of targets", count.ptr())};
}

}  // namespace

void bind_trees(nb::module_& m) {
  nb::class_<Trees>(m, "Trees");
  define(m, "make_trees", "(operator: str, tables: tuple[Tensor, ...], targets: int, fold: str, /) -> Trees",
         [](const char* op, nb::handle tables, nb::handle targets, nb::handle fold) {
           const auto how = static_cast<TreeFold>(require_choice(op, "fold", fold.ptr(), tree_fold_names));
           return Trees(op, require_tables(op, tables, targets), how);
         });
  define(m, "run_trees", "(operator: str, trees: Trees, x: Tensor, /) -> tuple[Tensor, Tensor]",
         [](const char* name, nb::handle trees, nb::handle operand) {
           const Trees* const made = nb::cast<const Trees*>(trees);
           const Tensor x = require_tensor(name, operand.ptr());
           Tensor voted;
           Tensor scores =
               unlocked_if_long(unlocked_work(x, made->visits(x)), [&] { return made->run(name, x, &voted); });
           return nb::make_tuple(wrapped(std::move(scores)), wrapped(std::move(voted)));
         });
}

}  // namespace suanzi::python
