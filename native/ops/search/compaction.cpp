#include "ops/search/compaction.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "kernels/kernel.h"
#include "ops/elementwise/elementwise.h"
#include "ops/reduce/reduce.h"
#include "ops/search/compact.kernels.h"
#include "runtime/share.h"
#include "walk/copy.h"
#include "walk/iteration.h"
#include "walk/program.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

using walk::Path;
using walk::View;

// The number of elements in a chunk. One thread counts the true elements of a chunk, and later finds the places of
// these elements in the result. Threads may handle the chunks in any order.
constexpr int64_t chunk_elements = 32768;
constexpr int64_t chunk_words = chunk_elements / 64;

// The elements of a tensor that is broadcast to a shape, read in row-major order.
class Source {
 public:
  Source(const Tensor& x, const Dims& shape)
      : data_(x.data), element_size_(size_of(x.dtype)), linear_(x.contiguous && x.shape == shape) {
    if (linear_) return;
    path_ = walk::make_path(shape, walk::row_major_order(shape), View::broadcast(x, shape));
    linear_ = path_.linear(element_size_);
  }

  struct Scratch {
    alignas(64) std::byte bytes[walk::register_bytes];
  };

  // Calls body(elements, offset, count) for pieces of [start, start + count). The length of each piece except the last
  // piece is a multiple of 64.
  template <class Body>
  void for_pieces(int64_t start, int64_t count, Body&& body) const {
    if (linear_) return body(data_ + start * element_size_, int64_t{0}, count);
    Scratch scratch;
    const int64_t step = walk::register_bytes / element_size_;
    for (int64_t offset = 0; offset < count; offset += step) {
      const int64_t n = std::min(step, count - offset);
      const std::byte* elements = walk::in_place(data_, path_, element_size_, start + offset, n);
      if (!elements) {
        walk::gather(scratch.bytes, data_, path_, element_size_, start + offset, n);
        elements = scratch.bytes;
      }
      body(elements, offset, n);
    }
  }

 private:
  std::byte* data_;
  Path path_;  // the path of elements that are not contiguous
  int element_size_;
  bool linear_;
};

// Calls body(chunk) for every chunk of `size` elements. Several threads share the chunks if the chunks have enough
// `bytes`.
template <class Body>
void for_chunks(int64_t size, int64_t bytes, Body&& body) {
  const int64_t chunks = (size + chunk_elements - 1) / chunk_elements;
  share(bytes, chunks, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) body(c);
  });
}

int64_t elements_of_chunk(int64_t size, int64_t chunk) {
  return std::min(chunk_elements, size - chunk * chunk_elements);
}

TruthKernel truth_kernel(const char* op, DType t) {
  const TruthKernel kernel = kernels().compact->truth[static_cast<int>(t)];
  if (!kernel) fail(Status::type_mismatch, op, ": ", name(t), " elements are neither true nor false");
  return kernel;
}

// The truth of a tensor's elements, broadcast to a shape, and the place in a result for the true elements of each
// chunk.
class Truth {
 public:
  Truth(const char* op, const Tensor& x, const Dims& shape);
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  int64_t size() const { return size_; }
  int64_t count() const { return count_; }
  const uint64_t* bits(int64_t chunk) const { return bits_ + chunk * chunk_words; }
  int64_t begin(int64_t chunk) const { return ends_[chunk]; }
  int64_t end(int64_t chunk) const { return ends_[chunk + 1]; }

 private:
  int64_t size_;
  int64_t count_ = 0;
  uint64_t bits_of_one_chunk_[chunk_words];
  int64_t ends_of_one_chunk_[2];
  Tensor memory_for_bits_, memory_for_ends_;  // the memory for several chunks
  uint64_t* bits_ = bits_of_one_chunk_;
  int64_t* ends_ = ends_of_one_chunk_;  // the ends of the chunks, where the end of chunk c is at c + 1
};

