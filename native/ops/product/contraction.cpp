#include "ops/product/contraction.h"

#include <algorithm>

#include "ops/elementwise/elementwise.h"
#include "ops/product/gemv.h"
#include "ops/product/matmul.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

int64_t last(const Tensor& x) { return x.shape[x.rank() - 1]; }

Tensor apply(Operation op, const Tensor& a, const Tensor& b, const Tensor* out = nullptr) {
  const Operand operands[] = {{&a, {}}, {&b, {}}};
  return elementwise(op, operands, out);
}

// Returns a view of x with a new axis of size 1 before `axis`.
Tensor insert_axis(const char* op, const Tensor& x, int axis) {
  if (x.rank() == max_rank)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has ", max_rank,
         " dimensions; one more is not supported");
  Dims shape, strides;
  for (int i = 0; i <= x.rank(); ++i) {
    if (i == axis) shape.push_back(1), strides.push_back(0);
    if (i < x.rank()) shape.push_back(x.shape[i]), strides.push_back(x.strides[i]);
  }
  return make_view(x, std::move(shape), std::move(strides));
}

Tensor move_to_end(const char* op, const Tensor& x, int axis) {
  Dims axes;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) axes.push_back(i);
  axes.push_back(axis);
  return permute(op, x, axes);
}

// Returns the summed axes, counted from 0. Fails unless these axes are in range and distinct.
Dims contracted(const char* op, const Tensor& x, const Dims& axes) {
  Dims result;
  for (int64_t given : axes) {
    const int axis = checked_axis(op, given, x.rank());
    if (std::find(result.begin(), result.end(), axis) != result.end())
      fail(Status::invalid_argument, op, ": axis ", axis, " is given twice");
    result.push_back(axis);
  }
  return result;
}

Dims others(const Tensor& x, const Dims& axes) {
  Dims result;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) result.push_back(i);
  return result;
}

Dims joined(const Dims& a, const Dims& b) {
  Dims result = a;
  for (int64_t v : b) result.push_back(v);
  return result;
}

Dims sizes_of(const Tensor& x, const Dims& axes) {
  Dims result;
  for (int64_t axis : axes) result.push_back(x.shape[static_cast<int>(axis)]);
  return result;
}

// Adds the bias, if given, to the sums, and rounds the result to `dtype`. The function adds the bias in the type of the
// sums.
Tensor add_bias(const char* op, const Tensor& sums, const Tensor* bias, DType dtype) {
  if (bias) add_in_place(sums, as_type(op, *bias, sums.dtype));
  return as_type(op, sums, dtype);
}

// Checks the bias of a layer. Returns the element type of the layer's result, which is the common type of the layer's
// operands.
DType layer_type(const char* op, DType dtype, const Tensor* bias, int64_t features) {
  if (!bias) return dtype;
  check_alive(op, *bias);
  if (bias->shape != Dims{features})
    fail(Status::dimensions_mismatch, op, ": bias has shape ", bias->shape, ", but the weight has ", features,
         " output features");
  DType result;
  if (!promote(dtype, bias->dtype, result))
    fail(Status::type_mismatch, op, ": ", name(dtype), " and ", name(bias->dtype), " have no common type");
  return result;
}

}  // namespace

Tensor tensordot(const char* op, const Tensor& a, const Tensor& b, const Dims& axes_a, const Dims& axes_b,
                 std::optional<DType> dtype) {
  check_alive(op, a);
  check_alive(op, b);
  if (axes_a.size() != axes_b.size())
    fail(Status::dimensions_mismatch, op, ": axes ", axes_a, " and ", axes_b, " differ in number");
  const Dims summed_a = contracted(op, a, axes_a), summed_b = contracted(op, b, axes_b);
  const Dims sizes = sizes_of(a, summed_a);
  if (sizes != sizes_of(b, summed_b))
    fail(Status::dimensions_mismatch, op, ": shapes ", a.shape, " and ", b.shape, " differ along axes ", summed_a,
         " and ", summed_b);
  const Dims kept_a = others(a, summed_a), kept_b = others(b, summed_b);
  if (kept_a.size() + kept_b.size() > max_rank)
    fail(Status::dimensions_mismatch, op, ": the result would have ", kept_a.size() + kept_b.size(),
         " dimensions, more than the ", max_rank, " supported");
  const Dims rows = sizes_of(a, kept_a), columns = sizes_of(b, kept_b), shape = joined(rows, columns);
  // If a summed size is 0, the other sizes may be so large that the products below overflow. The code therefore checks
  // the size of the result first.
  const DType common = common_type(op, a, b), result = dtype.value_or(common);
  checked_size(op, shape, result);
  const int64_t k = product(sizes);
  const Tensor left = reshape(op, permute(op, a, joined(kept_a, summed_a)), {product(rows), k});
  const Tensor right = reshape(op, permute(op, b, joined(summed_b, kept_b)), {k, product(columns)});
  return *reshape_view(result == common ? matmul(op, left, right) : matmul_as(op, left, right, result), shape);
}

