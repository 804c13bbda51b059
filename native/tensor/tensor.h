// A Tensor is an element type, a shape and strides over shared storage (6.1-6.4). This file declares the functions that
// create tensors and views, and no computations.
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
  StoragePtr storage;         // the shared storage, which is null after destroy()
  std::byte* data = nullptr;  // the element at index (0, …, 0)
  Dims shape;
  Dims strides;  // the strides in elements
  int64_t size = 0;
  DType dtype = DType::float32;
  // `contiguous` is true if the elements are contiguous in the default order [n-1, …, 0].
  bool contiguous = true;
  // The logical order that the creator of the tensor requested, if shape and strides do not determine the order.
  // Dimensions of size 1, and all dimensions of an empty tensor, may have any place in the order. The member is null if
  // shape and strides determine the order, or if the creator requested no order.
  std::shared_ptr<const Dims> order;

  int rank() const { return shape.size(); }
  int64_t nbytes() const { return size * size_of(dtype); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

// Returns the number of elements of a shape. Fails with INVALID_ARGUMENT for a negative size, and with ALLOC_FAILED if
// the number of bytes overflows.
int64_t checked_size(const char* op, const Dims& shape, DType dtype);

// Returns the strides of contiguous elements in the default order.
Dims contiguous_strides(const Dims& shape);

// Returns the product of sizes. The product must fit in 64 bits, or a size must be zero. After an overflow, the product
// is correct if a later size makes the product zero.
inline int64_t product(const Dims& sizes) {
  int64_t result = 1;
  for (int64_t n : sizes) (void)__builtin_mul_overflow(result, n, &result);
  return result;
}

// Throws UNINITIALIZED_OBJECT for a destroyed tensor.
void check_alive(const char* op, const Tensor& x);
// Throws INVALID_ARGUMENT for a tensor over read-only memory.
void check_writable(const char* op, const Tensor& x);

// Returns the axis in [0, rank). A negative axis counts from the end. Fails with OUT_OF_RANGE for any other axis.
int checked_axis(const char* op, int64_t axis, int rank);

// Creates a tensor of uninitialised elements, or of empty strings for the type string. `order` is the logical order,
// beginning with the fastest dimension, or null for the default order.
Tensor make_empty(const char* op, const Dims& shape, DType dtype, const Dims* order = nullptr);
Tensor make_empty_like(const char* op, const Dims& shape, DType dtype, const Tensor& layout_of);

// Returns the logical order of a tensor's memory, which lists the dimensions from the fastest to the slowest.
Dims logical_order(const Tensor& x);
// Returns true if the elements fill one block of memory without gaps, in any order of dimensions.
bool is_dense(const Tensor& x);
// Returns true if several elements may share memory, as in an expanded view. No operator can write to a tensor whose
// elements share memory.
bool repeats_elements(const Tensor& x);
// Returns the elements of a dense tensor as a one-dimensional view, in the order of their memory.
Tensor in_memory(const char* op, const Tensor& x);
// Returns a view of the contiguous tensor x. The view has the shape `shape` and the logical order `order`, and keeps
// the elements in the order of their memory.
Tensor laid_out(const char* op, const Tensor& x, const Dims& shape, const Dims& order);
// Returns x with the logical order `order` if the strides of x agree with this order, and nothing otherwise. Dimensions
// of size 1 have their places in `order`.
std::optional<Tensor> in_order(const char* op, const Tensor& x, const Dims& order);

// Returns a view of x with another shape and other strides. The view starts `offset` elements after the start of x. The
// caller guarantees the bounds.
Tensor make_view(const Tensor& x, Dims shape, Dims strides, int64_t offset = 0);
Tensor permute(const char* op, const Tensor& x, const Dims& axes);
Tensor expand(const char* op, const Tensor& x, const Dims& shape);
Tensor diagonal(const char* op, const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2);
// Returns a view of x with the shape `shape` if the strides of x allow such a view, and nothing otherwise. `shape` must
// not contain -1.
std::optional<Tensor> reshape_view(const Tensor& x, const Dims& shape);
// Replaces the only -1 of a shape and checks that the sizes agree.
Dims resolve_shape(const char* op, const Tensor& x, const Dims& shape);
// Returns the real (part 0) or imaginary (part 1) half of a complex tensor.
Tensor complex_part(const Tensor& x, int part);

// Keeps alive the memory to which string elements refer. Code that copies elements of `source` to `target` byte by byte
// calls keep_referents before or after the copy. keep_referents does nothing for numbers.
void keep_text(const Tensor& target, const Tensor& source);
inline void keep_referents(const Tensor& target, const Tensor& source) {
  if (target.dtype == DType::string) [[unlikely]]
    keep_text(target, source);
}

// Returns the common shape of two shapes (5.4). Fails with DIMENSIONS_MISMATCH if the shapes have no common shape.
Dims broadcast(const char* op, const Dims& a, const Dims& b);

}  // namespace suanzi
