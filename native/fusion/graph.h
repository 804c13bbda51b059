// A traced function as a graph: its elementwise computations, recorded instead of run. Programs of the tile engine are
// made of parts of it.
//
// A node is an input, or the result of an elementwise operation or a cast of other nodes; it has the element type,
// shape and logical order that the tensor would have. While the function is traced, small tensors stand for the nodes:
// the core's own functions are called with them, check and promote as ever, and the programs that they would run are
// recorded (Recorder).
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fusion/program.h"
#include "ops/elementwise/recording.h"

namespace suanzi::fusion {

// An operand of an operation: a node, a number that is the same at every call, or a number that a call gives.
struct Source {
  int node = -1;
  int slot = -1;
  Scalar constant;
};

struct Node {
  DType dtype;
  Dims shape;
  std::optional<Dims> order;  // the logical order, where it is not the default one
  std::vector<Source> operands;
  const char* name = nullptr;              // name of the operation; null for an input
  Operation operation = Operation::count;  // Operation::count for an input or a cast
  Kernel kernel = nullptr;                 // null for an input and where nothing is to be done
  KernelParams params;
  int first_value = 0;
  DType computed, working, produced;
  bool heavy = false;
};

// The logical order of values with a tensor's layout, if it is not the default one.
std::optional<Dims> dense_order(const Tensor& x);

class Graph final : public Recorder {
 public:
  // Each function returns the tensor that stands for the new node.
  Tensor add_input(DType dtype, const Dims& shape, std::optional<Dims> order);
  Tensor add_cast(const Tensor& x, DType dtype);
  // A number that stands for one that each call gives: where it is an operand, it is known again.
  double add_slot();
  // The slot whose number an operation has read, which must be the same at each call; -1 while none has.
  int read_slot() const { return read_slot_; }

  // While it lives, the operations of this thread are noted.
  class Recording {
   public:
    explicit Recording(Graph& graph) : before_(recorder()) {
      recorder() = &graph;
      graph.first_noted_ = graph.size();
    }
    ~Recording() { recorder() = before_; }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    Recorder* before_;
  };
  Tensor record(const RecordedOperation& operation) override;
  Tensor cast(const Tensor& x, DType dtype) override { return add_cast(x, dtype); }
  void reads(const Scalar& number) override;

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& node(int i) const { return nodes_[static_cast<size_t>(i)]; }
  // The first node that was noted in the last recording: a formula notes several.
  int first_noted() const { return first_noted_; }
  // The node that a tensor stands for; -1 where it stands for none.
  int node_of(const Tensor& x) const;

  // Returns the program that computes the outputs, which have one shape, from the inputs; null where that takes more
  // than the engine has.
  std::shared_ptr<const Program> program(std::span<const int> inputs, std::span<const int> outputs) const;

 private:
  Tensor add(Node node);
  Source source_of(const Operand& operand) const;

  std::vector<Node> nodes_;
  std::vector<Tensor> standing_;  // tensors that stand for the nodes
  std::unordered_map<const std::byte*, int> known_;
  int slots_ = 0;
  int read_slot_ = -1;
  int first_noted_ = 0;
};

}  // namespace suanzi::fusion
