#include "fusion/graph.h"

#include <algorithm>
#include <bit>

#include "walk/copy.h"

namespace suanzi::fusion {
namespace {

// A slot is represented by a number that is unlikely to occur for any other reason. The number is just above 1, and its
// last bits are the index of the slot.
constexpr uint64_t slot_bits = 0x3ff0'a5c3'7e19'0000, slot_mask = 0xffff;

double slot_number(int slot) { return std::bit_cast<double>(slot_bits | static_cast<uint64_t>(slot)); }

int slot_of(const Scalar& scalar, int slots) {
  if (scalar.kind != Scalar::Kind::floating) return -1;
  const auto bits = std::bit_cast<uint64_t>(scalar.value.real());
  const auto slot = static_cast<int>(bits & slot_mask);
  return (bits & ~slot_mask) == slot_bits && slot < slots ? slot : -1;
}

}  // namespace

std::optional<Dims> dense_order(const Tensor& x) {
  const bool ordered = (!x.contiguous || x.order) && is_dense(x);
  return ordered ? std::optional(logical_order(x)) : std::nullopt;
}

Tensor Graph::add(Node node) {
  // The stand-in has two elements at one address, so that no operation uses a shorter path for a single element.
  const Tensor place = make_empty("fuse", {1}, node.dtype);
  std::fill_n(place.data, size_of(node.dtype), std::byte{0});
  Tensor stands = expand("fuse", place, {2});
  known_.emplace(stands.data, size());
  nodes_.push_back(std::move(node));
  standing_.push_back(stands);
  return stands;
}

Tensor Graph::add_input(DType dtype, const Dims& shape, std::optional<Dims> order) {
  Node node{};
  node.dtype = dtype;
  node.shape = shape;
  node.order = std::move(order);
  return add(std::move(node));
}

double Graph::add_slot() { return slot_number(slots_++); }

void Graph::reads(const Scalar& number) {
  if (const int slot = slot_of(number, slots_); slot >= 0) read_slot_ = slot;
}

int Graph::node_of(const Tensor& x) const {
  const auto found = known_.find(x.data);
  return found == known_.end() ? -1 : found->second;
}

Source Graph::source_of(const Operand& operand) const {
  if (!operand.tensor) return {-1, slot_of(operand.scalar, slots_), operand.scalar};
  const int node = node_of(*operand.tensor);
  if (node < 0) fail(Status::internal_error, "fuse: an operand does not stand for a node");
  return {node, -1, {}};
}

Tensor Graph::record(const RecordedOperation& operation) {
  if (operation.working == DType::string || operation.result == DType::string)
    fail(Status::type_mismatch, operation.name, ": strings cannot be traced");
  Node node{operation.result,
            {},
            {},
            {},
            operation.name,
            operation.operation,
            operation.kernel,
            operation.params,
            operation.first_value,
            operation.computed,
            operation.working,
            operation.produced,
            operation.heavy};
  for (const Operand& operand : operation.operands) node.operands.push_back(source_of(operand));
  // A program stores its numbers when it runs. A number that does not fit its type must fail, as without fusion, even
  // if no program computes the result. The code therefore checks the number during the recording.
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const bool condition = static_cast<int>(i) < operation.first_value;
    ElementBuffer element{};
    if (!operation.operands[i].tensor)
      store_scalar(operation.name, operation.operands[i].scalar, condition ? DType::boolean : operation.computed,
                   element);
  }
  for (const Source& source : node.operands)
    if (source.node >= 0) node.shape = broadcast(operation.name, node.shape, this->node(source.node).shape);
  // The value may never be in memory, but the walk over the value counts the value's bytes, and this count must not
  // overflow.
  (void)checked_size(operation.name, node.shape, node.dtype);
  for (const Source& source : node.operands) {
    if (source.node < 0 || this->node(source.node).shape != node.shape) continue;
    node.order = this->node(source.node).order;
    break;
  }
  return add(std::move(node));
}

Tensor Graph::add_cast(const Tensor& x, DType dtype) {
  const int from = node_of(x);
  const Node& operand = node(from);
  Node cast{};
  cast.dtype = cast.computed = cast.working = cast.produced = dtype;
  cast.shape = operand.shape;
  cast.order = operand.order;
  cast.operands = {{from, -1, {}}};
  cast.name = "astype";
  if (dtype != operand.dtype && !converter(operand.dtype, dtype))
    fail(Status::type_mismatch, "astype: ", suanzi::name(operand.dtype), " cannot become ", suanzi::name(dtype));
  return add(std::move(cast));
}

}  // namespace suanzi::fusion
