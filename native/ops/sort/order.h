// The stable order of the elements of one row consists of the indices that would sort the row. Other files handle axes
// and results.
#pragma once

#include "ops/sort/sort.kernels.h"
#include "tensor/scratch.h"

namespace suanzi {

// Writes to order[0..n) the indices of the elements of a contiguous row. The order is the ascending (or descending)
// order of the elements' keys of the kind `Keys::equal` (ops/sort/sort.kernels.h). Elements with the same key stay in
// the order of their indices. The result is always a permutation, even if another thread writes to the row meanwhile.
// The scratch memory for each element depends on the element:
// - 1 byte for elements of 1 byte in a long row, and 8 bytes in a short row
// - 8 bytes for elements of up to 4 bytes
// - 16 bytes for elements of 8 bytes
// - 24 bytes for complex128
// - 32 bytes more for elements that differ only in the last bits of their keys
class Orderer {
 public:
  Orderer(DType type, bool descending) : type_(type), order_{Keys::equal, descending} {}

  void operator()(uint64_t* order, const std::byte* elements, int64_t n);

 private:
  void order_text(uint64_t* order, const std::byte* elements, int64_t n) const;
  void order_bytes(uint64_t* order, const std::byte* elements, int64_t n);
  void order_narrow(uint64_t* order, const std::byte* elements, int64_t n);
  void encode_wide(uint64_t* keys, const std::byte* elements, int64_t n) const;

  DType type_;
  KeyOrder order_;
  Scratch scratch_, keys_;
};

// Writes the stable order of n keys to `order`.
void order_keys(uint64_t* order, uint64_t* scratch, const uint64_t* keys, int64_t n);

}  // namespace suanzi
