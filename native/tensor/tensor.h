// Tensor: an element type, a shape and strides over shared storage (6.1-6.4). Creation and views live here; nothing
// computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/dims.h"
#include "base/dtype.h"
#include "base/status.h"
#include "tensor/storage.h"

namespace suanzi {

struct Tensor {
  StoragePtr storage;         // null after destroy()
  std::byte* data = nullptr;  // the element at index (0, …, 0)
  Dims shape;
  Dims strides;  // in elements
  int64_t size = 0;
  DType dtype = DType::float32;
  bool contiguous = true;  // in the default order [n-1, …, 0]
  // The logical order that was asked for, where shape and strides do not tell it: dimensions of size 1 may stand
  // anywhere, and those of an empty tensor too. Null elsewhere, and where nobody asked.
  std::shared_ptr<const Dims> order;

  int rank() const { return shape.size(); }
  int64_t nbytes() const { return size * size_of(dtype); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

// Number of elements of a shape; INVALID_ARGUMENT for a negative size, ALLOC_FAILED where the bytes overflow.
int64_t checked_size(const char* op, const Dims& shape, DType dtype);

// The strides of contiguous elements in the default order.
Dims contiguous_strides(const Dims& shape);

// The product of sizes that are known to fit or to include a zero: an overflow on the way to zero does not matter.
inline int64_t product(const Dims& sizes) {
  int64_t result = 1;
  for (int64_t n : sizes) (void)__builtin_mul_overflow(result, n, &result);
  return result;
}

// Throws UNINITIALIZED_OBJECT for a destroyed tensor.
void check_alive(const char* op, const Tensor& x);
// Throws INVALID_ARGUMENT for a tensor over read-only memory.
void check_writable(const char* op, const Tensor& x);

// The axis in [0, rank), counting negative ones from the end; OUT_OF_RANGE otherwise.
int checked_axis(const char* op, int64_t axis, int rank);

// A tensor of uninitialised elements, of empty strings where they are strings; `order` is the logical order (fastest
// dimension first), null for the default.
Tensor make_empty(const char* op, const Dims& shape, DType dtype, const Dims* order = nullptr);
Tensor make_empty_like(const char* op, const Dims& shape, DType dtype, const Tensor& layout_of);

// The logical order of a tensor's memory: dimensions from the fastest to the slowest.
Dims logical_order(const Tensor& x);
// True if the elements fill one block of memory without gaps, in any order of dimensions.
bool is_dense(const Tensor& x);
// True if elements may share memory, as those of an expanded view do: it cannot be written to.
bool repeats_elements(const Tensor& x);
// The elements of a dense tensor one after the other, as they lie in memory; a view.
Tensor in_memory(const char* op, const Tensor& x);
// The elements of a contiguous tensor, as they lie in memory, as one of that shape in that logical order; a view.
Tensor laid_out(const char* op, const Tensor& x, const Dims& shape, const Dims& order);
// The tensor as one of that logical order, where its strides agree: dimensions of size 1 stand where the order says.
std::optional<Tensor> in_order(const char* op, const Tensor& x, const Dims& order);

// A view with other shape and strides that starts `offset` elements further; the caller vouches for the bounds.
Tensor make_view(const Tensor& x, Dims shape, Dims strides, int64_t offset = 0);
Tensor permute(const char* op, const Tensor& x, const Dims& axes);
Tensor expand(const char* op, const Tensor& x, const Dims& shape);
Tensor diagonal(const char* op, const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2);
// The view of another shape, where strides allow one; `shape` has no -1 left.
std::optional<Tensor> reshape_view(const Tensor& x, const Dims& shape);
// Replaces the one -1 of a shape and checks that the sizes agree.
Dims resolve_shape(const char* op, const Tensor& x, const Dims& shape);
// The real (part 0) or imaginary (part 1) half of a complex tensor.
Tensor complex_part(const Tensor& x, int part);

// Code calls this that copies elements of `source` into `target` byte by byte, before or after: elements that refer
// to memory outside their own bytes (strings) need it kept alive. Nothing to do for numbers.
void keep_text(const Tensor& target, const Tensor& source);
inline void keep_referents(const Tensor& target, const Tensor& source) {
  if (target.dtype == DType::string) [[unlikely]]
    keep_text(target, source);
}

// The common shape of two shapes (5.4); DIMENSIONS_MISMATCH where there is none.
Dims broadcast(const char* op, const Dims& a, const Dims& b);

}  // namespace suanzi
