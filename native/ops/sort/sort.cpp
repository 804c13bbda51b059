// The operators sort and argsort, which choose the algorithm for a row by its element type and length.
#include <functional>
#include <tuple>

#include "ops/indexing/take.h"
#include "ops/sort/counting.h"
#include "ops/sort/order.h"
#include "ops/sort/sort.h"
#include "ops/sort/sort.kernels.h"
#include "ops/sort/sort_keys.h"
#include "walk/copy.h"
#include "walk/rows.h"

namespace suanzi {
namespace {

// Sorts rows of one element type. Keys are exact, so the order of keys is the order of elements, except for zeros and
// NaNs. At the end, the sorter restores the order of zeros and NaNs in the row.
class RowSorter {
 public:
  RowSorter(DType type, bool descending)
      : type_(type),
        size_(size_of(type)),
        order_{Keys::exact, descending},
        encode_(sorting().encode[static_cast<int>(type)]),
        decode_(sorting().decode[static_cast<int>(type)]) {}

  void operator()(std::byte* out, const std::byte* in, int64_t n) {
    // The code counts patterns if a row has at least counted_bytes elements of one byte, or at least counted_halves
    // elements of two bytes. For these rows, counts are faster than keys.
    using namespace costs;
    if (is_complex(type_) || type_ == DType::string) return sort_by_order(out, in, n);
    if (size_ <= 2 && n >= (size_ == 1 ? counted_bytes : counted_halves)) {
      sort_by_counting(out, in, n);
    } else if (size_ == 8) {
      sort_by_keys<uint64_t>(out, in, n);
    } else {
      sort_by_keys<uint32_t>(out, in, n);
    }
    if (is_floating(type_)) restore_order(out, in, n);
  }

 private:
  template <class Key>
  void sort_by_keys(std::byte* out, const std::byte* in, int64_t n) {
    // If the keys fit the memory of the result, this memory is the second buffer.
    const bool fits = size_ == sizeof(Key);
    Key* const work = scratch_.take<Key>(fits ? n : 2 * n);
    Key* const other = fits ? reinterpret_cast<Key*>(out) : work + n;
    if (n < many_keys) {
      encode_(other, in, n, order_);
      sorting().of<Key>().sort(other, work, n, n);
      return decode_(out, other, n, order_.descending);
    }
    sort_many(
        n, [&](Key* tile, int64_t start, int64_t count) { encode_(tile, in + start * size_, count, order_); }, work,
        other,
        [&](int64_t start, const Key* keys, int64_t count) {
          decode_(out + start * size_, keys, count, order_.descending);
        });
  }

  void sort_by_counting(std::byte* out, const std::byte* in, int64_t n) {
    if (size_ == 1) {
      count_and_fill<uint8_t>(out, in, n);
    } else {
      count_and_fill<uint16_t>(out, in, n);
    }
  }

  template <class Bits>
  void count_and_fill(std::byte* out, const std::byte* in, int64_t n) {
    constexpr int64_t patterns = PatternCounts<Bits>::patterns;
    auto* const target = reinterpret_cast<Bits*>(out);
    auto& counts = std::get<PatternCounts<Bits>>(counts_);
    counts.count(reinterpret_cast<const Bits*>(in), n);
    // The pattern of each rank, and the position at which its elements begin.
    auto* const begin = scratch_.take<int64_t>(2 * patterns + 1);
    auto* const pattern = reinterpret_cast<Bits*>(begin + patterns + 1);
    patterns_in_order(pattern, type_, order_.descending);
    begin[0] = 0;
    for (int64_t rank = 0; rank < patterns; ++rank) begin[rank + 1] = begin[rank] + counts.of(pattern[rank]);
    const int64_t pieces = counts.chunks() == 1 ? 1 : 16;
    parallel_for(pieces, [&](int64_t piece) {
      for (int64_t rank = patterns * piece / pieces; rank < patterns * (piece + 1) / pieces; ++rank)
        std::fill(target + begin[rank], target + begin[rank + 1], pattern[rank]);
    });
  }

  void sort_by_order(std::byte* out, const std::byte* in, int64_t n) {
    auto* const order = scratch_.take<uint64_t>(n);
    orderer_(order, in, n);
    take_elements(out, in, order, n, static_cast<int>(size_));
  }

