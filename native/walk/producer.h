// Elements that a program makes when they are asked for: an operand that is nowhere in memory.
#pragma once

#include <memory>
#include <span>

#include "tensor/tensor.h"
#include "walk/program.h"

namespace suanzi::walk {

class Producer {
 public:
  // A producer of the program's result in register `source`, as `type`, for every element of `shape`; they are numbered
  // in row-major order. Inputs are broadcast to `shape` already. The program and the memory of the inputs must outlive
  // it.
  Producer(const Program& program, const Dims& shape, std::span<const View> inputs, uint8_t source, DType type);

  class Room;  // the registers of one thread
  std::shared_ptr<Room> make_room() const;
  // Writes elements [start, start + count), one after the other.
  void produce(Room& room, int64_t start, int64_t count, std::byte* target) const;
  // The work of all elements together, as runtime/share.h counts it.
  int64_t work() const;

 private:
  class State;
  std::shared_ptr<const State> state_;
};

// Elements that are read one by one: of a tensor, or of a producer from its element `first` on, in which case the
// tensor has a type, a shape, and the strides of contiguous elements, but no storage.
struct Elements {
  Elements(const Tensor& x) : tensor(x) {}  // NOLINT: a tensor is the common case
  Elements(const Tensor& x, const Producer* making, int64_t first_element = 0)
      : tensor(x), producer(making), first(first_element) {}

  const Tensor& tensor;
  const Producer* producer = nullptr;
  int64_t first = 0;
};

// A tensor without storage, for elements of that shape that a producer makes.
Tensor produced_like(const Dims& shape, DType dtype);
// The elements as a tensor in memory.
Tensor in_memory(const char* op, const Elements& x);

}  // namespace suanzi::walk
