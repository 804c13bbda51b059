// A Dims is a short list of sizes or strides. The object itself holds a list of usual length. A longer list is in
// separate memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <ostream>

namespace suanzi {

inline constexpr int max_rank = 64;

class Dims {
 public:
  // The constructor calls `fill` instead of an initialiser, because compilers could turn the initialiser into a string
  // instruction that clears a whole Tensor.
  Dims() { inline_.fill(0); }
  explicit Dims(int n, int64_t value = 0) {
    inline_.fill(value);
    if (n > inline_capacity) std::fill_n(grow(), n, value);
    size_ = n;
  }
  Dims(std::initializer_list<int64_t> values) {
    for (int64_t v : values) push_back(v);
  }
  Dims(const Dims& other) { assign(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Dims(Dims&& other) noexcept : inline_(other.inline_), heap_(std::move(other.heap_)), size_(other.size_) {
    other.size_ = 0;
  }
  Dims& operator=(Dims&& other) noexcept {
    heap_ = std::move(other.heap_);
    size_ = other.size_;
    inline_ = other.inline_;
    other.size_ = 0;
    return *this;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? heap_.get() : inline_.data(); }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_.data(); }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](int i) { return data()[i]; }
  int64_t operator[](int i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }

  // Appends a value to the list. The caller ensures that the list then has at most max_rank values. Tensor checks ranks
  // before it makes a shape.
  void push_back(int64_t value) {
    if (size_ == inline_capacity && !heap_) grow();
    data()[size_++] = value;
  }
  void resize(int n, int64_t value) {
    if (n > inline_capacity && !heap_) grow();
    for (int i = size_; i < n; ++i) data()[i] = value;
    size_ = n;
  }

  friend bool operator==(const Dims& a, const Dims& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  static constexpr int inline_capacity = 4;

  int64_t* grow() {
    auto heap = std::make_unique<int64_t[]>(max_rank);
    std::copy_n(inline_.data(), size_, heap.get());
    heap_ = std::move(heap);
    return heap_.get();
  }
  void assign(const Dims& other) {
    size_ = other.size_;
    if (other.size_ > inline_capacity) {
      if (!heap_) heap_ = std::make_unique<int64_t[]>(max_rank);
      std::copy_n(other.data(), size_, data());
    } else {
      heap_.reset();
      // A copy of a fixed number of bytes is faster than a copy of only the bytes in use.
      std::memcpy(inline_.data(), other.data(), sizeof(inline_));
    }
  }

  std::array<int64_t, inline_capacity> inline_;
  std::unique_ptr<int64_t[]> heap_;
  int size_ = 0;
};

// Writes dimensions like a tuple in Python, as in (), (3,) and (2, 3).
inline std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  out << '(';
  for (int i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out << (dims.size() == 1 ? ",)" : ")");
}

}  // namespace suanzi