Tensor dot(const Tensor& a, const Tensor& b, std::optional<DType> dtype) {
  const char* op = "dot";
  check_alive(op, a);
  check_alive(op, b);
  const DType common = common_type(op, a, b), result = dtype.value_or(common);
  if (a.rank() == 0 || b.rank() == 0) {
    if (result == common) return apply(Operation::multiply, a, b);
    const DType wide = sums_type(op, common, result);
    return as_type(op, apply(Operation::multiply, as_type(op, a, wide), as_type(op, b, wide)), result);
  }
  if (a.rank() == 1 && b.rank() == 1) return result == common ? matmul(op, a, b) : matmul_as(op, a, b, result);
  return tensordot(op, a, b, {-1}, {b.rank() == 1 ? -1 : -2}, dtype);
}

Tensor vecdot(const Tensor& a, const Tensor& b, int64_t axis) {
  const char* op = "vecdot";
  check_alive(op, a);
  check_alive(op, b);
  Tensor x = move_to_end(op, a, checked_axis(op, axis, a.rank()));
  const Tensor y = move_to_end(op, b, checked_axis(op, axis, b.rank()));
  if (last(x) != last(y))
    fail(Status::dimensions_mismatch, op, ": shapes ", a.shape, " and ", b.shape, " differ along axis ", axis);
  common_type(op, a, b);
  if (is_complex(x.dtype)) {
    if (x.rank() == 1 && y.rank() == 1 && x.dtype == y.dtype && x.size > 0) {
      const Tensor sum = make_empty(op, {}, x.dtype);
      inner_product(op, x, y, sum.data, true);
      return sum;
    }
    const Operand operand[] = {{&x, {}}};
    x = elementwise(Operation::conj, operand);
  }
  const Tensor sums = matmul(op, insert_axis(op, x, x.rank() - 1), insert_axis(op, y, y.rank()));
  Dims shape = sums.shape;
  shape.resize(sums.rank() - 2, 0);
  return *reshape_view(sums, shape);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_alive("outer", a);
  check_alive("outer", b);
  if (a.rank() != 1 || b.rank() != 1)
    fail(Status::dimensions_mismatch, "outer: operands of shapes ", a.shape, " and ", b.shape, " are not vectors");
  common_type("outer", a, b);
  return apply(Operation::multiply, insert_axis("outer", a, 1), b);
}