Truth::Truth(const char* op, const Tensor& x, const Dims& shape) : size_(checked_size(op, shape, DType::boolean)) {
  const TruthKernel truth = truth_kernel(op, x.dtype);
  const int64_t chunks = (size_ + chunk_elements - 1) / chunk_elements;
  if (chunks > 1) {
    memory_for_bits_ = make_empty(op, {chunks * chunk_words}, DType::uint64);
    memory_for_ends_ = make_empty(op, {chunks + 1}, DType::int64);
    bits_ = memory_for_bits_.as<uint64_t>();
    ends_ = memory_for_ends_.as<int64_t>();
  }
  const Source source(x, shape);
  for_chunks(size_, size_ * size_of(x.dtype), [&](int64_t chunk) {
    uint64_t* const words = bits_ + chunk * chunk_words;
    int64_t count = 0;
    source.for_pieces(chunk * chunk_elements, elements_of_chunk(size_, chunk),
                      [&](const std::byte* elements, int64_t offset, int64_t n) {
                        count += truth(words + offset / 64, elements, n);
                      });
    ends_[chunk + 1] = count;
  });
  ends_[0] = 0;
  for (int64_t c = 0; c < chunks; ++c) count_ = ends_[c + 1] += count_;
}

int64_t count_true(const char* op, const Tensor& x) {
  const TruthKernel truth = truth_kernel(op, x.dtype);
  const Source source(x, x.shape);
  std::atomic<int64_t> total = 0;
  for_chunks(x.size, x.nbytes(), [&](int64_t chunk) {
    uint64_t bits[chunk_words];
    int64_t count = 0;
    source.for_pieces(chunk * chunk_elements, elements_of_chunk(x.size, chunk),
                      [&](const std::byte* elements, int64_t, int64_t n) { count += truth(bits, elements, n); });
    total.fetch_add(count, std::memory_order_relaxed);
  });
  return total;
}

// Writes the coordinates of the true elements among the elements [start, start + n) of a walk over `shape`. Returns the
// number of true elements.
int64_t write_coordinates(const Tensor& result, const Dims& shape, const uint64_t* bits, int64_t start, int64_t n,
                          int64_t at) {
  const CompactKernels& compact = *kernels().compact;
  uint32_t places[max_places + 64];
  const int64_t found = compact.places(places, bits, n);
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    const int64_t size = shape[axis];
    compact.unravel(result.as<int64_t>() + axis * result.shape[1] + at, places, found, start % size, size);
    start /= size;
  }
  return found;
}

// Returns the coordinates of the true elements in `shape`.
Tensor coordinates_of(const char* op, const Truth& truth, const Dims& shape) {
  const Tensor result = make_empty(op, {shape.size(), truth.count()}, DType::int64);
  for_chunks(truth.size(), truth.size() + result.nbytes(), [&](int64_t chunk) {
    const int64_t elements = elements_of_chunk(truth.size(), chunk);
    const uint64_t* bits = truth.bits(chunk);
    int64_t at = truth.begin(chunk);
    for (int64_t offset = 0; offset < elements && at < truth.end(chunk); offset += max_places)
      at += write_coordinates(result, shape, bits + offset / 64, chunk * chunk_elements + offset,
                              std::min(max_places, elements - offset), at);
  });
  return result;
}

// Returns the elements of x, broadcast to a shape, at the true places.
Tensor selected(const char* op, const Tensor& x, const Truth& truth, const Dims& shape) {
  const Tensor result = make_empty(op, {truth.count()}, x.dtype);
  const Source source(x, shape);
  const int size = size_of(x.dtype);
  const CompressKernel compress = kernels().compact->compress[std::countr_zero(static_cast<unsigned>(size))];
  for_chunks(truth.size(), truth.size() * size, [&](int64_t chunk) {
    const uint64_t* bits = truth.bits(chunk);
    int64_t at = truth.begin(chunk);
    source.for_pieces(chunk * chunk_elements, elements_of_chunk(truth.size(), chunk),
                      [&](const std::byte* elements, int64_t offset, int64_t n) {
                        int64_t count = 0;
                        for (int64_t w = 0; w < (n + 63) / 64; ++w) count += std::popcount(bits[offset / 64 + w]);
                        compress(result.data + at * size, elements, bits + offset / 64, n, count);
                        at += count;
                      });
  });
  keep_referents(result, x);
  return result;
}

