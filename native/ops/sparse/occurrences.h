// The positions of numbers in a list. Selection by an index uses these positions.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "ops/sort/sort.h"
#include "ops/sparse/buckets.h"
#include "tensor/tensor.h"

namespace suanzi::sparse {

// Returns the elements of x (int64) at the positions in `order` (int64).
inline Tensor pick(const Tensor& x, const Tensor& order) {
  const Tensor result = make_empty("sort", {order.size}, DType::int64);
  for (int64_t i = 0; i < order.size; ++i) result.as<int64_t>()[i] = x.as<int64_t>()[order.as<int64_t>()[i]];
  return result;
}

// The positions of each index in a list, in order. The class uses a table if the table is not much longer than the list
// and the work, and a search otherwise.
class Occurrences {
 public:
  Occurrences(const char* op, const Tensor& list, int64_t size, int64_t work) {
    const auto* wanted = list.as<int64_t>();
    if (size <= 4 * (work + list.size) && list.size <= std::numeric_limits<int32_t>::max()) {
      bounds_ = make_empty(op, {size + 1}, DType::int64);
      order_ = make_empty(op, {list.size + 1}, DType::int64);  // the additional entry is for numbers that do not occur
      order_.as<int64_t>()[list.size] = 0;
      auto* const order = order_.as<int64_t>();
      distribute(
          list.size, size, bounds_.as<int64_t>(), [=](int64_t i) { return wanted[i]; },
          [=](int64_t) { return [=](int64_t place, int64_t i) { order[place] = i; }; });
    } else {
      order_ = argsort(list, 0, false);
      sorted_ = pick(list, order_);
    }
  }
  std::span<const int64_t> of(int64_t index) const {
    const auto* order = order_.as<int64_t>();
    if (tabled()) return {order + bounds()[index], order + bounds()[index + 1]};
    const auto* first = sorted_.as<int64_t>();
    const auto [low, high] = std::equal_range(first, first + sorted_.size, index);
    return {order + (low - first), order + (high - first)};
  }
  // If tabled() is true, the positions of an index are order()[bounds()[index]] … order()[bounds()[index + 1] - 1]. A
  // caller may read the first entry even if the index has no positions.
  bool tabled() const { return static_cast<bool>(bounds_.storage); }
  const int64_t* bounds() const { return bounds_.as<int64_t>(); }
  const int64_t* order() const { return order_.as<int64_t>(); }

 private:
  Tensor order_, bounds_, sorted_;
};

}  // namespace suanzi::sparse
