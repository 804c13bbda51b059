// A Stack numbers the matrices in a tensor's last two dimensions in the order of a walk over a common batch.
#pragma once

#include "ops/product/matrix.h"
#include "walk/iteration.h"

namespace suanzi::products {

struct Stack {
  Matrix first;
  walk::Path path;

  // `batch` is the broadcast shape of the operands' other dimensions, and `order` is the order of the walk.
  Stack(const Tensor& x, const Dims& batch, const Dims& order)
      : first(Matrix::of(x)), path(walk::make_path(batch, order, walk::View::broadcast(x, batch, 2))) {}
  Matrix at(const Tensor& x, int64_t number) const { return first.at(x.data + walk::Cursor(path, number).offset()); }
};

}  // namespace suanzi::products
