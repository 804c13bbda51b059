#include "ops/sparse/merge.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/element_size.h"
#include "kernels/kernel.h"
#include "ops/sparse/blocks.h"
#include "ops/sparse/ranges.h"
#include "ops/sparse/sparse.kernels.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

// The code merges two ascending sequences once, into a byte for each place of the union. The byte states which
// sequences have an element at the place. From these bytes, the code then computes the tensors of the result, one after
// the other.
using Who = uint8_t;
constexpr Who first = 1, second = 2, shared = first | second;

// The parts of the two sequences that are merged separately. A part is a row, or a range of coordinates. a(part) and
// b(part) are the starts of a part in the two sequences. room(part) is the start of the memory for the part's bytes.
struct Parts {
  Tensor a_starts, b_starts;  // int64 tensors with one entry more than parts
  int64_t count() const { return a_starts.size - 1; }
  int64_t a(int64_t part) const { return a_starts.as<int64_t>()[part]; }
  int64_t b(int64_t part) const { return b_starts.as<int64_t>()[part]; }
  int64_t room(int64_t part) const { return a(part) + b(part); }
};

// The keys of places that the code compares as single numbers.
template <class Key>
struct Plain {
  const Key *a, *b;
  bool up_to(int64_t i, int64_t j) const { return a[i] <= b[j]; }
  bool from(int64_t i, int64_t j) const { return a[i] >= b[j]; }
};

