// A producer is an operand whose elements a program computes on demand. A producer stores no elements. Only `in_memory`
// writes all elements to memory.
#pragma once

#include <memory>
#include <span>

#include "tensor/tensor.h"
#include "walk/program.h"

namespace suanzi::walk {

class Producer {
 public:
  // The producer computes the result in the program's register `source`, converted to `type`. The elements of `shape`
  // are numbered in row-major order. Inputs must already be broadcast to `shape`. The program and the memory of the
  // inputs must outlive the producer.
  Producer(const Program& program, const Dims& shape, std::span<const View> inputs, uint8_t source, DType type);

  class Room;  // the registers of one thread
  std::shared_ptr<Room> make_room() const;
  // Computes the elements [start, start + count) and writes the elements one after the other to `target`.
  void produce(Room& room, int64_t start, int64_t count, std::byte* target) const;
  // Returns the work of all elements together, in the units of runtime/share.h.
  int64_t work() const;

 private:
  class State;
  std::shared_ptr<const State> state_;
};

// The elements of a tensor, or elements of a producer, beginning with the producer's element `first`. For a producer,
// the tensor has a type, a shape, and the strides of contiguous elements, but no storage.
struct Elements {
  Elements(const Tensor& x) : tensor(x) {}  // NOLINT: a tensor is the common case
  Elements(const Tensor& x, const Producer* making, int64_t first_element = 0)
      : tensor(x), producer(making), first(first_element) {}

  const Tensor& tensor;
  const Producer* producer = nullptr;
  int64_t first = 0;
};

// Returns a tensor without storage, for elements of the given shape that a producer computes.
Tensor produced_like(const Dims& shape, DType dtype);
// Returns the elements as a tensor in memory.
Tensor in_memory(const char* op, const Elements& x);

}  // namespace suanzi::walk
