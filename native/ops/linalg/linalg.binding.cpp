// Python functions for linear algebra other than products. A function with several results returns a tuple.
#include <algorithm>
#include <array>
#include <string_view>

#include "ops/linalg/linalg.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

using namespace linalg;

// Returns an estimate of the work of an operator on matrices. An operator on a matrix takes longer than an operator on
// a vector with the same number of elements.
int64_t work_of(const Tensor& x) { return std::min<int64_t>(x.size, 1 << 20) * 8; }

// Binds f(x) for a tensor x. The binding releases the interpreter lock if f takes long.
template <class F>
void define_unary(nb::module_& m, const char* name, F f) {
  define(m, name, [name, f](nb::handle object) {
    const Tensor x = require_tensor(name, object.ptr());
    return unlocked_if_long(work_of(x), [&] { return f(x); });
  });
}

template <class... T>
nb::object tuple_of(T&&... tensors) {
  return nb::make_tuple(std::forward<T>(tensors)...);
}

// Returns the tolerance, a number or a tensor with one number for each matrix, as a tensor. Returns nothing for None.
std::optional<Tensor> read_tolerance(const char* op, nb::handle rtol) {
  if (rtol.is_none()) return std::nullopt;
  if (PyTensor_Check(rtol.ptr())) return require_tensor(op, rtol.ptr());
  const Tensor one = make_empty(op, {}, DType::float64);
  *one.as<double>() = require_real(op, "rtol", rtol.ptr());
  return one;
}

struct NamedOrder {
  std::string_view name;
  MatrixNorm order;
};
constexpr std::array orders{NamedOrder{"fro", MatrixNorm::frobenius}, NamedOrder{"nuc", MatrixNorm::nuclear}};

MatrixNorm read_order(const char* op, nb::handle order) {
  if (PyUnicode_Check(order.ptr())) {
    const char* characters = PyUnicode_AsUTF8(order.ptr());
    // PyUnicode_AsUTF8 fails for a string with lone surrogates, which is not the name of a norm.
    if (!characters) PyErr_Clear();
    const std::string_view text = characters ? characters : "";
    for (const NamedOrder& named : orders)
      if (named.name == text) return named.order;
    fail(Status::invalid_argument, op, ": ord ", shown(order.ptr()), " is neither 'fro' nor 'nuc'");
  }
  const double number = require_real(op, "ord", order.ptr());
  const bool negative = number < 0;
  if (number == 1 || number == -1) return negative ? MatrixNorm::minus_one : MatrixNorm::one;
  if (number == 2 || number == -2) return negative ? MatrixNorm::minus_two : MatrixNorm::two;
  if (number - number != 0 && number == number) return negative ? MatrixNorm::minus_infinity : MatrixNorm::infinity;
  fail(Status::invalid_argument, op, ": ord ", number, " is not one of 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'");
}

void bind_factorisations(nb::module_& m) {
  define(m, "lu", "(x: Tensor, packed: bool, /) -> tuple[Tensor, ...]",
         [](nb::handle object, nb::handle packed) -> nb::object {
           const Tensor x = require_tensor("lu", object.ptr());
           if (require_truth("lu", "packed", packed.ptr())) {
             auto [factors, pivots] = unlocked_if_long(work_of(x), [&] { return packed_lu(x); });
             return tuple_of(std::move(factors), std::move(pivots));
           }
           auto [p, l, u] = unlocked_if_long(work_of(x), [&] { return lu(x); });
           return tuple_of(std::move(p), std::move(l), std::move(u));
         });
  define(m, "cholesky", [](nb::handle object, nb::handle flag) {
    const bool upper = require_truth("cholesky", "upper", flag.ptr());
    const Tensor x = require_tensor("cholesky", object.ptr());
    return unlocked_if_long(work_of(x), [&] { return cholesky(x, upper); });
  });
  define(m, "qr", "(x: Tensor, mode: str, /) -> tuple[Tensor, Tensor]", [](nb::handle object, nb::handle mode) {
    const bool complete = require_choice("qr", "mode", mode.ptr(), {"reduced", "complete"}) == 1;
    const Tensor x = require_tensor("qr", object.ptr());
    auto [q, r] = unlocked_if_long(work_of(x), [&] { return qr(x, complete); });
    return tuple_of(std::move(q), std::move(r));
  });
  define(m, "svd", "(x: Tensor, full: bool, /) -> tuple[Tensor, Tensor, Tensor]",
         [](nb::handle object, nb::handle flag) {
           const bool full = require_truth("svd", "full_matrices", flag.ptr());
           const Tensor x = require_tensor("svd", object.ptr());
           auto [u, s, vh] = unlocked_if_long(work_of(x), [&] { return svd(x, full); });
           return tuple_of(std::move(u), std::move(s), std::move(vh));
         });
  define_unary(m, "svdvals", [](const Tensor& x) { return svdvals("svdvals", x); });
}

