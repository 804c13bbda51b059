// The module suanzi._core. This file binds creation, casts, views, memory and threads as Python functions.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/built.h"
#include "kernels/kernel.h"
#include "ops/arrange/filled.h"
#include "ops/arrange/range.h"
#include "ops/arrange/views.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "python/errors.h"
#include "python/function.h"
#include "python/operators.h"
#include "python/shortcut.h"
#include "python/steps.h"
#include "python/tensor_object.h"
#include "runtime/allocator.h"
#include "runtime/environment.h"
#include "runtime/threads.h"
#include "runtime/tile_shape.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Creates a tensor by its description. If the creation takes long, the function releases the interpreter lock
// meanwhile. Creation of strings keeps the lock (tensor/text.h).
template <class Make>
Tensor made(const char* op, const Description& described, Make make) {
  const int64_t work = described.dtype == DType::string ? 0 : product(described.shape);
  return unlocked_if_long(work, [&] { return make(op, described); });
}

Tensor ones(const char* op, const Description& described) { return full(op, described, Scalar::of(int64_t{1})); }

// Reads a number, a string, or the only element of a tensor. `held` receives the Python number or string that was read,
// and keeps this object alive.
Scalar require_fill(const char* op, nb::handle object, nb::object& held) {
  held = nb::borrow(object);
  if (PyTensor_Check(object.ptr())) {
    const Tensor& x = require_tensor(op, object.ptr());
    if (x.size != 1) fail(Status::invalid_argument, op, ": fill_value of shape ", x.shape, " is not one element");
    held = nb::steal(item(op, x));
    if (!held.is_valid()) throw PythonErrorSet{};
  }
  Scalar value;
  if (!read_element(held.ptr(), value))
    fail(Status::type_mismatch, op, ": fill_value ", shown(object.ptr()), " is not a number");
  return value;
}

// Binds the functions that create a tensor by a description. Each function has two forms. The first form accepts a
// shape. The second form accepts a tensor and copies the tensor's description.
void bind_filled(nb::module_& m) {
  using Make = Tensor (*)(const char*, const Description&);
  const auto define_make = [&](const char* name, Make make, Describe describe) {
    define(m, name, [name, make, describe](nb::handle like, nb::handle dtype, nb::handle, nb::handle layout) {
      return made(name, describe(name, like.ptr(), dtype.ptr(), layout.ptr()), make);
    });
  };
  define_make("empty", empty, require_description);
  define_make("zeros", zeros, require_description);
  define_make("ones", ones, require_description);
  define_make("empty_like", empty, require_description_like);
  define_make("zeros_like", zeros, require_description_like);
  define_make("ones_like", ones, require_description_like);
  define(m, "full", [](nb::handle shape, nb::handle fill_value, nb::handle dtype, nb::handle, nb::handle layout) {
    nb::object held;
    const Scalar value = require_fill("full", fill_value, held);
    Description d = require_description("full", shape.ptr(), dtype.ptr(), layout.ptr());
    if (dtype.is_none() && value.kind == Scalar::Kind::string) d.dtype = DType::string;
    if (dtype.is_none()) require_exact("full", value, d.dtype);
    return made("full", d, [&](const char* op, const Description& of) { return full(op, of, value); });
  });
  define(m, "full_like", [](nb::handle x, nb::handle fill_value, nb::handle dtype, nb::handle, nb::handle layout) {
    nb::object held;
    const Scalar value = require_fill("full_like", fill_value, held);
    const Description d = require_description_like("full_like", x.ptr(), dtype.ptr(), layout.ptr());
    return made("full_like", d, [&](const char* op, const Description& of) { return full(op, of, value); });
  });
  // `allocate` returns memory that other operators fill, and clears the memory first if these operators do not fill all
  // of the memory.
  define(m, "allocate",
         "(operator: str, shape: Shape, dtype: DTypeLike | None, layout: Any, cleared: bool, /) -> Tensor",
         [](const char* op, nb::handle shape, nb::handle dtype, nb::handle layout, bool cleared) {
           const Description d = require_description(op, shape.ptr(), dtype.ptr(), layout.ptr());
           return made(op, d, cleared ? zeros : empty);
         });
}

