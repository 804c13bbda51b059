// Pooling as Python functions.
#include "ops/pool/pooling.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Reads a number for each of `count` spatial dimensions, or one number for all dimensions.
Dims require_sizes(const char* op, const char* what, nb::handle object, int count) {
  if (is_single_integer(object.ptr())) return Dims(count, require_integer(op, what, object.ptr()));
  const Dims sizes = require_dims(op, what, object.ptr());
  if (sizes.size() != count)
    fail(Status::dimensions_mismatch, op, ": ", what, " ", sizes, " does not have a number for each of the ", count,
         " spatial dimensions");
  return sizes;
}

bool is_pair(PyObject* object) { return is_sequence(object) && PySequence_Fast_GET_SIZE(object) == 2; }

// Reads the padding, which is a string, one number for all sides of all dimensions, a number for both sides of each
// dimension, or a pair of numbers for each dimension.
void read_padding(const char* op, nb::handle object, int count, WindowRequest& request) {
  request.before = request.after = Dims(count, 0);
  if (PyUnicode_Check(object.ptr())) {
    const int word = require_choice(op, "padding", object.ptr(), std::span(padding_names).subspan(1));
    request.padding = static_cast<Padding>(word + 1);
    return;
  }
  if (!is_sequence(object.ptr()) || PySequence_Fast_GET_SIZE(object.ptr()) == 0 ||
      !is_sequence(PySequence_Fast_GET_ITEM(object.ptr(), 0))) {
    request.before = request.after = require_sizes(op, "padding", object, count);
    return;
  }
  if (PySequence_Fast_GET_SIZE(object.ptr()) != count)
    fail(Status::dimensions_mismatch, op, ": padding of ", PySequence_Fast_GET_SIZE(object.ptr()),
         " pairs does not have one for each of the ", count, " spatial dimensions");
  for (int d = 0; d < count; ++d) {
    if (d >= PySequence_Fast_GET_SIZE(object.ptr()))
      fail(Status::invalid_argument, op, ": padding changed while it was read");
    const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(object.ptr(), d));
    if (!is_pair(item.ptr()))
      fail(Status::dimensions_mismatch, op, ": padding of spatial dimension ", d, " is not a pair");
    const Dims pair = require_dims(op, "padding", item.ptr());
    request.before[d] = pair[0];
    request.after[d] = pair[1];
  }
}

WindowRequest require_windows(const char* op, const Tensor& x, nb::handle kernel, nb::handle stride, nb::handle padding,
                              nb::handle dilation, nb::handle ceil) {
  const int count = pooled_dimensions(op, x);
  WindowRequest request;
  request.kernel = require_sizes(op, "kernel_size", kernel, count);
  request.stride = stride.is_none() ? request.kernel : require_sizes(op, "stride", stride, count);
  request.dilation = require_sizes(op, "dilation", dilation, count);
  read_padding(op, padding, count, request);
  request.ceil = require_truth(op, "ceil_mode", ceil.ptr());
  return request;
}

Tensor require_pooled(const char* op, nb::handle operand) {
  const Tensor x = require_tensor(op, operand.ptr());
  check_alive(op, x);
  return x;
}

// Reads the tensor that receives results or, if `with_places` is true, the two tensors that receive results and places.
Pooled require_outs(const char* op, nb::handle out, bool with_places) {
  if (!with_places) return {require_out(op, out.ptr()), {}};
  if (!is_pair(out.ptr()))
    fail(Status::type_mismatch, op, ": out is ", class_of(out.ptr()),
         ", not a pair of tensors for the elements and their places");
  return {require_out(op, PySequence_Fast_GET_ITEM(out.ptr(), 0)),
          require_out(op, PySequence_Fast_GET_ITEM(out.ptr(), 1))};
}

// Calls compute(target or null), and returns the results, or `out` if the caller passed `out`. If `with_places` is
// true, the function returns a pair of results and places.
template <class Compute>
nb::object pooled_to(const char* op, const Tensor& x, nb::handle out, bool with_places, Compute compute) {
  Pooled target;
  if (!out.is_none()) target = require_outs(op, out, with_places);
  Pooled result = unlocked_if_long(unlocked_work(x), [&] { return compute(out.is_none() ? nullptr : &target); });
  if (!out.is_none()) return nb::borrow(out);
  if (!with_places) return wrapped(std::move(result.values));
  return nb::make_tuple(wrapped(std::move(result.values)), wrapped(std::move(result.places)));
}

double require_order(const char* op, nb::handle object) {
  const double order = require_real(op, "norm_type", object.ptr());
  if (!(order > 0)) fail(Status::invalid_argument, op, ": norm_type ", order, " is not positive");
  return order;
}

