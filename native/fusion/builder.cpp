// Builds programs of the tile engine from parts of a graph. The builder orders values, joins chains of values into one
// step, and assigns registers.
#include <algorithm>
#include <functional>
#include <tuple>

#include "fusion/graph.h"
#include "ops/elementwise/chain.h"

namespace suanzi::fusion {
namespace {

// A value of a program is the result of a node, a number, or such a result or number after a conversion to another
// type.
struct Value {
  // The kernel that computes the value. The pointer is null for an input, and for a value that is a link of a chain.
  Kernel kernel;
  KernelParams params;
  DType type;
  std::vector<int> operands;
  // The links of the chain that computes the value from its operands. The list is empty if a single kernel computes the
  // value.
  std::vector<Link> links;
  int uses = 0;  // the number of uses of the value by other values and as a result
  // `stays` is true for a result, which stays in its register to the end of the program.
  bool stays = false;
  int last_use = -1;
  uint8_t place = 0;
};

// Returns the chain of one link that computes the node. Returns an empty chain if the node's operation or the node's
// kernel cannot be part of a chain.
std::vector<Link> links_of(const Node& node) {
  const bool is_plain =
      is_link(node.operation) && kernels().chain[static_cast<int>(node.working)] &&
      node.kernel == kernels().elementwise[static_cast<int>(node.operation)][static_cast<int>(node.working)];
  if (!is_plain) return {};
  Link link{.operation = node.operation};
  if (node.operands.size() == 2) link.other.number = 1;
  return {link};
}

int slots_of(std::span<const Link> links) {
  int slots = 0;
  for (const Link& link : links)
    if (link.keeps()) slots = std::max(slots, link.kept + 1);
  return slots;
}

// Replaces the product of a value and itself by a square. The square reads its operand once and can form a chain with
// the operand's own operation.
void read_once(Value& value, DType working) {
  if (value.links.empty() || value.links[0].operation != Operation::multiply) return;
  if (value.operands[0] != value.operands[1]) return;
  value.kernel = kernels().elementwise[static_cast<int>(Operation::square)][static_cast<int>(working)];
  value.operands.pop_back();
  value.links = {{.operation = Operation::square}};
}

// Returns true if a number of the program has the type `type` and the slot of the operand `source`. If the operand has
// no slot, the number must also have the same bits in this type as the operand.
bool is_same(const Number& number, const Source& source, DType type) {
  if (number.slot != source.slot || number.type != type) return false;
  if (number.slot >= 0) return true;
  ElementBuffer known{}, other{};
  store_scalar("fuse", number.constant, type, known);
  store_scalar("fuse", source.constant, type, other);
  return std::ranges::equal(known.bytes, other.bytes);
}

// Orders the values of a part of a graph and assigns registers to these values.
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
  void chain(Value& value);
  std::optional<std::pair<std::vector<int>, std::vector<Link>>> join(const Value& value,
                                                                     std::span<const int> own) const;
  bool assign();
  walk::Step step_of(const Value& value);

  Value& at(int value) { return values_[static_cast<size_t>(value)]; }
  const Value& at(int value) const { return values_[static_cast<size_t>(value)]; }

