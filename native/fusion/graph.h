// A Graph represents a traced function. The graph records the function's elementwise computations, which do not run.
// Parts of the graph become programs of the tile engine.
//
// A node is an input, or the result of an elementwise operation or a cast of other nodes. A node has the element type,
// shape and logical order that its tensor would have. During the trace, small tensors represent the nodes. The trace
// calls the core's own functions with these tensors. The functions check and promote as usual, and a Recorder records
// the programs that the functions would run.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fusion/program.h"
#include "ops/elementwise/recording.h"

namespace suanzi::fusion {

// An operand of an operation is a node, a number that is the same in every call, or a number that each call passes.
struct Source {
  int node = -1;
  int slot = -1;
  Scalar constant;
};

struct Node {
  DType dtype;
  Dims shape;
  std::optional<Dims> order;  // the logical order, or nothing for the default order
  std::vector<Source> operands;
  const char* name = nullptr;              // the name of the operation, or null for an input
  Operation operation = Operation::count;  // Operation::count for an input or a cast
  // The kernel is null for an input and for a cast.
  Kernel kernel = nullptr;
  KernelParams params;
  int first_value = 0;
  DType computed, working, produced;
  bool heavy = false;
};

// Returns the logical order of values with a tensor's layout, or nothing for the default order.
std::optional<Dims> dense_order(const Tensor& x);

class Graph final : public Recorder {
 public:
  // The functions add_input and add_cast return the tensor that represents the new node.
  Tensor add_input(DType dtype, const Dims& shape, std::optional<Dims> order);
  Tensor add_cast(const Tensor& x, DType dtype);
  // Returns a stand-in for a number that each call passes. The graph recognises the stand-in among the operands of an
  // operation.
  double add_slot();
  // Returns the slot whose number an operation has read, or -1 if no operation has read a slot's number. If an
  // operation has read the number of a slot, each call must pass the same number.
  int read_slot() const { return read_slot_; }

  // While this object lives, the graph records the operations of this thread.
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
  // Returns the first node of the last recording. A formula records several nodes.
  int first_noted() const { return first_noted_; }
  // Returns the node that a tensor represents, or -1 if the tensor does not represent a node.
  int node_of(const Tensor& x) const;

  // Returns the program that computes the outputs, which have one shape, from the inputs. Returns null if the program
  // would need more registers or steps than the engine has.
  std::shared_ptr<const Program> program(std::span<const int> inputs, std::span<const int> outputs) const;

 private:
  Tensor add(Node node);
  Source source_of(const Operand& operand) const;

  std::vector<Node> nodes_;
  std::vector<Tensor> standing_;  // the tensors that represent the nodes
  std::unordered_map<const std::byte*, int> known_;
  int slots_ = 0;
  int read_slot_ = -1;
  int first_noted_ = 0;
};

}  // namespace suanzi::fusion