void bind_creation(nb::module_& m) {
  m.attr("max_rank") = max_rank;
  bind_filled(m);
  define(m, "arange", [](nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype, nb::handle) {
    constexpr const char* op = "arange";
    const DType t = require_dtype(op, dtype.ptr());
    const bool limit_alone = stop.is_none();
    const Scalar first = limit_alone ? Scalar::of(int64_t{0}) : require_number(op, "start", start.ptr());
    const Scalar limit = require_number(op, limit_alone ? "start" : "stop", (limit_alone ? start : stop).ptr());
    const Scalar gap = require_number(op, "step", step.ptr());
    if (dtype.is_none())
      if (const auto inexact = inexact_element(first, limit, gap, t)) require_exact(op, *inexact, t);
    return arange(first, limit, gap, t);
  });
  define(m, "linspace", [](nb::handle start, nb::handle stop, nb::handle num, nb::handle dtype, nb::handle) {
    constexpr const char* op = "linspace";
    const int64_t count = require_integer(op, "num", num.ptr());
    const Scalar first = require_number(op, "start", start.ptr()), last = require_number(op, "stop", stop.ptr());
    const DType t = require_dtype(op, dtype.ptr());
    if (dtype.is_none())
      for (const Scalar* end : {&first, &last}) require_exact(op, *end, t);
    return linspace(first, last, count, t);
  });
  define(m, "share_buffer", "(owner: Array | Tensor, dtype: DTypeLike | None, /) -> Tensor | None",
         [](nb::handle array, nb::handle dtype) -> nb::object {
           constexpr const char* op = "from_reference";
           auto shared = dtype.is_none() ? share_buffer(op, array.ptr())
                                         : share_buffer(op, array.ptr(), require_dtype(op, dtype.ptr()));
           return shared ? wrapped(std::move(*shared)) : nb::none();
         });
  define(m, "copy_array", "(array: Array, /) -> Tensor | None", [](nb::handle array) -> nb::object {
    constexpr const char* op = "tensor";
    const std::optional<Tensor> shared = share_buffer(op, array.ptr());
    if (!shared) return nb::none();
    Tensor result = make_empty(op, shared->shape, shared->dtype);
    unlocked_if_long(shared->size, [&] { copy_into(op, result, *shared); });
    return wrapped(std::move(result));
  });
  define(m, "copy_buffer", "(buffer: Any, dtype: DTypeLike, /) -> Tensor", [](nb::handle object, nb::handle dtype) {
    constexpr const char* op = "tensor";
    return copy_buffer(op, object.ptr(), require_dtype(op, dtype.ptr()));
  });
}

void bind_copies(nb::module_& m) {
  define(m, "copy_into", "(operator: str, dst: Tensor, src: Tensor, /) -> None",
         [](const char* op, nb::handle into, nb::handle from) {
           const Tensor target = require_tensor(op, into.ptr()), source = require_tensor(op, from.ptr());
           unlocked_if_long(unlocked_work(target), [&] { copy_into(op, target, source); });
         });
  define(m, "check_out", "(operator: str, out: Tensor, shape: Sequence[int], dtype: DType, /) -> None",
         [](const char* op, nb::handle out, nb::handle shape, nb::handle dtype) {
           const Tensor target = require_out(op, out.ptr());
           check_out(op, target, require_shape(op, shape.ptr()), require_dtype(op, dtype.ptr()));
         });
  define(m, "astype", [](nb::object object, nb::handle dtype, nb::handle copy) -> nb::object {
    const Tensor x = require_tensor("astype", object.ptr());
    if (dtype.is_none()) fail(Status::type_mismatch, "astype: None is not an element type");
    const DType t = require_dtype("astype", dtype.ptr());
    if (!require_truth("astype", "copy", copy.ptr()) && x.dtype == t) return object;
    return wrapped(unlocked_if_long(unlocked_work(x), [&] { return cast("astype", x, t); }));
  });
  define(m, "clone", [](nb::handle object) {
    const Tensor x = require_tensor("clone", object.ptr());
    return unlocked_if_long(unlocked_work(x), [&] { return clone("clone", x); });
  });
  define(m, "contiguous", [](nb::object object) -> nb::object {
    const Tensor x = require_tensor("contiguous", object.ptr());
    return x.contiguous ? object : nb::steal(wrap(to_contiguous("contiguous", x)));
  });
}

