// A traced function as a graph: its elementwise computations, recorded instead of run. Parts of the graph become
// programs of the tile engine.
//
// A node is an input, or the result of an elementwise operation or a cast of other nodes. A node has the element type,
// shape and logical order that its tensor would have. During the trace, small tensors stand in for the nodes. The
// core's own functions are called with these tensors: they check and promote as usual, and the programs that they would
// run are recorded (Recorder).
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fusion/program.h"
#include "ops/elementwise/recording.h"

namespace suanzi::fusion {

// An operand of an operation: a node, a number that is the same in every call, or a number that each call passes.
struct Source {
  int node = -1;
  int slot = -1;
  Scalar constant;
};

struct Node {
  DType dtype;
  Dims shape;
  std::optional<Dims> order;  // the logical order, if it is not the default order
  std::vector<Source> operands;
  const char* name = nullptr;              // the name of the operation; null for an input
  Operation operation = Operation::count;  // Operation::count for an input or a cast
  Kernel kernel = nullptr;                 // null for an input, and if there is nothing to compute
  KernelParams params;
  int first_value = 0;
  DType computed, working, produced;
  bool heavy = false;
};

// Returns the logical order of values with a tensor's layout, if it is not the default order.
std::optional<Dims> dense_order(const Tensor& x);

class Graph final : public Recorder {
 public:
  // Each function returns the tensor that stands in for the new node.
  Tensor add_input(DType dtype, const Dims& shape, std::optional<Dims> order);
  Tensor add_cast(const Tensor& x, DType dtype);
  // Returns a number that stands in for a number that each call passes; the graph recognises it when it is an operand.
  double add_slot();
  // Returns the slot whose number an operation has read, or -1 if there is none. The number of that slot must then be
  // the same in each call.
  int read_slot() const { return read_slot_; }

  // While this object lives, the operations of this thread are recorded.
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
  // Returns the first node of the last recording, because a formula records several nodes.
  int first_noted() const { return first_noted_; }
  // Returns the node for which a tensor stands in, or -1 if there is none.
  int node_of(const Tensor& x) const;

  // Returns the program that computes the outputs, which have one shape, from the inputs. Returns null if the program
  // would need more registers or steps than the engine has.
  std::shared_ptr<const Program> program(std::span<const int> inputs, std::span<const int> outputs) const;

 private:
  Tensor add(Node node);
  Source source_of(const Operand& operand) const;

  std::vector<Node> nodes_;
  std::vector<Tensor> standing_;  // the tensors that stand in for the nodes
  std::unordered_map<const std::byte*, int> known_;
  int slots_ = 0;
  int read_slot_ = -1;
  int first_noted_ = 0;
};

}  // namespace suanzi::fusion
