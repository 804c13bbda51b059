// What the files that bind a part of the module share, and the list of those parts.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>
#include <utility>

#include "python/dispatch.h"
#include "tensor/tensor.h"

namespace suanzi::python {

// Runs `compute`, without the interpreter lock where it has much to do.
template <class Compute>
auto unlocked_if_long(int64_t work, Compute&& compute) {
  constexpr int64_t long_work = 16384;
  if (work <= long_work) return compute();
  const nanobind::gil_scoped_release unlocked;
  return compute();
}

// The elements of tensors that count as work to be done without the lock: none where one holds strings, of which
// another thread could see one half written (tensor/text.h).
template <class... Tensors>
int64_t unlocked_work(const Tensors&... x) {
  return ((x.dtype == DType::string) || ...) ? 0 : (x.size + ...);
}

// The same for work that is not told by the size of `x`.
inline int64_t unlocked_work(const Tensor& x, int64_t work) { return x.dtype == DType::string ? 0 : work; }

// m.def for a function of handles: every argument may be None, for which require_tensor and its like have better words
// than nanobind; operands of other classes are handed on.
template <class F, class R, class... Args>
void define_lambda(nanobind::module_& m, const char* name, F&& f, R (std::decay_t<F>::*)(Args...) const) {
  const auto call = [f = std::forward<F>(f), name](Args... args) -> nanobind::object {
    try {
      if constexpr (std::is_void_v<R>) {
        f(args...);
        return nanobind::none();
      } else {
        return nanobind::cast(f(args...));
      }
    } catch (const StatusError& error) {
      const nanobind::object arguments[] = {nanobind::cast(args)...};
      return hand_on(error, name, arguments);
    }
  };
  m.def(name, call, (static_cast<void>(sizeof(Args)), nanobind::arg().none())...);
}
template <class F>
void define(nanobind::module_& m, const char* name, F&& f) {
  define_lambda(m, name, std::forward<F>(f), &std::decay_t<F>::operator());
}

// Each adds its functions to the module.
void bind_numbers(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_random(nanobind::module_& m);
void bind_matrices(nanobind::module_& m);
void bind_rearranging(nanobind::module_& m);
void bind_gathering(nanobind::module_& m);
void bind_searching(nanobind::module_& m);
void bind_sorting(nanobind::module_& m);
void bind_scanning(nanobind::module_& m);
void bind_blas(nanobind::module_& m);
void bind_products(nanobind::module_& m);
void bind_quantization(nanobind::module_& m);
void bind_linalg(nanobind::module_& m);
void bind_interpolation(nanobind::module_& m);
void bind_signal(nanobind::module_& m);
void bind_sparse(nanobind::module_& m);

}  // namespace suanzi::python