// The function reads the tensor again after it has read the axes, because an item's own __index__ may destroy the
// tensor.
Tensor permuted(const char* op, nb::handle x, nb::handle axes) {
  (void)require_tensor(op, x.ptr());
  const Dims order = require_dims(op, "axes", axes.ptr());
  return permute(op, require_tensor(op, x.ptr()), order);
}

void bind_views(nb::module_& m) {
  define(m, "reshape", [](nb::handle x, nb::handle shape) {
    (void)require_tensor("reshape", x.ptr());
    const Dims sizes = require_shape("reshape", shape.ptr(), -1);
    return reshape("reshape", require_tensor("reshape", x.ptr()), sizes);
  });
  define(m, "reshape_view", "(x: Tensor, shape: Shape, /) -> Tensor | None", [](nb::handle x, nb::handle shape) {
    constexpr const char* op = "reshape_view";
    const Dims sizes = require_shape(op, shape.ptr(), -1);
    const Tensor& whole = require_tensor(op, x.ptr());
    auto view = reshape_view(whole, resolve_shape(op, whole, sizes));
    return view ? nb::object(wrapped(std::move(*view))) : nb::none();
  });
  define(m, "transpose", [](nb::handle x, nb::handle axes) {
    if (axes.is_none()) return reverse_axes("transpose", require_tensor("transpose", x.ptr()));
    return permuted("transpose", x, axes);
  });
  define(m, "permute_dims", [](nb::handle x, nb::handle axes) { return permuted("permute_dims", x, axes); });
  define(m, "matrix_transpose", [](nb::handle x) {
    return matrix_transpose("matrix_transpose", require_tensor("matrix_transpose", x.ptr()));
  });
  define(m, "expand", [](nb::handle x, nb::handle shape) {
    (void)require_tensor("expand", x.ptr());
    const Dims sizes = require_shape("expand", shape.ptr(), -1);
    return expand_keeping("expand", require_tensor("expand", x.ptr()), sizes);
  });
  define(m, "broadcast_to", [](nb::handle x, nb::handle shape) {
    (void)require_tensor("broadcast_to", x.ptr());
    const Dims sizes = require_shape("broadcast_to", shape.ptr());
    return expand("broadcast_to", require_tensor("broadcast_to", x.ptr()), sizes);
  });
  define(m, "reinterpret", "(x: Tensor, dtype: DTypeLike, /) -> Tensor", [](nb::handle x, nb::handle dtype) {
    (void)require_tensor("view", x.ptr());
    const DType t = require_dtype("view", dtype.ptr());
    return reinterpret("view", require_tensor("view", x.ptr()), t);
  });
  define(m, "diagonal", [](nb::handle x, nb::handle offset, nb::handle axis1, nb::handle axis2) {
    constexpr const char* op = "diagonal";
    (void)require_tensor(op, x.ptr());
    const int64_t k = require_integer(op, "offset", offset.ptr());
    const int64_t rows = require_integer(op, "axis1", axis1.ptr()), columns = require_integer(op, "axis2", axis2.ptr());
    return diagonal(op, require_tensor(op, x.ptr()), k, rows, columns);
  });
}