// Stores `value` in `target` where `mask` is true, and elements of `x` elsewhere. The value and the elements have the
// type of `x`.
void fill_or_copy(const char* op, const Tensor& target, const Tensor& x, const Tensor& mask, const Scalar& value) {
  ElementBuffer element;
  store_element(op, value, x.dtype, target, element);
  const auto readable = [&](const Tensor& t) { return overlaps_partially(t, target) ? clone(op, t) : t; };
  const Tensor condition = readable(mask), source = readable(x);
  const Kernel where = kernels().elementwise[static_cast<int>(Operation::where)][static_cast<int>(x.dtype)];
  const DType types[] = {DType::boolean, x.dtype, x.dtype};
  const walk::Step step = {where, {}, x.dtype, 3, 3, {0, 1, 2}};
  const View views[] = {View::broadcast(condition, target.shape),
                        {element.bytes, x.dtype, Dims(target.rank(), 0)},
                        View::broadcast(source, target.shape)};
  walk::run({types, {&step, 1}}, target.shape, views, View::of(target));
  keep_referents(target, source);
}

}  // namespace

Tensor nonzero(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (x.rank() == 0) fail(Status::dimensions_mismatch, op, ": a tensor of shape () has no coordinates");
  return coordinates_of(op, Truth(op, x, x.shape), x.shape);
}

Places nonzero_elements(const char* op, const Tensor& x) {
  check_alive(op, x);
  const Truth truth(op, x, x.shape);
  return {coordinates_of(op, truth, x.shape), selected(op, x, truth, x.shape)};
}

std::vector<Tensor> nonzero_axes(const char* op, const Tensor& x) {
  const Tensor all = nonzero(op, x);
  std::vector<Tensor> axes;
  for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(make_view(all, {all.shape[1]}, {1}, axis * all.shape[1]));
  return axes;
}

Tensor count_nonzero(const char* op, const Tensor& x, uint64_t axes, bool keepdims) {
  check_alive(op, x);
  for (int i = 0; i < x.rank(); ++i)
    if (!(axes >> i & 1)) {
      const Operand operands[] = {{&x, {}}, {nullptr, x.dtype == DType::string ? zero_of(x.dtype) : Scalar::of(false)}};
      return reduce("count_nonzero", Reduction::sum, elementwise(Operation::not_equal, operands), axes, keepdims);
    }
  const Tensor result = make_empty(op, keepdims ? Dims(x.rank(), 1) : Dims(), DType::int64);
  *result.as<int64_t>() = count_true(op, x);
  return result;
}

Tensor masked_select(const char* op, const Tensor& x, const Tensor& mask) {
  check_alive(op, x);
  check_alive(op, mask);
  check_condition(op, mask);
  const Dims shape = broadcast(op, x.shape, mask.shape);
  return selected(op, x, Truth(op, mask, shape), shape);
}

void masked_fill(const char* op, const Tensor& target, const Tensor& mask, const Scalar& value) {
  check_out(op, target, target.shape, target.dtype);
  check_alive(op, mask);
  check_condition(op, mask);
  if (broadcast(op, target.shape, mask.shape) != target.shape)
    fail(Status::dimensions_mismatch, op, ": mask of shape ", mask.shape, " does not broadcast to ", target.shape);
  fill_or_copy(op, target, target, mask, value);
}

Tensor masked_fill_copy(const char* op, const Tensor& x, const Tensor& mask, const Scalar& value, const Tensor* out) {
  check_alive(op, x);
  check_alive(op, mask);
  check_condition(op, mask);
  const Dims shape = broadcast(op, x.shape, mask.shape);
  if (out) check_out(op, *out, shape, x.dtype);
  const Tensor target = out ? *out : make_empty_like(op, shape, x.dtype, x);
  fill_or_copy(op, target, x, mask, value);
  return target;
}

}  // namespace suanzi
