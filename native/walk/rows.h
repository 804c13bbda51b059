// Rows, which are the lines of a tensor along one of its axes, and the loop that passes each row to an algorithm as
// contiguous memory.
#pragma once

#include <algorithm>
#include <span>

#include "runtime/share.h"
#include "tensor/scratch.h"
#include "tensor/tensor.h"
#include "walk/iteration.h"

namespace suanzi {

class Rows {
 public:
  // Numbers the rows. `order` lists the other dimensions, beginning with the fastest dimension. The operands of one
  // loop may differ in the length of the axis, and must agree in the other dimensions.
  Rows(const Tensor& x, int axis, const Dims& order);

  // Returns the order in which consecutive rows of x are closest to each other.
  static Dims walking_order(const Tensor& x, int axis);

  int64_t count() const { return count_; }
  int64_t length() const { return length_; }
  int64_t row_bytes() const { return length_ * element_size_; }
  int64_t step() const { return step_; }  // returns the number of bytes from one element to the next
  // Returns the length of a run of rows, whose first elements are at equal distances. All rows, beginning with row 0,
  // form runs of this length.
  int64_t run() const { return path_.sizes.empty() ? 1 : path_.sizes[0]; }
  // Returns true if each row is contiguous.
  bool direct() const { return step_ == element_size_ || length_ <= 1; }

  // Writes the addresses of the rows [first, first + count) to `rows`.
  void locate(std::byte** rows, int64_t first, int64_t count) const;
  // `load` copies rows to a contiguous block, one after the other. `store` copies the rows from the block to their
  // places.
  void load(std::byte* block, std::byte* const* rows, int64_t count) const;
  void store(const std::byte* block, std::byte* const* rows, int64_t count) const;

 private:
  std::byte* data_;
  walk::Path path_;  // the path of the rows' first elements
  int64_t count_, length_, step_;
  int element_size_;
};

// The number of rows that are staged together, because neighbours share cache lines.
inline constexpr int64_t staged_rows = 16;
inline constexpr int max_row_operands = 3;

// Calls body(rows) for each row of `operands`, which all have the same number of rows. rows[k] is a contiguous row of
// operand k. The body reads the first operand and writes the other operands. `make_body()` creates a body for each
// thread. The function stages rows that are not contiguous. Each thread stages at most staged_rows rows of each operand
// at a time.
template <class MakeBody>
void for_each_row(std::span<const Rows> operands, MakeBody make_body) {
  const int64_t rows = operands[0].count();
  const bool staged = std::ranges::any_of(operands, [](const Rows& r) { return !r.direct(); });
  const int64_t block = staged ? staged_rows : 1;
  const auto run = [&](int64_t first, int64_t last) {
    auto body = make_body();
    Scratch memory[max_row_operands];
    for (; first < last; first += block) {
      const int64_t count = std::min(block, last - first);
      std::byte* at[max_row_operands][staged_rows];
      std::byte* row[max_row_operands];
      int64_t step[max_row_operands];
      for (size_t k = 0; k < operands.size(); ++k) {
        const Rows& r = operands[k];
        r.locate(at[k], first, count);
        row[k] = r.direct() ? nullptr : memory[k].take<std::byte>(count * r.row_bytes());
        step[k] = r.row_bytes();
      }
      if (row[0]) operands[0].load(row[0], at[0], count);
      for (int64_t i = 0; i < count; ++i) {
        std::byte* own[max_row_operands];
        for (size_t k = 0; k < operands.size(); ++k) own[k] = row[k] ? row[k] + i * step[k] : at[k][i];
        body(own);
      }
      for (size_t k = 1; k < operands.size(); ++k)
        if (row[k]) operands[k].store(row[k], at[k], count);
    }
  };
  const int64_t bytes = rows * operands[0].row_bytes();
  // The algorithm uses all threads for one long row.
  if (operands[0].row_bytes() >= costs::shared_row_bytes && rows < 2 * num_threads()) return run(0, rows);
  share(bytes, (rows + block - 1) / block,
        [&](int64_t first, int64_t last) { run(first * block, std::min(rows, last * block)); });
}

}  // namespace suanzi
