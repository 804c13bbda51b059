// Declarations that all files of bindings share, and the list of the functions that bind the parts of the module.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "python/dispatch.h"
#include "python/errors.h"
#include "python/interpreter.h"
#include "python/operators.h"
#include "python/tensor_object.h"
#include "runtime/costs.h"

namespace suanzi::python {

// Runs `compute` on tensors. If the work is long, the function releases the interpreter lock meanwhile. The function
// then copies the tensors to keep their storage alive, because another thread may destroy or rebind the Python objects
// meanwhile.
template <class Compute, class... Tensors>
auto unlocked_if_long(int64_t work, Compute&& compute, const Tensors&... x) {
  if (work <= costs::unlocked_elements) return compute(x...);
  const std::tuple<Tensors...> kept(x...);
  const Unlocked unlocked;
  return std::apply(compute, kept);
}

// Returns the number of elements of tensors, which is the `work` that unlocked_if_long expects. Returns 0 if a tensor
// holds strings, because another thread could read a half-written string (tensor/text.h).
template <class... Tensors>
int64_t unlocked_work(const Tensors&... x) {
  return ((x.dtype == DType::string) || ...) ? 0 : (x.size + ...);
}

// Returns `work`, or 0 if x holds strings, because operations on strings keep the lock.
inline int64_t unlocked_work(const Tensor& x, int64_t work) { return x.dtype == DType::string ? 0 : work; }

inline nanobind::object wrapped(Tensor&& tensor) {
  PyObject* const object = wrap(std::move(tensor));
  if (!object) throw PythonErrorSet{};
  return nanobind::steal(object);
}

// Converts an argument to the type of the function's parameter. A handle accepts any object, including None, because
// require_tensor and similar functions have better error messages.
template <class T>
std::decay_t<T> argument(const char* name, PyObject* object) {
  if constexpr (std::is_same_v<std::decay_t<T>, nanobind::handle>) {
    return object;
  } else if constexpr (std::is_same_v<std::decay_t<T>, nanobind::object>) {
    return nanobind::borrow(object);
  } else {
    std::decay_t<T> value{};
    if (nanobind::try_cast(nanobind::handle(object), value)) return value;
    fail(Status::type_mismatch, name, ": ", Py_TYPE(object)->tp_name, " is not a type that this argument accepts");
  }
}

template <class R>
PyObject* given_back(R&& result) {
  if constexpr (std::is_same_v<std::decay_t<R>, Tensor>) {
    return wrapped(std::forward<R>(result)).release().ptr();
  } else {
    return nanobind::cast(std::forward<R>(result)).release().ptr();
  }
}

// The arguments of a function that may be operands of other kinds than dense tensors. With `arguments`, all arguments
// may be such operands. With `listed`, the items of lists and tuples may also be such operands. With `none`, no
// argument may be such an operand.
enum class Operands : uint8_t { arguments, listed, none };

// A function of the module. The record consists of Python's definition of the function, and of the properties that
// `dispatch` reads.
struct Binding {
  PyMethodDef method;
  PyObject* name;
  Operands operands;
  // The position of the argument that names a device. The operator's declaration sets this position.
  int device = -1;
};

// Returns the binding of a function that `define` has added, and null for any other function.
inline Binding* binding_of(PyObject* self) {
  return self && PyCapsule_CheckExact(self) ? static_cast<Binding*>(PyCapsule_GetPointer(self, nullptr)) : nullptr;
}

// Passes a call of a bound function to the kinds of the arguments (see `dispatch` in dispatch.h).
PyObject* dispatch(const Binding& binding, PyObject* const* arguments, Py_ssize_t count);

template <class F>
struct Definition : Binding {
  F function;
};

template <class F, class R, class... Args, size_t... places>
PyObject* call_defined(PyObject* self, PyObject* const* args, Py_ssize_t n, R (F::*)(Args...) const,
                       std::index_sequence<places...>) noexcept {
  const auto& definition =
      static_cast<const Definition<F>&>(*static_cast<Binding*>(PyCapsule_GetPointer(self, nullptr)));
  const F& function = definition.function;
  const char* const name = definition.method.ml_name;
  return guard(name, [&]() -> PyObject* {
    if (n != sizeof...(Args)) fail_arguments(name, n, sizeof...(Args));
    const Operands operands = definition.operands;
    if (operands == Operands::listed || (operands == Operands::arguments && (kind_of(args[places]) || ...)) ||
        (definition.device >= 0 && args[definition.device] != Py_None)) [[unlikely]]
      if (PyObject* const result = dispatch(definition, args, n)) return result;
    if constexpr (std::is_void_v<R>) {
      function(argument<Args>(name, args[places])...);
      Py_RETURN_NONE;
    } else {
      return given_back(function(argument<Args>(name, args[places])...));
    }
  });
}

template <class F, class R, class... Args>
PyCFunction builtin_of(R (F::*)(Args...) const) {
  return as_builtin(+[](PyObject* self, PyObject* const* args, Py_ssize_t n) {
    return call_defined(self, args, n, &F::operator(), std::index_sequence_for<Args...>());
  });
}

// Adds a builtin function that receives its arguments by position. A call of the builtin takes less time than a call of
// a function from m.def. If operands are of other kinds, the function calls the implementation in the table of the
// operands' kind. `signature` is the function's line in _core.pyi, and becomes the function's __doc__. A function that
// implements a declared operator (`core=`) has no signature in this call, because the declaration provides the
// signature.
template <class F>
void define(nanobind::module_& m, const char* name, const char* signature, F function,
            Operands operands = Operands::arguments) {
  auto definition = std::make_unique<Definition<F>>(
      Binding{{name, builtin_of(&F::operator()), METH_FASTCALL, signature}, lasting_name(name), operands},
      std::move(function));
  Binding* const binding = definition.get();
  const nanobind::object owner = nanobind::steal(PyCapsule_New(binding, nullptr, [](PyObject* capsule) {
    const std::unique_ptr<Definition<F>> dead(static_cast<Definition<F>*>(binding_of(capsule)));
  }));
  if (!owner.is_valid()) throw PythonErrorSet{};
  // The capsule owns the binding, and lives as long as the function.
  PyMethodDef& method = definition.release()->method;
  const nanobind::object builtin = nanobind::steal(PyCFunction_New(&method, owner.ptr()));
  if (!builtin.is_valid() || PyModule_AddObjectRef(m.ptr(), name, builtin.ptr()) < 0) throw PythonErrorSet{};
}

template <class F>
void define(nanobind::module_& m, const char* name, F function) {
  define(m, name, nullptr, std::move(function));
}

// Binds a function whose operands are the items of lists and tuples.
template <class F>
void define_of_lists(nanobind::module_& m, const char* name, const char* signature, F function) {
  define(m, name, signature, std::move(function), Operands::listed);
}
template <class F>
void define_of_lists(nanobind::module_& m, const char* name, F function) {
  define_of_lists(m, name, nullptr, std::move(function));
}

// Each function adds its part's functions to the module.
void bind_compositions(nanobind::module_& m);
void bind_readers(nanobind::module_& m);
void bind_numbers(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_arrow(nanobind::module_& m);
void bind_reductions(nanobind::module_& m);
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
void bind_convolution(nanobind::module_& m);
void bind_pooling(nanobind::module_& m);
void bind_sampling(nanobind::module_& m);
void bind_fft(nanobind::module_& m);
void bind_sparse(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
void bind_fusion(nanobind::module_& m);
void bind_formulas(nanobind::module_& m);
void bind_recurrent(nanobind::module_& m);
void bind_attention(nanobind::module_& m);
void bind_normalisation(nanobind::module_& m);

}  // namespace suanzi::python
