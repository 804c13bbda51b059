// The executor of tile programs: cuts the walk into tiles, stages, runs the steps, stores.
#include <algorithm>
#include <cstring>
#include <memory_resource>

#include "runtime/share.h"
#include "walk/program.h"
#include "walk/staging.h"

namespace suanzi::tile {
namespace {

using namespace costs;

// What the registers of a thread and one more tile take: with fewer of them than eight, a register has its full length.
constexpr int64_t scratch_bytes = 8 * register_bytes;

struct Operand {
  std::byte* data;
  Path path;
  int element_size;
  Kernel convert;  // to the register's type on loading, from it on storing; null where the types agree
  bool constant;
};

Operand make_operand(const View& view, const Dims& shape, const Dims& order, Kernel convert) {
  Operand operand{view.data, make_path(shape, order, view), size_of(view.dtype), convert, false};
  operand.constant = operand.path.constant();
  return operand;
}

class Execution {
 public:
  Execution(const Program& program, const Dims& shape, std::span<const View> inputs, const View& like, bool folds);
  void run() const;
  std::vector<std::byte> fold(std::span<const std::byte> identity) const;

 private:
  // Of one thread: where the elements of each register are, and room for those that do not lie in an operand.
  struct Registers {
    const void* elements[max_registers];
    bool constant[max_registers];
    alignas(64) std::byte scratch[scratch_bytes];
  };

  void choose_tiles();
  bool aliased() const;
  std::byte* room(Registers& registers, int k) const { return registers.scratch + k * room_; }
  // A tile that is no register's.
  std::byte* spare_room(Registers& registers) const { return room(registers, registers_); }
  void load_constants(Registers& registers) const;
  void load(Registers& registers, int input, int64_t start, int64_t count) const;
  struct Call {
    const void* operands[max_operands];
    KernelParams params;
  };
  Call call_of(const Registers& registers, const Step& step) const;
  void run_step(Registers& registers, const Step& step, void* target, int64_t count) const;
  void store(Registers& registers, std::byte* target, int64_t start, int64_t count) const;
  void run_tile(Registers& registers, std::byte* accumulator, int64_t start, int64_t count) const;
  void run_tiles(int64_t first, int64_t last, std::byte* accumulator) const;
  int64_t work() const { return program_.heavy ? function_cost * bytes_ : bytes_; }

  const Program& program_;
  alignas(Operand) std::byte operand_memory_[6 * sizeof(Operand)];  // more of them are on the heap
  std::pmr::monotonic_buffer_resource resource_{operand_memory_, sizeof(operand_memory_)};
  std::pmr::vector<Operand> inputs_{&resource_};
  Operand output_;
  bool folds_;
  int registers_ = 0;
  int64_t room_ = 0;  // bytes of a register
  int64_t size_ = 1;
  int64_t bytes_ = 0;          // read and written in all
  int64_t tile_ = 0;           // elements of a full tile
  int64_t row_ = 0;            // tiles do not cross multiples of this
  int64_t tiles_per_row_ = 0;  // the last tile of a row may be shorter
  int64_t tiles_ = 0;
  bool stream_ = false;  // the output is too large for the caches
};

Execution::Execution(const Program& program, const Dims& shape, std::span<const View> inputs, const View& like,
                     bool folds)
    : program_(program), folds_(folds) {
  const Dims order = walking_order(shape, like);
  inputs_.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs_.push_back(make_operand(inputs[i], shape, order, converter(inputs[i].dtype, program.inputs[i])));
  output_ = make_operand(like, shape, order, folds ? nullptr : converter(program.result(), like.dtype));
  registers_ = static_cast<int>(inputs.size());
  for (const Step& step : program.steps) registers_ = std::max(registers_, step.target + 1);
  room_ = std::min(register_bytes, scratch_bytes / (registers_ + 1) / cache_line * cache_line);
  size_ = product(shape);
  bytes_ = folds ? 0 : output_.element_size;
  for (const Operand& input : inputs_) bytes_ += input.constant ? 0 : input.element_size;
  bytes_ *= size_;
  stream_ = !folds && passes_caches(bytes_) && !aliased();
  choose_tiles();
}

void Execution::choose_tiles() {
  // The dimensions that all operands can walk as one row.
  int64_t row = folds_ ? size_ : output_.path.sizes.empty() ? 1 : output_.path.sizes[0];
  int widest = folds_ ? 1 : std::max(output_.element_size, size_of(program_.result()));
  bool staged = program_.steps.size() > 1;
  if (!folds_) staged |= output_.convert || !output_.path.linear(output_.element_size);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Operand& input = inputs_[i];
    if (input.constant) continue;
    row = std::min(row, input.path.sizes[0]);
    staged |= input.convert || !input.path.linear(input.element_size);
    widest = std::max({widest, input.element_size, size_of(program_.inputs[i])});
  }
  for (const Step& step : program_.steps) widest = std::max(widest, size_of(step.result));
  tile_ = staged ? room_ / widest : stream_ ? streamed_tile : direct_tile;
  row_ = row >= long_row ? row : size_;
  tiles_per_row_ = (row_ + tile_ - 1) / tile_;
  tiles_ = size_ / row_ * tiles_per_row_;
}

bool Execution::aliased() const {
  return std::ranges::any_of(inputs_, [&](const Operand& x) { return x.data == output_.data; });
}

void Execution::load_constants(Registers& registers) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Operand& input = inputs_[i];
    registers.constant[i] = input.constant;
    if (!input.constant) continue;
    std::byte* const element = room(registers, static_cast<int>(i));
    const void* source = input.data;
    if (input.convert) {
      input.convert(element, &source, 1, {});
    } else {
      std::memcpy(element, source, static_cast<size_t>(input.element_size));
    }
    registers.elements[i] = element;
  }
}