void bind_queries(nb::module_& m) {
  define(m, "is_contiguous", [](nb::handle x) { return require_tensor("is_contiguous", x.ptr()).contiguous; });
  define(m, "holds_elements", "(x: object, /) -> bool", [](nb::handle x) { return holds_elements(x.ptr()); });
  define(m, "is_destroyed", "(x: Any, /) -> bool",
         [](nb::handle x) { return PyTensor_Check(x.ptr()) && !tensor_of(x.ptr()).storage; });
  define(m, "address", "(x: Tensor, /) -> int",
         [](nb::handle x) { return reinterpret_cast<uint64_t>(require_tensor("address", x.ptr()).data); });
  define(m, "order", "(x: Tensor, /) -> tuple[int, ...]",
         [](nb::handle x) { return nb::steal(dims_to_tuple(logical_order(require_tensor("layout", x.ptr())))); });
  define(m, "is_foreign", "(x: Tensor, /) -> bool",
         [](nb::handle x) { return require_tensor("allocator", x.ptr()).storage->foreign(); });
  define(m, "order_if_other", "(x: Tensor, /) -> tuple[int, ...] | None", [](nb::handle object) -> nb::object {
    const Tensor x = require_tensor("layout", object.ptr());
    if (x.contiguous && !x.order) return nb::none();
    return nb::steal(dims_to_tuple(logical_order(x)));
  });
  define(m, "in_memory", "(x: Tensor, /) -> Tensor",
         [](nb::handle x) { return in_memory("in_memory", require_tensor("in_memory", x.ptr())); });
  define(m, "laid_out", "(x: Tensor, shape: Shape, order: Shape, /) -> Tensor",
         [](nb::handle x, nb::handle shape, nb::handle order) {
           constexpr const char* op = "laid_out";
           const Dims sizes = require_shape(op, shape.ptr()), axes = require_dims(op, "order", order.ptr());
           return laid_out(op, require_tensor(op, x.ptr()), sizes, axes);
         });
  define(m, "in_order", "(x: Tensor, order: Shape, /) -> Tensor | None",
         [](nb::handle x, nb::handle order) -> nb::object {
           const Dims axes = require_dims("in_order", "order", order.ptr());
           auto view = in_order("in_order", require_tensor("in_order", x.ptr()), axes);
           return view ? wrapped(std::move(*view)) : nb::none();
         });
  define(m, "destroy", [](nb::handle x) {
    (void)require_tensor("destroy", x.ptr());
    tensor_of(x.ptr()) = Tensor{};
    // The garbage collector does not track tensors without metadata.
    PyObject_GC_UnTrack(x.ptr());
    // The function releases the metadata last, because the destructors of the metadata's items may read the tensor.
    const nb::object held = nb::steal(std::exchange(reinterpret_cast<PyTensor*>(x.ptr())->metadata, nullptr));
  });
}

// Returns the thresholds of runtime/costs.h that Python code needs (src/suanzi/tuning.py).
nb::dict costs_of_python() {
  nb::dict known;
  known["cache_share"] = costs::cache_share;
  known["direct_elements"] = costs::direct_elements;
  known["fused_row"] = costs::fused_row;
  known["steps_like_memory"] = costs::steps_like_memory;
  known["most_views"] = costs::most_views;
  known["fused_chain"] = costs::fused_chain;
  known["few_byte_rows"] = costs::few_byte_rows;
  known["least_byte_columns"] = costs::least_byte_columns;
  known["whole_reduction"] = costs::whole_reduction;
  known["packed_matrix"] = costs::packed_matrix;
  return known;
}

void bind_networks(nb::module_& m) {
  bind_convolution(m);
  bind_pooling(m);
  bind_sampling(m);
  bind_recurrent(m);
  bind_steps(m);
  bind_attention(m);
  bind_normalisation(m);
}

