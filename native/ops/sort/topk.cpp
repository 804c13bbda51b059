// The operator topk computes the first k elements of each row. If k is more than half of a row, or the elements are
// complex or strings, the operator orders the whole row. Otherwise, the operator does not order the other elements, as
// described below.
//
// The operator computes the key of each element once. Keys below the bound, which is the greatest of the k best keys so
// far, become candidates. If the candidates become many, the operator keeps only the k best candidates, and the
// greatest key of these candidates is the new bound. Later elements with the same key as the bound cannot be in the
// result, because the operator chooses the first elements among equal elements.
#include <numeric>
#include <vector>

#include "ops/indexing/take.h"
#include "ops/sort/order.h"
#include "ops/sort/sort.h"
#include "ops/sort/sort.kernels.h"
#include "ops/sort/sort_keys.h"
#include "walk/rows.h"

namespace suanzi {
namespace {

// The best elements so far, in the order of their indices.
template <class Key>
class Candidates {
 public:
  // Removes all candidates, and sets the number of wanted elements to k.
  void start(int64_t k) {
    k_ = k;
    capacity_ = std::max<int64_t>(2 * k, 1024);
    size_ = 0;
    bounded_ = false;
    constexpr int64_t slack = 64 / sizeof(Key);  // the number of keys after the result that the kernel may overwrite
    const int64_t room = capacity_ + key_tile + slack;
    keys_ = memory_[0].take<Key>(5 * room);
    positions_ = keys_ + room;
    spare_ = positions_ + room;
    scratch_ = spare_ + room;
    indices_ = memory_[1].take<int64_t>(room);
  }

  // Adds the elements [start, start + count) of the row to the candidates, except elements whose keys are not below the
  // bound. `keys` holds the keys of these elements. `count` is at most key_tile.
  void offer(const Key* keys, int64_t start, int64_t count) {
    if (!bounded_) {
      // The first elements become candidates without a test. These elements are enough for a bound that most later
      // elements do not pass.
      const int64_t first = std::min(count, std::max<int64_t>(2 * k_, 128) - size_);
      std::copy_n(keys, first, keys_ + size_);
      std::iota(indices_ + size_, indices_ + size_ + first, start);
      size_ += first;
      if (first == count) return;
      reduce();
      keys += first;
      start += first;
      count -= first;
    }
    const int64_t found = sorting().of<Key>().below(keys_ + size_, positions_, keys, count, bound_);
    for (int64_t i = 0; i < found; ++i) indices_[size_ + i] = start + static_cast<int64_t>(positions_[i]);
    size_ += found;
    if (size_ > capacity_) reduce();
  }

  // Adds the candidates of `later`, which are elements of a later part of the row.
  void offer(const Candidates& later) {
    for (int64_t i = 0; i < later.size_; i += key_tile) {
      const int64_t count = std::min(key_tile, later.size_ - i);
      std::copy_n(later.keys_ + i, count, keys_ + size_);
      std::copy_n(later.indices_ + i, count, indices_ + size_);
      size_ += count;
      if (size_ > capacity_) reduce();
    }
  }

  // Removes all candidates except the k best candidates. The caller must have offered at least k elements.
  void reduce() {
    std::copy_n(keys_, size_, spare_);
    sorting().of<Key>().sort(spare_, scratch_, size_, k_);
    bound_ = spare_[k_ - 1];
    bounded_ = true;
    // Elements whose key is the bound are ties. The function keeps the first `ties` of these elements.
    int64_t ties = k_ - (std::lower_bound(spare_, spare_ + k_, bound_) - spare_);
    int64_t kept = 0;
    for (int64_t i = 0; i < size_; ++i) {
      const bool tie = keys_[i] == bound_;
      const bool keep = keys_[i] < bound_ || (tie && ties > 0);
      ties -= tie;
      keys_[kept] = keys_[i];
      indices_[kept] = indices_[i];
      kept += keep;
    }
    size_ = kept;
  }

  const Key* keys() const { return keys_; }
  const int64_t* indices() const { return indices_; }

 private:
  int64_t k_, capacity_, size_;
  bool bounded_;
  Key bound_ = 0;
  Scratch memory_[2];
  Key *keys_, *positions_, *spare_, *scratch_;
  int64_t* indices_;
};

// Finds the indices of the k best elements of rows of one type.
class Selector {
 public:
  Selector(DType type, int64_t k, bool largest, bool sorted)
      : type_(type), k_(k), sorted_(sorted), order_{Keys::equal, largest}, orderer_(type, largest) {}

  void operator()(int64_t* indices, const std::byte* row, int64_t n) {
    if (is_complex(type_) || type_ == DType::string || k_ > n / 2) {
      auto* const order = memory_.take<uint64_t>(n);
      orderer_(order, row, n);
      std::copy_n(order, k_, indices);
      if (!sorted_) std::sort(indices, indices + k_);
    } else if (key_bytes(type_) == 4) {
      select(narrow_, indices, row, n);
    } else {
      select(wide_, indices, row, n);
    }
  }

 private:
  template <class Key>
  void select(std::vector<Candidates<Key>>& candidates, int64_t* indices, const std::byte* row, int64_t n) {
    const auto encode = sorting().encode[static_cast<int>(type_)];
    const int64_t chunks = std::clamp<int64_t>(n / std::max(many_keys, 4 * k_), 1, num_threads());
    candidates.resize(static_cast<size_t>(chunks));
    parallel_for(chunks, [&](int64_t chunk) {
      Candidates<Key>& mine = candidates[static_cast<size_t>(chunk)];
      mine.start(k_);
      alignas(64) Key keys[key_tile];
      const int64_t end = n * (chunk + 1) / chunks;
      for (int64_t start = n * chunk / chunks; start < end; start += key_tile) {
        const int64_t count = std::min(key_tile, end - start);
        encode(keys, row + start * size_of(type_), count, order_);
        mine.offer(keys, start, count);
      }
    });
    Candidates<Key>& best = candidates[0];
    for (size_t i = 1; i < candidates.size(); ++i) best.offer(candidates[i]);
    best.reduce();
    if (!sorted_) {
      std::copy_n(best.indices(), k_, indices);
      return;
    }
    auto* const order = memory_.take<uint64_t>(3 * k_);
    uint64_t *const keys = order + k_, *const scratch = keys + k_;
    std::copy_n(best.keys(), k_, keys);
    order_keys(order, scratch, keys, k_);
    for (int64_t i = 0; i < k_; ++i) indices[i] = best.indices()[order[i]];
  }

  DType type_;
  int64_t k_;
  bool sorted_;
  KeyOrder order_;
  Orderer orderer_;
  std::vector<Candidates<uint32_t>> narrow_;
  std::vector<Candidates<uint64_t>> wide_;
  Scratch memory_;
};

}  // namespace

TopK topk(const Tensor& operand, int64_t k, int64_t axis, bool largest, bool sorted) {
  const Tensor x = comparable("topk", operand);
  const int along = checked_axis("topk", axis, std::max(x.rank(), 1));
  const int64_t n = x.rank() ? x.shape[along] : 1;
  if (k < 0 || k > n) fail(Status::out_of_range, "topk: k ", k, " is outside [0, ", n, "] along axis ", along);
  Dims shape = x.shape;
  // A tensor without dimensions is a row of one element, but its shape cannot represent a k of 0.
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
  keep_referents(result.values, x);
  return result;
}

}  // namespace suanzi
