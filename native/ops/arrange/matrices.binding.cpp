// Matrices by their diagonals as Python functions.
#include "ops/arrange/matrices.h"

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

void define_triangle(nb::module_& m, const char* name, Triangle which) {
  define(m, name, [name, which](nb::handle x, nb::handle offset) {
    const int64_t k = require_integer(name, "k", offset.ptr());
    const Tensor source = require_tensor(name, x.ptr());
    return unlocked_if_long(unlocked_work(source), [&] { return triangle(name, source, k, which); });
  });
}

}  // namespace

void bind_matrices(nb::module_& m) {
  define(m, "eye", [](nb::handle rows, nb::handle columns, nb::handle offset, int64_t dtype, nb::handle order) {
    const int64_t n = require_integer("eye", "n", rows.ptr());
    const int64_t columns_or_n = columns.is_none() ? n : require_integer("eye", "m", columns.ptr());
    const int64_t k = require_integer("eye", "k", offset.ptr());
    const DType t = require_dtype("eye", dtype);
    Dims fastest_first;
    if (!order.is_none()) fastest_first = require_dims("eye", "order", order.ptr());
    return unlocked_if_long(product({n, columns_or_n}),
                            [&] { return eye(n, columns_or_n, k, t, order.is_none() ? nullptr : &fastest_first); });
  });
  define(m, "diag", [](nb::handle x, nb::handle offset) {
    const int64_t k = require_integer("diag", "offset", offset.ptr());
    const Tensor source = require_tensor("diag", x.ptr());
    return unlocked_if_long(unlocked_work(source, product({source.size, source.size})),
                            [&] { return diag(source, k); });
  });
  define_triangle(m, "tril", Triangle::lower);
  define_triangle(m, "triu", Triangle::upper);
}

}  // namespace suanzi::python
