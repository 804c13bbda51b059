// Gathering and scattering by index as Python functions.
#include "ops/indexing/gather.h"
#include "ops/indexing/scatter.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "runtime/tile_shape.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Returns the index as a tensor. A single integer becomes a tensor without dimensions.
Tensor require_index_tensor(const char* op, PyObject* object) {
  if (PyTensor_Check(object) || PyBool_Check(object) || !PyIndex_Check(object)) return require_tensor(op, object);
  const Tensor one = make_empty(op, {}, DType::int64);
  fill(op, one, Scalar::of(require_integer(op, "the index", object)));
  return one;
}

// Returns the slices along `axis` that the index selects. If the caller has set a tile shape, the function computes the
// result in tiles.
Tensor take_along(const char* op, const Tensor& x, const Tensor& index, int64_t axis) {
  const Dims* const tile = tile_shape();
  if (!tile) return take(op, x, index, axis);
  check_alive(op, x);
  (void)checked_axis(op, axis, x.rank());
  check_tile(op, *tile, x.rank() - 1 + index.rank(), size_of(x.dtype));
  return gather_tiled(op, x, index, axis, *tile, nullptr);
}

// Binds a function of a tensor, an index and an integer. `what` is the name of the integer in messages.
template <class Compute>
void bind_gather(nb::module_& m, const char* op, const char* what, Compute compute) {
  define(m, op, [=](nb::handle x, nb::handle index, nb::handle number) {
    const Tensor from = require_tensor(op, x.ptr()), at = require_index_tensor(op, index.ptr());
    const int64_t n = require_integer(op, what, number.ptr());
    return unlocked_if_long(unlocked_work(from, at), [&] { return compute(op, from, at, n); });
  });
}

// Binds the operator that gathers in tiles. If `traced` is true, the bound function also returns the position at which
// each tile begins, in the order of the tiles.
template <bool traced>
void bind_gather_tiled(nb::module_& m, const char* op, const char* signature = nullptr) {
  define(m, op, signature, [=](nb::handle x, nb::handle index, nb::handle tile, nb::handle axis) -> nb::object {
    const Tensor from = require_tensor(op, x.ptr()), at = require_index_tensor(op, index.ptr());
    const int64_t along = require_integer(op, "axis", axis.ptr());
    const Dims sizes = require_dims(op, "tile", tile.ptr());
    Tensor origins;
    Tensor result = unlocked_if_long(
        unlocked_work(from, at), [&] { return gather_tiled(op, from, at, along, sizes, traced ? &origins : nullptr); });
    nb::object tensor = nb::steal(wrap(std::move(result)));
    if constexpr (!traced) return tensor;
    return nb::make_tuple(tensor, nb::steal(wrap(std::move(origins))));
  });
}

ScatterMode require_mode(const char* op, PyObject* object) {
  return static_cast<ScatterMode>(require_choice(op, "mode", object, scatter_mode_names));
}

// Returns updates in the type of the tensor that receives the updates. The updates are a number that fits this type, or
// a tensor whose type promotes to this type.
Tensor require_updates(const char* op, PyObject* object, DType t) {
  Operand operand;
  if (!read_operand(object, operand))
    fail(Status::type_mismatch, op, ": ", class_of(object), " is neither a tensor nor a number",
         hint("operand", object));
  if (!operand.tensor) {
    const Tensor one = make_empty(op, {}, t);
    fill(op, one, operand.scalar);
    return one;
  }
  return as_updates(op, require_tensor(op, object), t);
}

// Reads and checks the tensors, and calls compute(x, index, updates, out). Returns `out` if the caller passed `out`,
// and the new result otherwise.
template <class Compute>
nb::object call_scatter(const char* op, nb::handle x, nb::handle index, nb::handle updates, nb::handle out,
                        Compute compute) {
  const Tensor target = require_tensor(op, x.ptr()), at = require_index_tensor(op, index.ptr());
  const Tensor values = require_updates(op, updates.ptr(), target.dtype);
  Tensor into;
  if (!out.is_none()) into = require_out(op, out.ptr());
  Tensor result = unlocked_if_long(unlocked_work(target, at),
                                   [&] { return compute(target, at, values, out.is_none() ? nullptr : &into); });
  return out.is_none() ? nb::steal(wrap(std::move(result))) : nb::borrow(out);
}

}  // namespace

void bind_gathering(nb::module_& m) {
  bind_gather(m, "gather", "axis", take_along);
  bind_gather(m, "index_select", "axis", [](const char* op, const Tensor& x, const Tensor& index, int64_t axis) {
    check_index_rank(op, index);
    return take_along(op, x, index, axis);
  });
  define(m, "take", [](nb::handle x, nb::handle indices, nb::handle axis) {
    constexpr const char* op = "take";
    const Tensor from = require_tensor(op, x.ptr()), at = require_index_tensor(op, indices.ptr());
    const bool flat = axis.is_none();
    const int64_t along = flat ? 0 : require_integer(op, "axis", axis.ptr());
    return unlocked_if_long(unlocked_work(from, at),
                            [&] { return take_along(op, flat ? reshape(op, from, {from.size}) : from, at, along); });
  });
  bind_gather_tiled<false>(m, "gather_tiled");
  bind_gather_tiled<true>(m, "gather_tiled_traced",
                          "(x: Tensor, index: Tensor, tile: Sequence[int], axis: int, /) -> tuple[Tensor, Tensor]");
  bind_gather(m, "take_along_axis", "axis", take_along_axis);
  bind_gather(m, "gather_nd", "batch_dims", gather_nd);
  define(m, "scatter",
         [](nb::handle x, nb::handle index, nb::handle updates, nb::handle axis, nb::handle mode, nb::handle out) {
           constexpr const char* op = "scatter";
           const int64_t at = require_integer(op, "axis", axis.ptr());
           const ScatterMode how = require_mode(op, mode.ptr());
           return call_scatter(op, x, index, updates, out,
                               [&](const Tensor& a, const Tensor& i, const Tensor& u, const Tensor* o) {
                                 return scatter(op, a, i, u, at, how, o);
                               });
         });
  define(m, "scatter_nd", [](nb::handle x, nb::handle indices, nb::handle updates, nb::handle mode, nb::handle out) {
    constexpr const char* op = "scatter_nd";
    const ScatterMode how = require_mode(op, mode.ptr());
    return call_scatter(op, x, indices, updates, out,
                        [&](const Tensor& a, const Tensor& i, const Tensor& u, const Tensor* o) {
                          return scatter_nd(op, a, i, u, how, o);
                        });
  });
}

}  // namespace suanzi::python