  // Restores the order of elements that are equal but have different bits (zeros, NaNs). In the sorted row, these
  // elements are together in the order of their bits. The function copies these elements again from the row. The
  // function copies at most as many of these elements as the sorted row has, even if another thread has added more to
  // the row.
  void restore_order(std::byte* out, const std::byte* in, int64_t n) const {
    switch (type_) {
      case DType::float16:
        return restore<uint16_t>(out, in, n, 0x7c00);
      case DType::bfloat16:
        return restore<uint16_t>(out, in, n, 0x7f80);
      case DType::float32:
        return restore<uint32_t>(out, in, n, 0x7f800000);
      default:
        return restore<uint64_t>(out, in, n, 0x7ff0000000000000);
    }
  }

  template <class Bits>
  void restore(std::byte* out, const std::byte* in, int64_t n, Bits infinity) const {
    const auto magnitude = [](Bits b) { return static_cast<Bits>(b & static_cast<Bits>(~Bits{0}) >> 1); };
    const auto nan = [&](Bits b) { return magnitude(b) > infinity; };
    const auto zero = [&](Bits b) { return magnitude(b) == 0; };
    auto* const first = reinterpret_cast<Bits*>(out);
    auto* const last = first + n;
    const auto* const source = reinterpret_cast<const Bits*>(in);
    const auto restore_run = [&](Bits* begin, Bits* end, const auto& belongs) {
      if (begin == end || *begin == end[-1]) return;
      for (int64_t i = 0; i < n && begin != end; ++i)
        if (const Bits bits = source[i]; belongs(bits)) *begin++ = bits;
    };
    // Most rows have no zeros, so the search for the place of zeros must be fast, and has no branches.
    const auto before_zero = [&](Bits b) {
      return ((int{nan(b)} | int{b == magnitude(b)}) == int{order_.descending}) & int{!zero(b)};
    };
    Bits* zeros = first;
    for (int64_t left = n; left > 0;) {
      const int64_t half = (left + 1) / 2;
      zeros += half & -static_cast<int64_t>(before_zero(zeros[half - 1]));
      left -= half;
    }
    if (zeros != last && zero(*zeros)) restore_run(zeros, std::partition_point(zeros, last, zero), zero);
    if (order_.descending) {
      restore_run(first, std::partition_point(first, last, nan), nan);
    } else if (nan(last[-1])) {
      restore_run(std::partition_point(first, last, std::not_fn(nan)), last, nan);
    }
  }

  DType type_;
  int64_t size_;
  KeyOrder order_;
  void (*encode_)(void*, const void*, int64_t, KeyOrder);
  void (*decode_)(void*, const void*, int64_t, bool);
  Scratch scratch_;
  std::tuple<PatternCounts<uint8_t>, PatternCounts<uint16_t>> counts_;
  Orderer orderer_{type_, order_.descending};
};

// The common part of sort and argsort. `make_body` creates the body that fills the rows of the result from the rows of
// x.
template <class MakeBody>
Tensor along_axis(const char* op, const Tensor& operand, int64_t axis, DType result_type, MakeBody make_body) {
  const Tensor x = comparable(op, operand);
  const int along = x.rank() ? checked_axis(op, axis, x.rank()) : checked_axis(op, axis, 1);
  const Tensor result = make_empty_like(op, x.shape, result_type, x);
  if (x.size == 0) return result;
  const Dims order = Rows::walking_order(x, along);
  const Rows rows[] = {Rows(x, along, order), Rows(result, along, order)};
  const int64_t n = rows[0].length();
  for_each_row(rows,
               [&] { return [body = make_body(), n](std::byte* const* row) mutable { body(row[1], row[0], n); }; });
  return result;
}

}  // namespace

void check_ordered(const char* op, DType type) {
  if (type != DType::string && !sorting().encode[static_cast<int>(type)])
    fail(Status::type_mismatch, op, ": element type ", name(type), " has no order");
}

Tensor comparable(const char* op, const Tensor& x) {
  check_alive(op, x);
  check_ordered(op, x.dtype);
  if (x.dtype != DType::boolean) return x;
  Tensor truth = cast(op, x, DType::uint8);
  truth.dtype = DType::boolean;
  return truth;
}

Tensor sort(const Tensor& x, int64_t axis, bool descending) {
  const Tensor result = along_axis("sort", x, axis, x.dtype, [&] { return RowSorter(x.dtype, descending); });
  keep_referents(result, x);
  return result;
}

Tensor argsort(const Tensor& x, int64_t axis, bool descending) {
  return along_axis("argsort", x, axis, DType::int64, [&] {
    return [orderer = Orderer(x.dtype, descending)](std::byte* out, const std::byte* in, int64_t n) mutable {
      orderer(reinterpret_cast<uint64_t*>(out), in, n);
    };
  });
}

}  // namespace suanzi