template <Pool which>
nb::object adaptive_to(const char* op, nb::handle operand, nb::handle size, bool with_places, nb::handle out) {
  const Tensor x = require_pooled(op, operand);
  const int count = pooled_dimensions(op, x);
  Dims sizes;
  if (!is_sequence(size.ptr())) {
    sizes = require_sizes(op, "output_size", size, count);
  } else {
    // An item None keeps the size of its dimension.
    if (PySequence_Fast_GET_SIZE(size.ptr()) != count)
      fail(Status::dimensions_mismatch, op, ": output_size of ", PySequence_Fast_GET_SIZE(size.ptr()),
           " numbers does not have one for each of the ", count, " spatial dimensions");
    for (int d = 0; d < count; ++d) {
      const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(size.ptr(), d));
      sizes.push_back(item.is_none() ? x.shape[dimensions_before + d] : require_integer(op, "output_size", item.ptr()));
      if (PySequence_Fast_GET_SIZE(size.ptr()) != count)
        fail(Status::invalid_argument, op, ": output_size changed while it was read");
    }
  }
  for (const int64_t n : sizes)
    if (n < 0) fail(Status::invalid_argument, op, ": output_size ", n, " is negative");
  return pooled_to(op, x, out, with_places,
                   [&](const Pooled* target) { return adaptive_pool(op, x, which, sizes, with_places, target); });
}

}  // namespace

void bind_pooling(nb::module_& m) {
  define(m, "max_pool",
         [](nb::handle operand, nb::handle kernel, nb::handle stride, nb::handle padding, nb::handle dilation,
            nb::handle ceil, nb::handle indices, nb::handle out) {
           constexpr const char* op = "max_pool";
           const Tensor x = require_pooled(op, operand);
           PoolRequest request;
           request.windows = require_windows(op, x, kernel, stride, padding, dilation, ceil);
           const bool with_places = require_truth(op, "return_indices", indices.ptr());
           return pooled_to(op, x, out, with_places,
                            [&](const Pooled* target) { return pool(op, x, request, with_places, target); });
         });
  define(m, "avg_pool",
         [](nb::handle operand, nb::handle kernel, nb::handle stride, nb::handle padding, nb::handle ceil,
            nb::handle include, nb::handle divisor, nb::handle dilation, nb::handle out) {
           constexpr const char* op = "avg_pool";
           const Tensor x = require_pooled(op, operand);
           PoolRequest request;
           request.pool = Pool::average;
           request.windows = require_windows(op, x, kernel, stride, padding, dilation, ceil);
           request.counts_padding = require_truth(op, "count_include_pad", include.ptr());
           request.divisor = optional_integer(op, "divisor_override", divisor.ptr());
           if (request.divisor == 0) fail(Status::invalid_argument, op, ": divisor_override must not be 0");
           return pooled_to(op, x, out, false,
                            [&](const Pooled* target) { return pool(op, x, request, false, target); });
         });
  define(m, "lp_pool",
         [](nb::handle operand, nb::handle order, nb::handle kernel, nb::handle stride, nb::handle ceil,
            nb::handle padding, nb::handle dilation, nb::handle out) {
           constexpr const char* op = "lp_pool";
           const Tensor x = require_pooled(op, operand);
           PoolRequest request;
           request.order = require_order(op, order);
           request.pool = request.order == 1 ? Pool::norm1 : request.order == 2 ? Pool::norm2 : Pool::norm;
           request.windows = require_windows(op, x, kernel, stride, padding, dilation, ceil);
           return pooled_to(op, x, out, false,
                            [&](const Pooled* target) { return pool(op, x, request, false, target); });
         });
  define(m, "adaptive_avg_pool", [](nb::handle x, nb::handle size, nb::handle out) {
    return adaptive_to<Pool::average>("adaptive_avg_pool", x, size, false, out);
  });
  define(m, "adaptive_max_pool", [](nb::handle x, nb::handle size, nb::handle indices, nb::handle out) {
    const bool with_places = require_truth("adaptive_max_pool", "return_indices", indices.ptr());
    return adaptive_to<Pool::max>("adaptive_max_pool", x, size, with_places, out);
  });
  define(m, "pool_regions",
         "(operator: str, x: Tensor, regions: Tensor, height: int, width: int, scale: float, /) -> Tensor",
         [](const char* op, nb::handle operand, nb::handle regions, nb::handle height, nb::handle width,
            nb::handle scale) {
           const Tensor x = require_tensor(op, operand.ptr()), at = require_tensor(op, regions.ptr());
           const int64_t h = require_integer(op, "height", height.ptr()), w = require_integer(op, "width", width.ptr());
           const double factor = require_real(op, "scale", scale.ptr());
           return unlocked_if_long(unlocked_work(x, at), [&] { return pool_regions(op, x, at, h, w, factor); });
         });
}

}  // namespace suanzi::python
