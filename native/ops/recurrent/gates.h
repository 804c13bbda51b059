// The gates of one row of a step. The gates are functions of consecutive elements, which stay in a core's own cache.
#pragma once

#include <cmath>

#include "ops/elementwise/on_rows.h"
#include "ops/recurrent/recurrent.h"

namespace suanzi::recurrent {

// The memory of one thread for a row.
template <class T>
struct Spare {
  T* row;
  bool* truth;
};

template <class T>
void apply(const GateFunction& function, double clip, T* x, int64_t n, const Spare<T>& spare) {
  using On = OnRows<T>;
  const double alpha = function.alpha, beta = function.beta;
  if (std::isfinite(clip)) On::run(Operation::clip, x, {x, -clip, clip}, n);
  // Keeps x where a condition is true, and replaces x by `other` elsewhere.
  const auto kept_where = [&](Operation condition, double bound, typename On::Term other) {
    On::run(condition, spare.truth, {x, bound}, n);
    On::run(Operation::where, x, {static_cast<const bool*>(spare.truth), x, other}, n);
  };
  T* const other = spare.row;
  switch (function.kind) {
    case Activation::affine:
      return On::run(Operation::multiply_add, x, {x, alpha, beta}, n);
    case Activation::elu:
      On::run(Operation::expm1, other, {x}, n);
      On::run(Operation::multiply, other, {other, alpha}, n);
      return kept_where(Operation::greater_equal, 0, other);
    case Activation::hard_sigmoid:
      On::run(Operation::multiply_add, x, {x, alpha, beta}, n);
      return On::run(Operation::clip, x, {x, 0.0, 1.0}, n);
    case Activation::leaky_relu:
      On::run(Operation::multiply, other, {x, alpha}, n);
      return kept_where(Operation::greater_equal, 0, other);
    case Activation::relu:
      return On::run(Operation::maximum, x, {x, 0.0}, n);
    case Activation::scaled_tanh:
      On::run(Operation::multiply, x, {x, beta}, n);
      On::run(Operation::tanh, x, {x}, n);
      return On::run(Operation::multiply, x, {x, alpha}, n);
    // If the power overflows, the result is 0, and the exact result is less than the least positive normal number.
    case Activation::sigmoid:
      On::run(Operation::negative, x, {x}, n);
      On::run(Operation::exp, x, {x}, n);
      On::run(Operation::add, x, {x, 1.0}, n);
      return On::run(Operation::reciprocal, x, {x}, n);
    case Activation::softplus:
      On::run(Operation::abs, other, {x}, n);
      On::run(Operation::negative, other, {other}, n);
      On::run(Operation::exp, other, {other}, n);
      On::run(Operation::log1p, other, {other}, n);
      On::run(Operation::maximum, x, {x, 0.0}, n);
      return On::run(Operation::add, x, {x, other}, n);
    case Activation::softsign:
      On::run(Operation::abs, other, {x}, n);
      On::run(Operation::add, other, {other, 1.0}, n);
      return On::run(Operation::true_divide, x, {x, other}, n);
    case Activation::tanh:
      return On::run(Operation::tanh, x, {x}, n);
    case Activation::thresholded_relu:
      return kept_where(Operation::greater_equal, alpha, 0.0);
  }
}

}  // namespace suanzi::recurrent
