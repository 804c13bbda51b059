// Operators on the diagonals of matrices as Python functions.
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
  define(m, "eye",
         [](nb::handle rows, nb::handle columns, nb::handle offset, nb::handle dtype, nb::handle, nb::handle layout) {
           constexpr const char* op = "eye";
           const int64_t n = require_integer(op, "n", rows.ptr());
           const int64_t columns_or_n = optional_integer(op, "m", columns.ptr()).value_or(n);
           const int64_t k = require_integer(op, "k", offset.ptr());
           const DType t = require_dtype(op, dtype.ptr());
           const std::optional<Dims> order = optional_order(op, layout.ptr(), 2);
           return unlocked_if_long(product({n, columns_or_n}),
                                   [&] { return eye(n, columns_or_n, k, t, order ? &*order : nullptr); });
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
