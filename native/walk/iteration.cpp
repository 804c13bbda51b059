#include "walk/iteration.h"

#include <algorithm>

namespace suanzi::walk {

View View::broadcast(const Tensor& x, const Dims& shape, int dropped) {
  View view{x.data, x.dtype, Dims(shape.size(), 0)};
  const int rank = x.rank() - dropped, extra = shape.size() - rank;
  for (int i = 0; i < rank; ++i)
    if (x.shape[i] == shape[i + extra]) view.strides[i + extra] = x.strides[i];
  return view;
}

Dims walking_order(const Dims& shape, const View& view) {
  Dims order;
  for (int i = shape.size() - 1; i >= 0; --i)
    if (shape[i] != 1) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::abs(view.strides[static_cast<int>(a)]) < std::abs(view.strides[static_cast<int>(b)]);
  });
  return order;
}

Dims row_major_order(const Dims& shape) {
  Dims order;
  for (int i = shape.size() - 1; i >= 0; --i) order.push_back(i);
  return order;
}

Path make_path(const Dims& shape, const Dims& order, const View& view) {
  Path path;
  const int64_t element = size_of(view.dtype);
  for (int64_t axis : order) {
    const int64_t size = shape[static_cast<int>(axis)];
    const int64_t step = view.strides[static_cast<int>(axis)] * element;
    if (size == 1) continue;
    if (!path.sizes.empty() && step == path.steps.back() * path.sizes.back()) {
      path.sizes.back() *= size;
    } else {
      path.sizes.push_back(size);
      path.steps.push_back(step);
    }
  }
  return path;
}

}  // namespace suanzi::walk