void Execution::load(Registers& registers, int i, int64_t start, int64_t count) const {
  const Operand& input = inputs_[static_cast<size_t>(i)];
  auto [elements, constant] = piece_at(input.data, input.path, input.element_size, start, count);
  if (!elements) {
    elements = input.convert ? spare_room(registers) : room(registers, i);
    gather(elements, input.data, input.path, input.element_size, start, count);
    constant = false;
  }
  registers.constant[i] = constant;
  registers.elements[i] = elements;
  if (!input.convert) return;
  const void* source = elements;
  input.convert(room(registers, i), &source, constant ? 1 : count, {});
  registers.elements[i] = room(registers, i);
}

Execution::Call Execution::call_of(const Registers& registers, const Step& step) const {
  Call call;
  call.params = step.params;
  for (int k = 0; k < step.arity; ++k) {
    const uint8_t operand = step.operands[k];
    call.operands[k] = registers.elements[operand];
    call.params.constants |= static_cast<uint8_t>(registers.constant[operand] << k);
  }
  return call;
}

// `target` is where the result is wanted, unless it is one element for the whole tile.
void Execution::run_step(Registers& registers, const Step& step, void* target, int64_t count) const {
  Call call = call_of(registers, step);
  const bool once = call.params.constants == (1 << step.arity) - 1;
  void* const result = target && !once ? target : room(registers, step.target);
  call.params.stream = stream_ && result == target;
  step.kernel(result, call.operands, once ? 1 : count, call.params);
  registers.elements[step.target] = result;
  registers.constant[step.target] = once;
}

void Execution::store(Registers& registers, std::byte* target, int64_t start, int64_t count) const {
  const int last = program_.steps.empty() ? 0 : program_.steps.back().target;
  const void* result = registers.elements[last];
  if (result == target) return;
  const bool constant = registers.constant[last];
  std::byte* const place = target ? target : spare_room(registers);
  if (output_.convert) {
    output_.convert(place, &result, constant ? 1 : count, {});
    result = place;
  }
  if (constant) {
    repeat(place, static_cast<const std::byte*>(result), output_.element_size, count);
    result = place;
  }
  if (result != target)
    scatter(output_.data, static_cast<const std::byte*>(result), output_.path, output_.element_size, start, count);
}

void Execution::run_tile(Registers& registers, std::byte* accumulator, int64_t start, int64_t count) const {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!inputs_[i].constant) load(registers, static_cast<int>(i), start, count);
  if (accumulator) {
    for (const Step& step : program_.steps.first(program_.steps.size() - 1)) run_step(registers, step, nullptr, count);
    const Call call = call_of(registers, program_.steps.back());
    return program_.steps.back().kernel(accumulator, call.operands, count, call.params);
  }
  std::byte* const target = in_place(output_.data, output_.path, output_.element_size, start, count);
  for (const Step& step : program_.steps) {
    const bool last = &step == &program_.steps.back();
    run_step(registers, step, last && !output_.convert ? target : nullptr, count);
  }
  store(registers, target, start, count);
}

void Execution::run_tiles(int64_t first, int64_t last, std::byte* accumulator) const {
  Registers registers;
  load_constants(registers);
  for (int64_t t = first; t < last; ++t) {
    const int64_t row = t / tiles_per_row_, tile = t % tiles_per_row_;
    const int64_t begin = tile * tile_;
    run_tile(registers, accumulator, row * row_ + begin, std::min(tile_, row_ - begin));
  }
}

void Execution::run() const {
  share(work(), tiles_, [&](int64_t first, int64_t last) { run_tiles(first, last, nullptr); });
}

std::vector<std::byte> Execution::fold(std::span<const std::byte> identity) const {
  const int64_t ranges = range_count(work(), tiles_), size = std::ssize(identity);
  std::vector<std::byte> accumulators;
  for (int64_t r = 0; r < ranges; ++r) accumulators.insert(accumulators.end(), identity.begin(), identity.end());
  for_ranges(ranges, work(), tiles_, [&](int64_t range, int64_t first, int64_t last) {
    run_tiles(first, last, accumulators.data() + range * size);
  });
  return accumulators;
}

bool is_empty(const Dims& shape) {
  return std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n == 0; });
}

}  // namespace

void run(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output) {
  if (!is_empty(shape)) Execution(program, shape, inputs, output, false).run();
}

std::vector<std::byte> fold(const Program& program, const Dims& shape, std::span<const View> inputs, const View& like,
                            std::span<const std::byte> identity) {
  if (is_empty(shape)) return {identity.begin(), identity.end()};
  return Execution(program, shape, inputs, like, true).fold(identity);
}

}  // namespace suanzi::tile