  const Graph& graph_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::vector<Value> values_;
  std::vector<int> inputs_, numbers_;  // the values of the inputs and of the numbers
  // The index of each node's value in values_, or -1 if the node has no value yet.
  std::vector<int> of_node_;
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
  for (const int operand : value.operands) ++at(operand).uses;
  values_.push_back(std::move(value));
  return static_cast<int>(values_.size()) - 1;
}

int Builder::add_input(DType type) { return add({nullptr, {}, type, {}, {}}); }

int Builder::converted(int value, DType type) {
  const DType from = at(value).type;
  if (from == type) return value;
  for (const auto& [key, known] : conversions_)
    if (key == std::pair(value, type)) return known;
  const int made = add({converter(from, type), {}, type, {value}, {}});
  conversions_.push_back({{value, type}, made});
  return made;
}

// Returns the index of a value that holds the number. The number is first rounded to `computed`, the type in which the
// operation computes, and then converted to `working`, the kernel's type.
int Builder::number(const Source& source, DType computed, DType working) {
  for (size_t i = 0; i < numbers_.size(); ++i)
    if (is_same(program_->numbers[i], source, computed)) return converted(numbers_[i], working);
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
  // The builder first rounds an integer beside a 16-bit floating number to the 16-bit type, because the working type
  // has more digits.
  return converted(working == computed ? value : converted(value, computed), working);
}

int Builder::value_of(int number) {
  if (of_node_[static_cast<size_t>(number)] >= 0) return of_node_[static_cast<size_t>(number)];
  const Node& node = graph_.node(number);
  if (!node.name) fail(Status::internal_error, "fuse: a node is not an input");
  int value;
  if (!node.kernel) {
    value = converted(value_of(node.operands[0].node), node.dtype);
  } else {
    std::vector<int> operands;
    for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back(operand_of(node, i));
    program_->heavy |= node.heavy;
    Value made{node.kernel, node.params, node.produced, std::move(operands), links_of(node)};
    read_once(made, node.working);
    value = converted(add(std::move(made)), node.dtype);
  }
  return of_node_[static_cast<size_t>(number)] = value;
}

// Joins a value and its operands to one chain. The function joins only operands that are chains and that no other value
// reads.
void Builder::chain(Value& value) {
  if (value.links.empty()) return;
  std::vector<int> own;
  for (const int operand : value.operands)
    if (!at(operand).links.empty() && at(operand).uses == 1) own.push_back(operand);
  // The chain first computes the operand that needs more slots, because the second operand needs its own slots and the
  // slot of the first operand's result.
  std::ranges::stable_sort(own, std::greater(), [&](int operand) {
    return std::pair(slots_of(at(operand).links), at(operand).links.size());
  });
  for (; !own.empty(); own.pop_back()) {
    auto joined = join(value, own);
    if (!joined) continue;
    std::tie(value.operands, value.links) = *std::move(joined);
    for (const int operand : own) {
      at(operand).kernel = nullptr;
      at(operand).operands.clear();
    }
    return;
  }
}

// Replaces one or two operands of a value by the operands and links of these operands, and returns all operands and
// links. Returns nothing if a chain cannot have this number of operands or links.
std::optional<std::pair<std::vector<int>, std::vector<Link>>> Builder::join(const Value& value,
                                                                            std::span<const int> own) const {
  std::vector<int> operands = at(own[0]).operands;
  std::vector<Link> links = at(own[0]).links;
  const auto place_of = [&](int operand) {
    const auto place = static_cast<uint8_t>(std::ranges::find(operands, operand) - operands.begin());
    if (place == operands.size()) operands.push_back(operand);
    return Link::Place{place};
  };
  Link last = value.links[0];
  if (own.size() == 2) {
    const Value& second = at(own[1]);
    links.push_back({.other = place_of(second.operands[0]), .kept = 0});
    for (Link link : second.links) {
      if (link.other.in_slot) {
        ++link.other.number;
      } else {
        link.other = place_of(second.operands[link.other.number]);
      }
      if (link.keeps()) ++link.kept;
      links.push_back(link);
    }
    last.other = {0, true};
    last.reversed = value.operands[0] == own[0];
  } else if (value.operands.size() == 2) {
    last.reversed = value.operands[1] == own[0];
    last.other = place_of(value.operands[last.reversed ? 0 : 1]);
  }
  links.push_back(last);
  if (operands.size() > walk::max_operands || links.size() > Chain::most_links) return std::nullopt;
  return std::pair(std::move(operands), std::move(links));
}

// Assigns registers to the values. Returns false if the program needs more registers than the engine has. A register is
// free again after the last step that reads the register. Registers of inputs and results are never freed.
bool Builder::assign() {
  constexpr size_t most = walk::max_registers;
  if (inputs_.size() + numbers_.size() > most) return false;
  uint8_t next = 0;
  for (const auto* kind : {&inputs_, &numbers_})
    for (const int value : *kind) at(value).place = next++;
  std::vector<uint8_t> free;
  for (size_t v = 0; v < values_.size(); ++v)
    for (const int operand : values_[v].operands) at(operand).last_use = static_cast<int>(v);
  for (size_t v = 0; v < values_.size(); ++v) {
    Value& value = values_[v];
    if (!value.kernel) continue;
    if (value.stays || free.empty()) {
      if (next == most) return false;
      value.place = next++;
    } else {
      value.place = free.back();
      free.pop_back();
    }
    for (size_t k = 0; k < value.operands.size(); ++k) {
      const int read = value.operands[k];
      const Value& operand = at(read);
      const bool again = std::count(value.operands.begin(), value.operands.begin() + static_cast<ptrdiff_t>(k), read);
      if (operand.kernel && operand.last_use == static_cast<int>(v) && !operand.stays && !again)
        free.push_back(operand.place);
    }
  }
  return true;
}

walk::Step Builder::step_of(const Value& value) {
  walk::Step step{value.kernel, value.params, value.type, value.place, static_cast<uint8_t>(value.operands.size()), {}};
  if (value.links.size() > 1) {
    Chain& chain = program_->chains.emplace_back();
    chain.size = value.links.size();
    std::ranges::copy(value.links, chain.links.begin());
    step.kernel = kernels().chain[static_cast<int>(value.type)];
    step.params.more = &chain;
  }
  for (size_t i = 0; i < value.operands.size(); ++i) step.operands[i] = at(value.operands[i]).place;
  return step;
}

std::shared_ptr<Program> Builder::build(std::span<const int> outputs) {
  std::vector<int> results;
  for (const int output : outputs) {
    results.push_back(value_of(output));
    at(results.back()).stays = true;
    ++at(results.back()).uses;
  }
  for (Value& value : values_) chain(value);
  if (results.size() > walk::max_results || !assign()) return nullptr;
  for (const auto* kind : {&inputs_, &numbers_})
    for (const int value : *kind) program_->register_types.push_back(at(value).type);
  for (const Value& value : values_)
    if (value.kernel) program_->steps.push_back(step_of(value));
  for (const int result : results) program_->sources.push_back(at(result).place);
  program_->output_type = at(results[0]).type;
  return program_;
}

}  // namespace

std::shared_ptr<const Program> Graph::program(std::span<const int> inputs, std::span<const int> outputs) const {
  return Builder(*this, inputs).build(outputs);
}

}  // namespace suanzi::fusion
