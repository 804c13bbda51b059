#include "fusion/graph.h"

#include <algorithm>
#include <bit>

#include "walk/copy.h"

namespace suanzi::fusion {
namespace {

// Slots are known by these numbers, of which nobody else has any: 1 and a little, by the bits of a constant and their
// own number.
constexpr uint64_t slot_bits = 0x3ff0'a5c3'7e19'0000, slot_mask = 0xffff;

double slot_number(int slot) { return std::bit_cast<double>(slot_bits | static_cast<uint64_t>(slot)); }

int slot_of(const Scalar& scalar, int slots) {
  if (scalar.kind != Scalar::Kind::floating) return -1;
  const auto bits = std::bit_cast<uint64_t>(scalar.value.real());
  const auto slot = static_cast<int>(bits & slot_mask);
  return (bits & ~slot_mask) == slot_bits && slot < slots ? slot : -1;
}

// The logical order of what lies as a tensor does, where it is not the default one.
std::optional<Dims> order_of(const Tensor& x) {
  const bool ordered = (!x.contiguous || x.order) && is_dense(x);
  return ordered ? std::optional(logical_order(x)) : std::nullopt;
}

}  // namespace

Tensor Graph::add(Node node) {
  // Two elements in one place: no operation takes a short way with them.
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

Tensor Graph::add_like(const Tensor& x) { return add_input(x.dtype, x.shape, order_of(x)); }

double Graph::add_slot() { return slot_number(slots_++); }

int Graph::node_of(const Tensor& x) const {
  const auto found = known_.find(x.data);
  return found == known_.end() ? -1 : found->second;
}

const Tensor* Graph::captured(int node) const {
  const auto found = captured_.find(node);
  return found == captured_.end() ? nullptr : &found->second;
}

Source Graph::source_of(const Operand& operand) {
  if (!operand.tensor) return {-1, slot_of(operand.scalar, slots_), operand.scalar};
  const int node = node_of(*operand.tensor);
  return {node < 0 ? capture(*operand.tensor) : node, -1, {}};
}

int Graph::capture(const Tensor& x) {
  for (const auto& [node, known] : captured_)
    if (known.data == x.data && known.dtype == x.dtype && known.shape == x.shape && known.strides == x.strides)
      return node;
  const int node = size();
  (void)add_like(x);
  captured_.emplace(node, x);
  return node;
}

Tensor Graph::record(const RecordedOperation& operation) {
  if (operation.working == DType::string || operation.result == DType::string)
    fail(Status::type_mismatch, operation.name, ": strings are not traced");
  Node node{operation.result,
            {},
            {},
            {},
            operation.name,
            operation.kernel,
            operation.params,
            operation.first_value,
            operation.computed,
            operation.working,
            operation.produced,
            operation.heavy};
  for (const Operand& operand : operation.operands) node.operands.push_back(source_of(operand));
  for (const Source& source : node.operands)
    if (source.node >= 0) node.shape = broadcast(operation.name, node.shape, this->node(source.node).shape);
  // It may never be in memory, but what walks it counts its bytes.
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
  Node cast{dtype, operand.shape, operand.order, {{from, -1, {}}}, "astype", nullptr, {}, 0, dtype,
            dtype, dtype,         false};
  if (dtype != operand.dtype && !converter(operand.dtype, dtype))
    fail(Status::type_mismatch, "astype: ", suanzi::name(operand.dtype), " cannot become ", suanzi::name(dtype));
  return add(std::move(cast));
}

Tensor Graph::add_viewed(int node, std::span<const Tensor> operands, const Tensor& like) {
  Node viewed = this->node(node);
  viewed.shape = like.shape;
  viewed.order = order_of(like);
  size_t next = 0;
  for (Source& source : viewed.operands) {
    if (source.node < 0) continue;
    const int operand = next < operands.size() ? node_of(operands[next++]) : -1;
    if (operand < 0 || this->node(operand).dtype != this->node(source.node).dtype)
      fail(Status::internal_error, "fuse: operands of another node");
    source.node = operand;
  }
  return add(std::move(viewed));
}

namespace {

// A value on its way through a program: of a node, or of a node in another type.
struct Value {
  Kernel kernel;  // null: an input
  KernelParams params;
  DType type;
  std::vector<int> operands;
  int last_use = -1;
  uint8_t place = 0;
};

// Puts the values of a part of a graph in order and finds registers for them.
class Builder {
 public:
  Builder(const Graph& graph, std::span<const int> inputs);
  std::shared_ptr<Program> build(std::span<const int> outputs);

 private:
  int value_of(int node);
  int operand_of(const Node& node, size_t i);
  int converted(int value, DType type);
  int number(const Source& source, DType computed, DType working);
  int add(Value value);
  int add_input(DType type);
  bool assign(std::span<const int> outputs);
  tile::Step step_of(const Value& value) const;

  const Graph& graph_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::vector<Value> values_;
  std::vector<int> inputs_, numbers_;  // their values
  std::vector<int> of_node_;           // -1 where there is none yet
  std::vector<std::pair<std::pair<int, DType>, int>> conversions_;
};

Builder::Builder(const Graph& graph, std::span<const int> inputs)
    : graph_(graph), of_node_(static_cast<size_t>(graph.size()), -1) {
  for (const int input : inputs) {
    const DType type = graph.node(input).dtype;
    program_->input_types.push_back(type);
    of_node_[static_cast<size_t>(input)] = add_input(type);
    inputs_.push_back(of_node_[static_cast<size_t>(input)]);
  }
}

int Builder::add(Value value) {
  for (const int operand : value.operands)
    values_[static_cast<size_t>(operand)].last_use = static_cast<int>(values_.size());
  values_.push_back(std::move(value));
  return static_cast<int>(values_.size()) - 1;
}

int Builder::add_input(DType type) { return add({nullptr, {}, type, {}}); }

int Builder::converted(int value, DType type) {
  const DType from = values_[static_cast<size_t>(value)].type;
  if (from == type) return value;
  for (const auto& [key, known] : conversions_)
    if (key == std::pair(value, type)) return known;
  const int made = add({converter(from, type), {}, type, {value}});
  conversions_.push_back({{value, type}, made});
  return made;
}

// As a register of the type computed in, which rounds it, and then in the kernel's.
int Builder::number(const Source& source, DType computed, DType working) {
  const int value = add_input(computed);
  program_->numbers.push_back({source.slot, computed, source.constant});
  numbers_.push_back(value);
  return converted(value, working);
}

int Builder::operand_of(const Node& node, size_t i) {
  const Source& source = node.operands[i];
  const bool condition = static_cast<int>(i) < node.first_value;
  const DType computed = condition ? DType::boolean : node.computed,
              working = condition ? DType::boolean : node.working;
  if (source.node < 0) return number(source, computed, working);
  const int value = value_of(source.node);
  // An integer beside a half is rounded to the half first: the working type holds more.
  return converted(working == computed ? value : converted(value, computed), working);
}

int Builder::value_of(int number) {
  if (of_node_[static_cast<size_t>(number)] >= 0) return of_node_[static_cast<size_t>(number)];
  const Node& node = graph_.node(number);
  if (!node.name) fail(Status::internal_error, "fuse: a node that is no input");
  int value;
  if (!node.kernel) {
    value = converted(value_of(node.operands[0].node), node.dtype);
  } else {
    std::vector<int> operands;
    for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back(operand_of(node, i));
    program_->heavy |= node.heavy;
    value = converted(add({node.kernel, node.params, node.produced, std::move(operands)}), node.dtype);
  }
  return of_node_[static_cast<size_t>(number)] = value;
}

// A register is free again after the last step that reads it; those of inputs and results stay.
bool Builder::assign(std::span<const int> outputs) {
  constexpr size_t most = tile::max_registers;
  if (inputs_.size() + numbers_.size() > most) return false;
  uint8_t next = 0;
  for (const auto* kind : {&inputs_, &numbers_})
    for (const int value : *kind) values_[static_cast<size_t>(value)].place = next++;
  std::vector<uint8_t> free;
  std::vector<bool> stays(values_.size(), false);
  for (const int output : outputs) stays[static_cast<size_t>(output)] = true;
  for (size_t v = 0; v < values_.size(); ++v) {
    Value& value = values_[v];
    if (!value.kernel) continue;
    if (stays[v] || free.empty()) {
      if (next == most) return false;
      value.place = next++;
    } else {
      value.place = free.back();
      free.pop_back();
    }
    for (size_t k = 0; k < value.operands.size(); ++k) {
      const int read = value.operands[k];
      const Value& operand = values_[static_cast<size_t>(read)];
      const bool again = std::count(value.operands.begin(), value.operands.begin() + static_cast<ptrdiff_t>(k), read);
      if (operand.kernel && operand.last_use == static_cast<int>(v) && !stays[static_cast<size_t>(read)] && !again)
        free.push_back(operand.place);
    }
  }
  return true;
}

tile::Step Builder::step_of(const Value& value) const {
  tile::Step step{value.kernel, value.params, value.type, value.place, static_cast<uint8_t>(value.operands.size()), {}};
  for (size_t i = 0; i < value.operands.size(); ++i)
    step.operands[i] = values_[static_cast<size_t>(value.operands[i])].place;
  return step;
}

std::shared_ptr<Program> Builder::build(std::span<const int> outputs) {
  std::vector<int> results;
  for (const int output : outputs) results.push_back(value_of(output));
  if (results.size() > tile::max_results || !assign(results)) return nullptr;
  for (const auto* kind : {&inputs_, &numbers_})
    for (const int value : *kind) program_->register_types.push_back(values_[static_cast<size_t>(value)].type);
  for (const Value& value : values_)
    if (value.kernel) program_->steps.push_back(step_of(value));
  for (size_t i = 0; i < results.size(); ++i) {
    program_->sources.push_back(values_[static_cast<size_t>(results[i])].place);
  }
  program_->output_type = values_[static_cast<size_t>(results[0])].type;
  return program_;
}

}  // namespace

std::shared_ptr<const Program> Graph::program(std::span<const int> inputs, std::span<const int> outputs) const {
  return Builder(*this, inputs).build(outputs);
}

}  // namespace suanzi::fusion
