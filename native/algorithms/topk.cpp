// topk: the first k elements of each row in order, without ordering the rest.
//
// A row is read once. What is below the bound, the greatest of the k best keys so far, joins the candidates; when these
// have become many, they are ordered, the k best stay, and the last of them is the new bound. Later elements with the
// bound's own key cannot win, since of equal ones the first count.
#include <memory>

#include "algorithms/order.h"
#include "algorithms/rows.h"
#include "algorithms/sort_keys.h"
#include "algorithms/sorting.h"
#include "algorithms/take.h"

namespace suanzi {
namespace {

const SortingKernels& sorting() { return kernels().sorting; }

// The best of the elements offered so far. Those of one key are in the order of their indices.
class Candidates {
 public:
  explicit Candidates(int64_t k) : k_(k), capacity_(std::max<int64_t>(4 * k, 1024)) {
    const int64_t room = capacity_ + key_tile;
    keys_ = memory_.take<uint64_t>(5 * room);
    indices_ = keys_ + room;
    order_ = indices_ + room;
    spare_ = order_ + room;
    scratch_ = spare_ + room;
  }

  // Elements [start, start + count) of the row by their keys, at most key_tile of them.
  template <class Key>
  void offer(const Key* keys, int64_t start, int64_t count) {
    constexpr int64_t vector = 64 / sizeof(Key);
    alignas(64) Key chosen[key_tile + vector], positions[key_tile + vector];
    // Until there are k, there is no bound, and all are chosen.
    const int64_t found =
        bounded_ ? sorting().of<Key>().below(chosen, positions, keys, count, static_cast<Key>(bound_)) : count;
    for (int64_t i = 0; i < found; ++i) {
      keys_[size_ + i] = bounded_ ? chosen[i] : keys[i];
      indices_[size_ + i] = static_cast<uint64_t>(start + (bounded_ ? static_cast<int64_t>(positions[i]) : i));
    }
    size_ += found;
    if (size_ > capacity_) reduce();
  }

  // Candidates from further on in the row.
  void offer(const Candidates& later) {
    for (int64_t i = 0; i < later.size_; i += key_tile) {
      const int64_t count = std::min(key_tile, later.size_ - i);
      std::copy_n(later.keys_ + i, count, keys_ + size_);
      std::copy_n(later.indices_ + i, count, indices_ + size_);
      size_ += count;
      if (size_ > capacity_) reduce();
    }
  }

  // Orders the candidates and keeps the best k.
  void reduce() {
    order_keys(order_, scratch_, keys_, size_);
    size_ = std::min(size_, k_);
    for (uint64_t** values : {&keys_, &indices_}) {
      for (int64_t i = 0; i < size_; ++i) spare_[i] = (*values)[order_[i]];
      std::swap(*values, spare_);
    }
    bounded_ = size_ == k_;
    if (bounded_) bound_ = keys_[k_ - 1];
  }

  const uint64_t* indices() const { return indices_; }

 private:
  int64_t k_, capacity_, size_ = 0;
  bool bounded_ = false;
  uint64_t bound_ = 0;
  Scratch memory_;
  uint64_t *keys_, *indices_, *order_, *spare_, *scratch_;
};

// Finds the indices of the k best elements of rows of one type.
class Selector {
 public:
  Selector(DType type, int64_t k, bool largest, bool sorted)
      : type_(type), k_(k), sorted_(sorted), order_{Keys::equal, largest}, orderer_(type, largest) {}

  void operator()(int64_t* indices, const std::byte* row, int64_t n) {
    if (is_complex(type_) || k_ > n / 8) {
      auto* const order = order_memory_.take<uint64_t>(n);
      orderer_(order, row, n);
      std::copy_n(order, k_, indices);
    } else if (key_bytes(type_) == 4) {
      select<uint32_t>(indices, row, n);
    } else {
      select<uint64_t>(indices, row, n);
    }
    if (!sorted_) std::sort(indices, indices + k_);
  }

 private:
  template <class Key>
  void select(int64_t* indices, const std::byte* row, int64_t n) {
    const auto encode = sorting().encode[static_cast<int>(type_)];
    const int64_t chunks = std::clamp<int64_t>(n / many_keys, 1, num_threads());
    std::vector<std::unique_ptr<Candidates>> found(static_cast<size_t>(chunks));
    parallel_for(chunks, [&](int64_t chunk) {
      auto mine = std::make_unique<Candidates>(k_);
      alignas(64) Key keys[key_tile];
      const int64_t end = n * (chunk + 1) / chunks;
      for (int64_t start = n * chunk / chunks; start < end; start += key_tile) {
        const int64_t count = std::min(key_tile, end - start);
        encode(keys, row + start * size_of(type_), count, order_);
        mine->offer(keys, start, count);
      }
      found[static_cast<size_t>(chunk)] = std::move(mine);
    });
    Candidates& best = *found[0];
    for (size_t i = 1; i < found.size(); ++i) best.offer(*found[i]);
    best.reduce();
    std::copy_n(best.indices(), k_, indices);
  }

  DType type_;
  int64_t k_;
  bool sorted_;
  KeyOrder order_;
  Orderer orderer_;
  Scratch order_memory_;
};

}  // namespace

TopK topk(const Tensor& x, int64_t k, int64_t axis, bool largest, bool sorted) {
  check_alive("topk", x);
  check_ordered("topk", x.dtype);
  const int along = checked_axis("topk", axis, std::max(x.rank(), 1));
  const int64_t n = x.rank() ? x.shape[along] : 1;
  if (k < 0 || k > n) fail(Status::out_of_range, "topk: k ", k, " is outside [0, ", n, "] along axis ", along);
  Dims shape = x.shape;
  // A scalar is a row of one element, but its shape has no place for a k of 0.
  if (x.rank()) {
    shape[along] = k;
  } else if (k == 0) {
    shape.push_back(0);
  }
  const TopK result{make_empty("topk", shape, x.dtype), make_empty("topk", shape, DType::int64)};
  if (result.values.size == 0) return result;
  const Dims order = Rows::walking_order(x, along);
  const Rows rows[] = {Rows(x, along, order), Rows(result.values, along, order), Rows(result.indices, along, order)};
  for_each_row(rows, [&] {
    return [&, selector = Selector(x.dtype, k, largest, sorted)](std::byte* const* row) mutable {
      auto* const indices = reinterpret_cast<int64_t*>(row[2]);
      selector(indices, row[0], n);
      take_elements(row[1], row[0], indices, k, size_of(x.dtype));
    };
  });
  return result;
}

}  // namespace suanzi
