#include "ops/search/membership.h"

#include <algorithm>

#include "kernels/kernel.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

// A table with a byte for each integer from the least value to the greatest, and one byte for all other integers.
class Table {
 public:
  // Makes the table from contiguous values that no other thread shares. Returns false if the table would be larger than
  // `limit`.
  template <class Wide>
  bool make(const Wide* values, int64_t count, uint64_t limit) {
    const auto [least, greatest] = std::minmax_element(values, values + count);
    low_ = static_cast<uint64_t>(*least);
    last_ = static_cast<uint64_t>(*greatest) - low_ + 1;
    if (last_ == 0 || last_ > limit) return false;
    found_ = memory_.take<uint8_t>(static_cast<int64_t>(last_) + 1);
    std::fill_n(found_, last_ + 1, uint8_t{0});
    for (int64_t i = 0; i < count; ++i) found_[static_cast<uint64_t>(values[i]) - low_] = 1;
    return true;
  }

  template <class Wide, class T>
  void look_up(uint8_t* out, const T* elements, int64_t n) const {
    for (int64_t i = 0; i < n; ++i)
      out[i] = found_[std::min(static_cast<uint64_t>(static_cast<Wide>(elements[i])) - low_, last_)];
  }

 private:
  Scratch memory_;
  uint8_t* found_ = nullptr;
  uint64_t low_ = 0, last_ = 0;
};

template <class Wide, class... T>
void look_up(const Table& table, const Tensor& result, const Tensor& x) {
  const auto as = [&]<class E>(E) {
    if (x.dtype != dtype_of<E>) return;
    share(9 * x.size, x.size, [&](int64_t first, int64_t last) {
      table.look_up<Wide>(result.as<uint8_t>() + first, x.as<const E>() + first, last - first);
    });
  };
  (as(T{}), ...);
}

}  // namespace

std::optional<Tensor> among_integers(const char* op, const Tensor& x, const Tensor& values) {
  check_alive(op, x);
  check_alive(op, values);
  const bool is_unsigned = x.dtype == DType::uint64;
  if (!is_integer(x.dtype) || !is_integer(values.dtype) || is_unsigned != (values.dtype == DType::uint64)) return {};
  const Tensor wide = to_contiguous(op, cast(op, values, is_unsigned ? DType::uint64 : DType::int64));
  // The limit is the number of bytes that sorted values and places of a search would use.
  const auto limit = sizeof(int64_t) * static_cast<uint64_t>(x.size + values.size);
  Table table;
  if (!(is_unsigned ? table.make(wide.as<uint64_t>(), wide.size, limit)
                    : table.make(wide.as<int64_t>(), wide.size, limit)))
    return {};
  const Tensor result = make_empty(op, x.shape, DType::boolean), row = to_contiguous(op, x);
  if (is_unsigned) {
    look_up<uint64_t, uint64_t>(table, result, row);
  } else {
    look_up<int64_t, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t>(table, result, row);
  }
  return result;
}

}  // namespace suanzi
