#include "ops/fft/fft.h"

#include <cmath>

#include "ops/arrange/arrange.h"
#include "walk/copy.h"

namespace suanzi::fft {
namespace {

DType precision(DType t) { return real_part(t) == DType::float64 ? DType::float64 : DType::float32; }

// Returns x in the precision of the kernels. If the form of the transform requires complex numbers, the function also
// converts x to complex numbers.
Tensor prepared(const Fourier& op, const Tensor& x) {
  if (x.dtype == DType::string) fail(Status::type_mismatch, op.name, ": element type string is not a number");
  if (op.form == Form::to_half && is_complex(x.dtype))
    fail(Status::type_mismatch, op.name, ": element type ", name(x.dtype), " is not real");
  const bool complex = is_complex(x.dtype) || op.form == Form::from_half;
  const DType type = complex ? complex_of(precision(x.dtype)) : precision(x.dtype);
  return x.dtype == type ? x : cast(op.name, x, type);
}

double scale_of(Norm norm, bool inverse, int64_t n) {
  if (norm == Norm::ortho) return 1 / std::sqrt(static_cast<double>(n));
  return (norm == Norm::forward) == inverse ? 1 : 1 / static_cast<double>(n);
}

int64_t length_of(const Fourier& op, const Tensor& x, int axis, bool last, std::optional<int64_t> asked) {
  const bool from_half = op.form == Form::from_half && last;
  const int64_t n = asked.value_or(from_half ? 2 * (x.shape[axis] - 1) : x.shape[axis]);
  if (n >= 1) return n;
  if (asked) fail(Status::invalid_argument, op.name, ": length ", n, " is less than 1");
  if (x.shape[axis] == 1)
    fail(Status::invalid_argument, op.name, ": axis ", axis, " of shape ", x.shape,
         " has size 1, so the result would have size 0; give the result's size");
  fail(Status::invalid_argument, op.name, ": axis ", axis, " of shape ", x.shape,
       " has size 0 and cannot be transformed");
}

// Returns the axes as nonnegative numbers. The function throws if `axes` names an axis twice.
Dims checked_axes(const char* op, const Tensor& x, const Dims& axes) {
  Dims result;
  for (const int64_t axis : axes) {
    const int from_front = checked_axis(op, axis, x.rank());
    for (const int64_t other : result)
      if (from_front == other) fail(Status::invalid_argument, op, ": axis ", axis, " is named twice");
    result.push_back(from_front);
  }
  return result;
}

Dims axes_of(const Fourier& op, const Tensor& x, const std::optional<Dims>& lengths, const std::optional<Dims>& axes) {
  Dims result;
  if (axes) {
    result = checked_axes(op.name, x, *axes);
  } else {
    const int count = lengths ? lengths->size() : x.rank();
    if (count > x.rank())
      fail(Status::dimensions_mismatch, op.name, ": there are ", count, " lengths, but shape ", x.shape,
           " has fewer dimensions");
    for (int i = x.rank() - count; i < x.rank(); ++i) result.push_back(i);
  }
  if (lengths && lengths->size() != result.size())
    fail(Status::invalid_argument, op.name, ": lengths ", *lengths, " and axes ", result, " differ in number");
  if (result.empty() && op.form != Form::complex)
    fail(Status::invalid_argument, op.name, ": there is no axis to transform");
  return result;
}

DType result_type(const Fourier& op, DType x) {
  return op.form == Form::from_half ? precision(x) : complex_of(precision(x));
}

// Returns the form of the transform along an axis. `last` is true for the last axis. Only the form along the last axis
// reads or writes real numbers.
Form form_along(const Fourier& op, const Tensor& x, bool last) {
  const Form form = last ? op.form : Form::complex;
  return form == Form::complex && !is_complex(x.dtype) ? Form::to_whole : form;
}

}  // namespace

Tensor fourier(const Fourier& op, const Tensor& operand, const std::optional<Dims>& lengths,
               const std::optional<Dims>& which, Norm norm) {
  Tensor x = prepared(op, operand);
  const Dims axes = axes_of(op, x, lengths, which);
  const int count = axes.size();
  if (count == 0) return is_complex(x.dtype) ? clone(op.name, x) : cast(op.name, x, complex_of(x.dtype));
  Dims sizes, shape = x.shape;
  for (int i = 0; i < count; ++i) {
    const auto axis = static_cast<int>(axes[i]);
    const bool last = i + 1 == count, asked = lengths && (*lengths)[i] != -1;
    sizes.push_back(length_of(op, x, axis, last, asked ? std::optional((*lengths)[i]) : std::nullopt));
    shape[axis] = last && op.form == Form::to_half ? sizes[i] / 2 + 1 : sizes[i];
  }
  // The result is allocated first. If the memory does not suffice, the function therefore fails before the computation.
  const Tensor result = make_empty(op.name, shape, result_type(op, x.dtype));
  for (int step = 0; step < count; ++step) {
    const int i = op.form == Form::from_half ? step : count - 1 - step;
    const auto axis = static_cast<int>(axes[i]);
    const Transform t{form_along(op, x, i + 1 == count), op.inverse, sizes[i], scale_of(norm, op.inverse, sizes[i])};
    Dims next = x.shape;
    next[axis] = given(t);
    const DType type = t.form == Form::from_half ? result.dtype : complex_of(precision(x.dtype));
    Tensor target = result;
    if (next != shape || type != result.dtype)
      target = step > 0 && next == x.shape ? x : make_empty(op.name, next, type);
    transform_axis(target, x, axis, t);
    x = std::move(target);
  }
  return x;
}

Tensor fourier(const Fourier& op, const Tensor& operand, std::optional<int64_t> length, int64_t which, Norm norm) {
  const Tensor x = prepared(op, operand);
  const int axis = checked_axis(op.name, which, x.rank());
  const int64_t n = length_of(op, x, axis, true, length);
  const Transform t{form_along(op, x, true), op.inverse, n, scale_of(norm, op.inverse, n)};
  Dims shape = x.shape;
  shape[axis] = given(t);
  const Tensor result = make_empty(op.name, shape, result_type(op, x.dtype));
  transform_axis(result, x, axis, t);
  return result;
}

Tensor shifted(const char* op, const Tensor& x, const std::optional<Dims>& which, bool inverse) {
  Dims axes, shifts;
  if (which) {
    axes = checked_axes(op, x, *which);
  } else {
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  }
  for (const int64_t axis : axes) {
    const int64_t n = x.shape[static_cast<int>(axis)];
    shifts.push_back(inverse ? n - n / 2 : n / 2);
  }
  return axes.empty() ? clone(op, x) : roll(x, shifts, axes);
}

Tensor frequencies(const char* op, int64_t n, double spacing, DType dtype, bool half) {
  if (!is_floating(dtype)) fail(Status::type_mismatch, op, ": element type ", name(dtype), " is not floating");
  if (n < 1) fail(Status::invalid_argument, op, ": length ", n, " is less than 1");
  if (spacing == 0) fail(Status::invalid_argument, op, ": the spacing of the samples must not be 0");
  const Tensor result = make_empty(op, {half ? n / 2 + 1 : n}, DType::float64);
  const double span = static_cast<double>(n) * spacing;
  for (int64_t k = 0; k < result.size; ++k) {
    const bool negative = !half && k > (n - 1) / 2;
    result.as<double>()[k] = static_cast<double>(negative ? k - n : k) / span;
  }
  return dtype == DType::float64 ? result : cast(op, result, dtype);
}

}  // namespace suanzi::fft