void bind_solvers(nb::module_& m) {
  define(m, "solve", [](nb::handle left, nb::handle right) {
    const Tensor a = require_tensor("solve", left.ptr()), b = require_tensor("solve", right.ptr());
    return unlocked_if_long(work_of(a) + work_of(b), [&] { return solve(a, b); });
  });
  define(m, "lstsq", "(a: Tensor, b: Tensor, rtol: Tensor | float | None, /) -> tuple[Tensor, Tensor, Tensor, Tensor]",
         [](nb::handle left, nb::handle right, nb::handle rtol) {
           const Tensor a = require_tensor("lstsq", left.ptr()), b = require_tensor("lstsq", right.ptr());
           const std::optional<Tensor> tolerance = read_tolerance("lstsq", rtol);
           auto [x, residuals, rank, values] = unlocked_if_long(
               work_of(a) + work_of(b), [&] { return lstsq(a, b, tolerance ? &*tolerance : nullptr); });
           return tuple_of(std::move(x), std::move(residuals), std::move(rank), std::move(values));
         });
  define_unary(m, "inv", [](const Tensor& x) { return inv("inv", x); });
  define_unary(m, "det", &det);
  define(m, "slogdet", "(x: Tensor, /) -> tuple[Tensor, Tensor]", [](nb::handle object) {
    const Tensor x = require_tensor("slogdet", object.ptr());
    auto [sign, logarithm] = unlocked_if_long(work_of(x), [&] { return slogdet(x); });
    return tuple_of(std::move(sign), std::move(logarithm));
  });
  define(m, "pinv", [](nb::handle object, nb::handle rtol) {
    const Tensor x = require_tensor("pinv", object.ptr());
    const std::optional<Tensor> tolerance = read_tolerance("pinv", rtol);
    return unlocked_if_long(work_of(x), [&] { return pinv(x, tolerance ? &*tolerance : nullptr); });
  });
  define(m, "matrix_rank", [](nb::handle object, nb::handle rtol) {
    const Tensor x = require_tensor("matrix_rank", object.ptr());
    const std::optional<Tensor> tolerance = read_tolerance("matrix_rank", rtol);
    return unlocked_if_long(work_of(x), [&] { return matrix_rank(x, tolerance ? &*tolerance : nullptr); });
  });
}

void bind_eigenvalues(nb::module_& m) {
  const auto define_eigen = [&](const char* name, Eigen (*function)(const Tensor&)) {
    define(m, name, "(x: Tensor, /) -> tuple[Tensor, Tensor]", [name, function](nb::handle object) {
      const Tensor x = require_tensor(name, object.ptr());
      auto [values, vectors] = unlocked_if_long(work_of(x), [&] { return function(x); });
      return tuple_of(std::move(values), std::move(vectors));
    });
  };
  define_eigen("eigh", &eigh);
  define_eigen("eig", &eig);
  define_unary(m, "eigvalsh", &eigvalsh);
  define_unary(m, "eigvals", &eigvals);
}

void bind_norms(nb::module_& m) {
  define(m, "vector_norm", [](nb::handle object, nb::handle axes, nb::handle flag, nb::handle order) {
    const Tensor x = require_tensor("vector_norm", object.ptr());
    const bool keepdims = require_truth("vector_norm", "keepdims", flag.ptr());
    const uint64_t mask = require_axes("vector_norm", axes.ptr(), x.rank());
    const double number = require_real("vector_norm", "ord", order.ptr());
    return unlocked_if_long(x.size, [&] { return vector_norm(x, mask, keepdims, number); });
  });
  define(m, "matrix_norm", [](nb::handle object, nb::handle flag, nb::handle order) {
    const Tensor x = require_tensor("matrix_norm", object.ptr());
    const bool keepdims = require_truth("matrix_norm", "keepdims", flag.ptr());
    const MatrixNorm norm = read_order("matrix_norm", order);
    return unlocked_if_long(x.size, [&] { return matrix_norm("matrix_norm", x, norm, keepdims); });
  });
  define(m, "cond", [](nb::handle object, nb::handle order) {
    const Tensor x = require_tensor("cond", object.ptr());
    const MatrixNorm norm = read_order("cond", order);
    return unlocked_if_long(work_of(x), [&] { return cond(x, norm); });
  });
}

}  // namespace

void bind_linalg(nb::module_& m) {
  bind_factorisations(m);
  bind_solvers(m);
  bind_eigenvalues(m);
  bind_norms(m);
}

}  // namespace suanzi::python