// The keys of places in a shape with more places than int64 can number. The code compares the coordinates of two places
// axis by axis.
template <class Index>
struct Rowwise {
  const Pattern &a, &b;
  int compare(int64_t i, int64_t j) const {
    for (int axis = 0; axis < a.rank(); ++axis) {
      const Index x = a.row<Index>(axis)[i], y = b.row<Index>(axis)[j];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  }
  bool up_to(int64_t i, int64_t j) const { return compare(i, j) <= 0; }
  bool from(int64_t i, int64_t j) const { return compare(i, j) >= 0; }
};

// Writes the bytes of a[i, i_end) and b[j, j_end), and returns the end of the written bytes. The merge works from both
// ends of the sequences at the same time, because the steps at the two ends do not depend on each other. The steps have
// no branches on the keys, because the processor cannot predict which sequence has the next element.
template <class Keys>
Who* merge_part(const Keys keys, int64_t i, int64_t i_end, int64_t j, int64_t j_end, Who* out) {
  Who* const end = out + (i_end - i) + (j_end - j);
  Who* back = end;
  while (i < i_end && j < j_end) {
    const bool in_a = keys.up_to(i, j), in_b = keys.from(i, j);
    *out++ = static_cast<Who>(in_a | in_b << 1);
    i += in_a;
    j += in_b;
    if (i == i_end || j == j_end) break;
    const bool last_a = keys.from(i_end - 1, j_end - 1), last_b = keys.up_to(i_end - 1, j_end - 1);
    *--back = static_cast<Who>(last_a | last_b << 1);
    i_end -= last_a;
    j_end -= last_b;
  }
  out = std::fill_n(out, i_end - i, first);
  out = std::fill_n(out, j_end - j, second);
  if (out < back) std::memmove(out, back, static_cast<size_t>(end - back));
  return out + (end - back);
}

// Merged bytes, and the places of each part in the result.
struct Plan {
  Tensor who;     // the bytes (uint8), where the bytes of a part begin at room(part)
  Tensor counts;  // the number of bytes of each part (int64)
  Tensor starts;  // the starts of the parts (int64), and the end of the last part
};

template <class Keys>
Plan plan_of(const char* op, const Keys& keys, const Parts& parts, bool both) {
  const int64_t n = parts.count(), most = parts.room(n);
  Plan plan{make_empty(op, {most}, DType::uint8), make_empty(op, {n}, DType::int64),
            make_empty(op, {n + 1}, DType::int64)};
  auto *const counts = plan.counts.as<int64_t>(), *const starts = plan.starts.as<int64_t>();
  starts[0] = 0;
  share_elements(n, most, [&](int64_t from, int64_t to) {
    for (int64_t part = from; part < to; ++part) {
      Who* const begin = plan.who.as<Who>() + parts.room(part);
      const Who* const end =
          merge_part(keys, parts.a(part), parts.a(part + 1), parts.b(part), parts.b(part + 1), begin);
      counts[part] = end - begin;
      // The number of places that the two sequences share is the number of elements less the number of bytes.
      const int64_t pairs = parts.room(part + 1) - parts.room(part) - counts[part];
      starts[part + 1] = both ? pairs : counts[part];
    }
  });
  std::partial_sum(starts, starts + n + 1, starts);
  return plan;
}

// Calls body(at, who, count, i, j) for each part. `at` is the part's first place in the result. `who` points to the
// part's `count` bytes. i and j are the part's first elements in the two sequences.
template <class Body>
void for_parts(const Parts& parts, const Plan& plan, const Body& body) {
  share_elements(parts.count(), plan.who.size, [&](int64_t from, int64_t to) {
    for (int64_t part = from; part < to; ++part)
      body(plan.starts.as<int64_t>()[part], plan.who.as<Who>() + parts.room(part), plan.counts.as<int64_t>()[part],
           parts.a(part), parts.b(part));
  });
}

// Writes the elements of one of the two sequences to the places of the result where the sequence has elements. If
// `over` is true, the other places keep their contents. `in` and `out` point to blocks of `bytes` bytes.
void spread(const Parts& parts, const Plan& plan, Who one, bool over, const std::byte* in, std::byte* out,
            int64_t bytes) {
  const bool is_first = one == first, any = (is_first ? parts.a(parts.count()) : parts.b(parts.count())) > 0;
  if (is_element_size(bytes) && bytes < 16) {
    constexpr std::byte nothing[8] = {};
    const SpreadKernel kernel = kernels().sparse->spread[std::countr_zero(static_cast<uint64_t>(bytes))];
    for_parts(parts, plan, [&](int64_t at, const Who* who, int64_t count, int64_t i, int64_t j) {
      kernel(out + at * bytes, count, {who, one, over, any ? in : nothing, is_first ? i : j});
    });
    return;
  }
  const auto size = static_cast<size_t>(bytes);
  for_parts(parts, plan, [&](int64_t at, const Who* who, int64_t count, int64_t i, int64_t j) {
    const std::byte* next = in + (is_first ? i : j) * bytes;
    for (int64_t k = 0; k < count; ++k) {
      std::byte* const to = out + (at + k) * bytes;
      if (who[k] & one) {
        std::memcpy(to, next, size);
        next += bytes;
      } else if (!over) {
        std::memset(to, 0, size);
      }
    }
  });
}

// The indices of the elements at places that the two tensors share. The number of these places is often small.
struct Pairs {
  Tensor first, second;  // the indices (int64) in the two tensors
};

Pairs pairs_of(const char* op, const Parts& parts, const Plan& plan) {
  const int64_t n = plan.starts.as<int64_t>()[parts.count()];
  const Pairs pairs{make_empty(op, {n}, DType::int64), make_empty(op, {n}, DType::int64)};
  for_parts(parts, plan, [&](int64_t at, const Who* who, int64_t count, int64_t i, int64_t j) {
    auto *const from_a = pairs.first.as<int64_t>(), *const from_b = pairs.second.as<int64_t>();
    for (int64_t k = 0; k < count; ++k) {
      const Who mine = who[k];
      if (mine == shared) {
        from_a[at] = i;
        from_b[at++] = j;
      }
      i += mine & first;
      j += mine >> 1;
    }
  });
  return pairs;
}

// Returns a tensor with an element for each place of the result. The elements come from one of the two sequences, and
// are zero where the sequence has no element.
Tensor side_by_side(const char* op, const Parts& parts, const Plan& plan, Who one, const Tensor& values) {
  const Dims shape = block_shape(values, plan.starts.as<int64_t>()[parts.count()]);
  checked_size(op, shape, values.dtype);
  const Tensor x = to_contiguous(op, values), result = make_empty(op, shape, values.dtype);
  if (result.size > 0) spread(parts, plan, one, false, x.data, result.data, block_size(x) * size_of(x.dtype));
  return result;
}

// Divides coordinates into ranges that several threads may merge. The bounds of the parts are positions in a, and the
// corresponding positions in b.
template <class Keys>
Parts stretches(const char* op, const Keys& keys, int64_t n, int64_t m) {
  const int64_t count = range_count(costs::sparse_work(n + m), n);
  Parts parts{make_empty(op, {count + 1}, DType::int64), make_empty(op, {count + 1}, DType::int64)};
  for (int64_t part = 0; part <= count; ++part) {
    const int64_t i = part == count ? n : n / count * part;
    // `a` may be empty.
    int64_t low = 0, high = part == 0 || part == count ? 0 : m;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys.up_to(i, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    parts.a_starts.as<int64_t>()[part] = i;
    parts.b_starts.as<int64_t>()[part] = part == count ? m : low;
  }
  return parts;
}

// Calls call(keys) with the keys by which places are compared.
template <class Index, class Call>
auto with_keys(const char* op, const Pattern& a, const Pattern& b, const Call& call) {
  if (a.rank() == 1) return call(Plain<Index>{a.row<Index>(0), b.row<Index>(0)});
  int64_t places = 1;
  bool numbered = true;
  for (const int64_t size : a.shape) numbered = numbered && !__builtin_mul_overflow(places, size, &places);
  if (!numbered) return call(Rowwise<Index>{a, b});
  const Tensor x = linear_places(op, a, 0, a.rank()), y = linear_places(op, b, 0, b.rank());
  return call(Plain<int64_t>{x.as<int64_t>(), y.as<int64_t>()});
}

}  // namespace

Merged merge(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b, const Tensor& b_values,
             bool both) {
  const bool by_rows = a.format == Format::csr;
  Pattern p = a;
  Parts parts;
  Plan plan;
  Pairs pairs;
  with_index(a, [&]<class Index>() {
    if (by_rows) {
      parts = {a.starts, b.starts};
      plan = plan_of(op, Plain<Index>{a.row<Index>(0), b.row<Index>(0)}, parts, both);
      p.starts = plan.starts;
    } else {
      with_keys<Index>(op, a, b, [&](const auto& keys) {
        parts = stretches(op, keys, a.count(), b.count());
        plan = plan_of(op, keys, parts, both);
      });
    }
    const int64_t n = plan.starts.as<int64_t>()[parts.count()];
    const int axes = by_rows ? 1 : a.rank();
    p.indices = by_rows ? make_empty(op, {n}, a.indices.dtype) : make_empty(op, {axes, n}, a.indices.dtype);
    if (n > INT32_MAX) p.starts_type = DType::int64;
    if (both) pairs = pairs_of(op, parts, plan);
    for (int axis = 0; axis < axes; ++axis) {
      const Index *x = a.row<Index>(axis), *y = b.row<Index>(axis);
      Index* const index = p.indices.as<Index>() + axis * n;
      if (both) {
        const auto* from = pairs.first.as<int64_t>();
        for (int64_t k = 0; k < n; ++k) index[k] = x[from[k]];
      } else {
        auto* const out = reinterpret_cast<std::byte*>(index);
        spread(parts, plan, second, false, reinterpret_cast<const std::byte*>(y), out, sizeof(Index));
        spread(parts, plan, first, true, reinterpret_cast<const std::byte*>(x), out, sizeof(Index));
      }
    }
  });
  if (both) return {std::move(p), carry(op, a_values, {pairs.first, {}}), carry(op, b_values, {pairs.second, {}})};
  return {std::move(p), side_by_side(op, parts, plan, first, a_values),
          side_by_side(op, parts, plan, second, b_values)};
}

}  // namespace suanzi::sparse