Tensor cross(const Tensor& a, const Tensor& b, int64_t axis) {
  const char* op = "cross";
  for (const Tensor* x : {&a, &b}) {
    check_alive(op, *x);
    if (x->dtype == DType::boolean || x->dtype == DType::string)
      fail(Status::type_mismatch, op, ": element type ", name(x->dtype), " is not one of integer, floating, complex");
  }
  const DType common = common_type(op, a, b), working = is_half(common) ? DType::float32 : common;
  const Dims shape = broadcast(op, a.shape, b.shape);
  const int along = checked_axis(op, axis, shape.size()), from_end = shape.size() - along;
  for (const Tensor* x : {&a, &b})
    if (x->rank() == 0 || x->shape[std::max(x->rank() - from_end, 0)] != 3)
      fail(Status::dimensions_mismatch, op, ": shapes ", a.shape, " and ", b.shape, " are not of size 3 along axis ",
           axis);
  const auto part = [&](const Tensor& x, int i) {
    Dims sizes, strides;
    for (int k = 0; k < x.rank(); ++k)
      if (k != along) sizes.push_back(x.shape[k]), strides.push_back(x.strides[k]);
    return make_view(x, std::move(sizes), std::move(strides), i * x.strides[along]);
  };
  const Tensor x = expand(op, as_type(op, a, working), shape), y = expand(op, as_type(op, b, working), shape);
  const Tensor result = make_empty(op, shape, working);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Tensor target = part(result, i);
    apply(Operation::multiply, part(x, j), part(y, k), &target);
    apply(Operation::subtract, target, apply(Operation::multiply, part(x, k), part(y, j)), &target);
  }
  return as_type(op, result, common);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias, std::optional<DType> dtype) {
  const char* op = "linear";
  check_alive(op, x);
  check_alive(op, weight);
  if (x.rank() == 0 || weight.rank() != 2 || last(x) != last(weight))
    fail(Status::dimensions_mismatch, op, ": shapes ", x.shape, " and ", weight.shape,
         " are not (…, in) and (out, in)");
  const DType common = common_type(op, x, weight), layer = layer_type(op, common, bias, weight.shape[0]);
  const DType result = dtype.value_or(layer), sums = working_type(common);
  (void)sums_type(op, layer, result);
  if (working_type(result) == sums) {
    const Tensor start = bias ? as_type(op, *bias, sums) : Tensor{};
    return as_type(op, matmul(op, x, swap_last(weight), nullptr, Rounding::none, bias ? &start : nullptr), result);
  }
  return matmul_as(op, x, swap_last(weight), result, nullptr, bias);
}

Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor* bias) {
  const char* op = "bilinear";
  constexpr int64_t scratch = 1 << 19;  // the number of elements of scratch memory
  for (const Tensor* x : {&x1, &x2, &weight}) check_alive(op, *x);
  const auto leading = [](const Tensor& x) {
    Dims sizes = x.shape;
    sizes.resize(x.rank() - 1, 0);
    return sizes;
  };
  if (x1.rank() == 0 || x2.rank() == 0 || weight.rank() != 3 || last(x1) != weight.shape[1] ||
      last(x2) != weight.shape[2] || leading(x1) != leading(x2))
    fail(Status::dimensions_mismatch, op, ": shapes ", x1.shape, ", ", x2.shape, " and ", weight.shape,
         " are not (…, in1), (…, in2) and (out, in1, in2)");
  const int64_t features = weight.shape[0], in1 = last(x1), in2 = last(x2);
  DType dtype = common_type(op, x1, x2);
  if (!promote(dtype, weight.dtype, dtype))
    fail(Status::type_mismatch, op, ": ", name(dtype), " and ", name(weight.dtype), " have no common type");
  dtype = layer_type(op, dtype, bias, features);
  const DType work = working_type(dtype);
  Dims shape = leading(x1);
  shape.push_back(features);
  const Tensor sums = make_empty(op, shape, work);
  const int64_t rows = features ? sums.size / features : 0;
  if (sums.size && in1 * in2 == 0) fill(op, sums, Scalar::of(false));
  if (sums.size && in1 * in2 != 0) {
    const Tensor left = reshape(op, as_type(op, x1, work), {rows, in1});
    const Tensor right = reshape(op, as_type(op, x2, work), {rows, in2, 1});
    const Tensor by_input = reshape(op, permute(op, as_type(op, weight, work), {1, 0, 2}), {in1, features * in2});
    const Tensor flat = *reshape_view(sums, {rows, features, 1});
    const int64_t step = std::max<int64_t>(1, scratch / (features * in2));
    const auto rows_of = [&](const Tensor& x, int64_t from) {
      Dims part = x.shape;
      part[0] = std::min(step, rows - from);
      return make_view(x, part, x.strides, from * x.strides[0]);
    };
    for (int64_t i = 0; i < rows; i += step) {
      const Tensor products = matmul(op, rows_of(left, i), by_input), target = rows_of(flat, i);
      matmul(op, *reshape_view(products, {products.shape[0], features, in2}), rows_of(right, i), &target);
    }
  }
  return add_bias(op, sums, bias, dtype);
}

}  // namespace suanzi::products