void bind_runtime(nb::module_& m) {
  m.attr("costs") = costs_of_python();
  define(m, "set_num_threads", "(n: int, /) -> None", [](nb::handle n) {
    set_num_threads(
        static_cast<int>(std::clamp<int64_t>(require_integer("set_num_threads", "the number", n.ptr()), -1, 1 << 20)));
  });
  define(m, "get_num_threads", "() -> int", [] { return num_threads(); });
  define(m, "set_tile_shape", "(shape: Shape | None, /) -> tuple[int, ...] | None", [](nb::handle shape) {
    const auto before =
        set_tile_shape(shape.is_none() ? std::nullopt : std::optional(require_shape("tile_shape", shape.ptr(), 1)));
    return before ? nb::steal(dims_to_tuple(*before)) : nb::none();
  });
  define(m, "get_tile_shape", "() -> tuple[int, ...] | None", [] {
    const Dims* const tile = tile_shape();
    return tile ? nb::steal(dims_to_tuple(*tile)) : nb::none();
  });
  define(m, "simd_level", "() -> str", [] { return kernels().level; });
  define(m, "simd_levels", "() -> tuple[str, ...]", [] {
    int count = 0;
    const Level* levels = available_levels(count);
    nb::list names;
    for (int i = 0; i < count; ++i) names.append(levels[i].name);
    return nb::tuple(names);
  });
  define(m, "missing_simd_level", "() -> str | None", [] { return missing_level(); });
  define(m, "memory_statistics", "() -> dict[str, int]", [] {
    const MemoryStatistics s = memory_statistics();
    nb::dict d;
    d["in_use"] = s.in_use;
    d["peak"] = s.peak;
    d["cached"] = s.cached;
    d["limit"] = s.limit;
    d["cache_limit"] = s.cache_limit;
    d["allocations"] = s.allocations;
    d["reused"] = s.reused;
    return d;
  });
  define(m, "set_memory_limit", "(bytes: int, /) -> None",
         [](nb::handle n) { set_memory_limit(require_integer("set_memory_limit", "the limit", n.ptr())); });
  define(m, "set_cache_limit", "(bytes: int, /) -> None",
         [](nb::handle n) { set_cache_limit(require_integer("set_cache_limit", "the limit", n.ptr())); });
  define(m, "release_cached", "() -> None", [] { release_cached(); });
  define(m, "reset_peak", "() -> None", [] { reset_peak(); });
}

// Binds the function by which Python registers, once, the classes and functions that the core needs.
void bind_registration(nb::module_& m) {
  define(m, "register",
         "(errors: tuple[type[SuanziError] | None, ...], key_mismatch: type[SuanziError],"
         " shown: Callable[[object], str], hint: Callable[[str, Any], str],"
         " explain: Callable[[Any, tuple[Any, ...], dict[str, Any], Exception], None], dtypes: tuple[DType, ...], "
         "numpy_scalar: type, numpy_array: type,"
         " as_tensor: Callable[[Any, DType | None, str], Tensor], as_dtype: Callable[[Any, str], DType],"
         " dense_order: Callable[[Any, int, str], tuple[int, ...] | None], /) -> None",
         [](nb::handle errors, nb::handle key_mismatch, nb::handle shown, nb::handle hint, nb::handle explain,
            nb::handle dtypes, nb::handle numpy_scalar, nb::handle numpy_array, nb::handle as_tensor,
            nb::handle as_dtype, nb::handle dense_order) {
           register_errors(errors.ptr(), key_mismatch.ptr(), shown.ptr(), hint.ptr(), explain.ptr());
           register_dtypes(dtypes.ptr());
           register_numpy(numpy_scalar.ptr(), numpy_array.ptr());
           register_as_tensor(as_tensor.ptr());
           register_descriptions(as_dtype.ptr(), dense_order.ptr());
         });
}

NB_MODULE(_core, m) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const StatusError&) {
      set_error_from_current_exception();
    } catch (const PythonErrorSet&) {
    }
  });
  // Objects that a caller's module holds at exit are not leaks.
  nb::set_leak_warnings(false);
  // These calls report unusable values of environment variables at import, before the first operator runs.
  (void)kernels();
  (void)memory_statistics();
  (void)threads_of_environment();
  add_tensor_type(m.ptr());
  add_function_type(m.ptr());
  add_kinds(m.ptr());
  add_shortcuts(m.ptr());
  add_python_operators(m.ptr());
  add_operations(m.ptr());
  bind_registration(m);
  bind_creation(m);
  bind_compositions(m);
  bind_readers(m);
  bind_numbers(m);
  bind_text(m);
  bind_arrow(m);
  bind_copies(m);
  bind_views(m);
  bind_queries(m);
  bind_reductions(m);
  bind_random(m);
  bind_matrices(m);
  bind_rearranging(m);
  bind_gathering(m);
  bind_searching(m);
  bind_sorting(m);
  bind_scanning(m);
  bind_blas(m);
  bind_products(m);
  bind_quantization(m);
  bind_linalg(m);
  bind_interpolation(m);
  bind_fft(m);
  bind_sparse(m);
  bind_trees(m);
  bind_fusion(m);
  bind_formulas(m);
  bind_networks(m);
  bind_runtime(m);
}

}  // namespace
}  // namespace suanzi::python
