// The executor of tile programs. The executor cuts the walk into tiles, stages operands, runs the steps and stores
// results.
#include <algorithm>
#include <cstring>
#include <memory_resource>

#include "runtime/share.h"
#include "runtime/tile_shape.h"
#include "walk/producer.h"
#include "walk/program.h"
#include "walk/scalar.h"
#include "walk/staging.h"

namespace suanzi::walk {
namespace {

using namespace costs;

// The bytes of memory for the registers of a thread and one more tile. If a program has fewer than eight registers,
// each register has its full length.
constexpr int64_t scratch_bytes = 8 * register_bytes;

// Returns the bytes of a register if `rooms` registers and one more tile share the memory.
int64_t bytes_of_room(int rooms) {
  return std::min(register_bytes, scratch_bytes / (rooms + 1) / cache_line * cache_line);
}

struct Operand {
  std::byte* data;
  Path path;
  int element_size;
  // Loads convert to the register's type, and stores convert from the register's type. The pointer is null if the two
  // types agree.
  Kernel convert;
  bool constant;
};

Operand make_operand(const View& view, const Dims& shape, const Dims& order, Kernel convert) {
  Operand operand{view.data, make_path(shape, order, view), size_of(view.dtype), convert, false};
  operand.constant = operand.path.constant();
  return operand;
}

// A result has a register that holds the result's elements, and a target.
struct Result {
  uint8_t source;
  int step;  // the step that writes the register, or -1 if the register is an input
  bool read_later;
  Operand place;
};

// The registers of one thread consist of the addresses of their elements, and of room for elements that are not in an
// operand.
struct Registers {
  const void* elements[max_registers];
  bool constant[max_registers];
  ElementBuffer constants[max_registers];  // the element of each input that consists of one element
  alignas(64) std::byte scratch[scratch_bytes];
};

// The use of the computed elements. The executor stores the elements, folds each tile into an accumulator, or returns
// the elements on demand.
enum class Purpose { store, fold, produce };

class Execution {
 public:
  // A program that folds has no results. The walk of this program follows the strides of the sink's output.
  Execution(const Program& program, const Dims& shape, std::span<const View> inputs, std::span<const Sink> sinks,
            Purpose purpose);
  void run() const;
  std::vector<std::byte> fold(std::span<const std::byte> identity) const;
  void produce(Registers& registers, int64_t start, int64_t count, std::byte* target) const;
  void load_constants(Registers& registers) const;
  int64_t work() const { return program_.heavy ? function_cost * bytes_ : bytes_; }

 private:
  void add_result(const Sink& sink, const Dims& shape, const Dims& order);
  void make_rooms();
  void choose_tiles();
  bool aliased() const;
  std::byte* room(Registers& registers, int k) const { return registers.scratch + place_[k] * room_; }
  // Returns the memory of the additional tile, which belongs to no register.
  std::byte* spare_room(Registers& registers) const { return registers.scratch + rooms_ * room_; }
  void load(Registers& registers, int input, int64_t start, int64_t count) const;
  struct Call {
    const void* operands[max_operands];
    KernelParams params;
  };
  Call call_of(const Registers& registers, const Step& step) const;
  void run_step(Registers& registers, const Step& step, void* target, bool stream, int64_t count) const;
  void run_steps(Registers& registers, std::byte* const* targets, int64_t count) const;
  void store(Registers& registers, const Result& result, std::byte* target, int64_t start, int64_t count) const;
  void run_tile(Registers& registers, std::byte* accumulator, int64_t start, int64_t count) const;
  void run_tiles(int64_t first, int64_t last, std::byte* accumulator) const;

  const Program& program_;
  // Memory for a few operands and results. The heap holds further operands and results.
  alignas(Operand) std::byte operand_memory_[6 * sizeof(Operand)];
  std::pmr::monotonic_buffer_resource resource_{operand_memory_, sizeof(operand_memory_)};
  std::pmr::vector<Operand> inputs_{&resource_};
  std::pmr::vector<Result> results_{&resource_};
  uint8_t place_[max_registers];  // the index of each register's room
  int rooms_ = 0;
  int64_t room_ = 0;  // the bytes of a register
  int64_t size_ = 1;
  int64_t bytes_ = 0;  // the bytes that the program reads and writes in total
  int64_t tile_ = 0;   // the elements of a full tile
  // Tiles do not cross multiples of this number of elements.
  int64_t row_ = 0;
  int64_t tiles_per_row_ = 0;  // the number of tiles in a row, whose last tile may be shorter
  int64_t tiles_ = 0;
  // `stream_` is true if the output is too large for the caches.
  bool stream_ = false;
};

Execution::Execution(const Program& program, const Dims& shape, std::span<const View> inputs,
                     std::span<const Sink> sinks, Purpose purpose)
    : program_(program) {
  const Dims order = walking_order(shape, sinks[0].output);
  inputs_.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs_.push_back(make_operand(inputs[i], shape, order, converter(inputs[i].dtype, program.inputs[i])));
  results_.reserve(sinks.size());
  if (purpose != Purpose::fold)
    for (const Sink& sink : sinks) add_result(sink, shape, order);
  make_rooms();
  size_ = product(shape);
  for (const Result& result : results_) bytes_ += result.place.element_size;
  for (const Operand& input : inputs_) bytes_ += input.constant ? 0 : input.element_size;
  bytes_ *= size_;
  stream_ = purpose == Purpose::store && passes_caches(bytes_) && !aliased();
  choose_tiles();
}

void Execution::add_result(const Sink& sink, const Dims& shape, const Dims& order) {
  Result result{sink.source, -1, false,
                make_operand(sink.output, shape, order, converter(program_.type_of(sink.source), sink.output.dtype))};
  for (size_t s = 0; s < program_.steps.size(); ++s) {
    const Step& step = program_.steps[s];
    if (step.target == sink.source) result.step = static_cast<int>(s);
    for (int k = 0; k < step.arity && result.step >= 0 && result.step < static_cast<int>(s); ++k)
      result.read_later |= step.operands[k] == sink.source;
  }
  results_.push_back(std::move(result));
}

// Assigns memory (a room) to each register that may hold more than one element.
void Execution::make_rooms() {
  constexpr uint8_t none = max_registers;
  std::fill_n(place_, max_registers, none);
  const auto take = [this](size_t k) {
    if (place_[k] == none) place_[k] = static_cast<uint8_t>(rooms_++);
  };
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!inputs_[i].constant) take(i);
  for (const Step& step : program_.steps) take(step.target);
  room_ = bytes_of_room(rooms_);
}

void Execution::choose_tiles() {
  // `row` is the number of elements in the dimensions that all operands can walk as one row.
  int64_t row = size_;
  int widest = 1;
  bool staged = program_.steps.size() > 1;
  for (const Result& result : results_) {
    const Operand& place = result.place;
    row = std::min(row, place.path.sizes.empty() ? 1 : place.path.sizes[0]);
    widest = std::max({widest, place.element_size, size_of(program_.type_of(result.source))});
    staged |= place.convert || !place.path.linear(place.element_size);
  }
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
  return std::ranges::any_of(inputs_, [&](const Operand& x) {
    return std::ranges::any_of(results_, [&](const Result& result) { return result.place.data == x.data; });
  });
}

void Execution::load_constants(Registers& registers) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Operand& input = inputs_[i];
    registers.constant[i] = input.constant;
    if (!input.constant) continue;
    std::byte* const element = registers.constants[i].bytes;
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

// Runs a step. `target` is the address for the result, or null. If `target` is null, or if the result is one element
// for the whole tile, the step writes to the register's own memory.
void Execution::run_step(Registers& registers, const Step& step, void* target, bool stream, int64_t count) const {
  Call call = call_of(registers, step);
  const bool once = call.params.constants == (1 << step.arity) - 1;
  void* const result = target && !once ? target : room(registers, step.target);
  call.params.stream = stream && result == target;
  step.kernel(result, call.operands, once ? 1 : count, call.params);
  registers.elements[step.target] = result;
  registers.constant[step.target] = once;
}

// Runs the steps of a tile. A step whose value is a result without a conversion writes directly to the result's place.
void Execution::run_steps(Registers& registers, std::byte* const* targets, int64_t count) const {
  for (size_t s = 0; s < program_.steps.size(); ++s) {
    void* target = nullptr;
    bool stream = stream_;
    for (size_t r = 0; r < results_.size() && !target; ++r)
      if (results_[r].step == static_cast<int>(s) && !results_[r].place.convert) {
        target = targets[r];
        stream = stream_ && !results_[r].read_later;
      }
    run_step(registers, program_.steps[s], target, stream, count);
  }
}

void Execution::store(Registers& registers, const Result& to, std::byte* target, int64_t start, int64_t count) const {
  const Operand& output = to.place;
  const void* result = registers.elements[to.source];
  if (result == target) return;
  const bool constant = registers.constant[to.source];
  std::byte* const place = target ? target : spare_room(registers);
  if (output.convert) {
    output.convert(place, &result, constant ? 1 : count, {});
    result = place;
  }
  if (constant) {
    repeat(place, static_cast<const std::byte*>(result), output.element_size, count);
    result = place;
  }
  if (result == target) return;
  if (target) {
    std::memcpy(target, result, static_cast<size_t>(count * output.element_size));
  } else {
    scatter(output.data, static_cast<const std::byte*>(result), output.path, output.element_size, start, count);
  }
}

void Execution::run_tile(Registers& registers, std::byte* accumulator, int64_t start, int64_t count) const {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!inputs_[i].constant) load(registers, static_cast<int>(i), start, count);
  if (accumulator) {
    for (const Step& step : program_.steps.first(program_.steps.size() - 1))
      run_step(registers, step, nullptr, false, count);
    const Call call = call_of(registers, program_.steps.back());
    return program_.steps.back().kernel(accumulator, call.operands, count, call.params);
  }
  std::byte* targets[max_results];
  for (size_t r = 0; r < results_.size(); ++r) {
    const Operand& place = results_[r].place;
    targets[r] = in_place(place.data, place.path, place.element_size, start, count);
  }
  run_steps(registers, targets, count);
  for (size_t r = 0; r < results_.size(); ++r) store(registers, results_[r], targets[r], start, count);
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

void Execution::produce(Registers& registers, int64_t start, int64_t count, std::byte* target) const {
  const Result& result = results_[0];
  while (count > 0) {
    const int64_t n = std::min({count, tile_, row_ - start % row_});
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (!inputs_[i].constant) load(registers, static_cast<int>(i), start, n);
    run_steps(registers, &target, n);
    store(registers, result, target, start, n);
    start += n;
    count -= n;
    target += n * result.place.element_size;
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

DType Program::type_of(uint8_t source) const {
  DType type = source < inputs.size() ? inputs[source] : DType::boolean;
  for (const Step& step : steps)
    if (step.target == source) type = step.result;
  return type;
}

namespace {

View part_of(const View& view, const Dims& origin) {
  int64_t offset = 0;
  for (int d = 0; d < origin.size(); ++d) offset += origin[d] * view.strides[d];
  return {view.data + offset * size_of(view.dtype), view.dtype, view.strides};
}

// Runs the program in tiles of the shape that the caller has set.
void run_in_tiles(const Program& program, const Dims& shape, std::span<const View> inputs, std::span<const Sink> sinks,
                  const Dims& tile) {
  Dims counts;
  for (int d = 0; d < shape.size(); ++d) counts.push_back(shape[d] / tile[d] + (shape[d] % tile[d] != 0));
  const int64_t work = Execution(program, shape, inputs, sinks, Purpose::store).work();
  share(work, product(counts), [&](int64_t first, int64_t last) {
    for (int64_t number = first; number < last; ++number) {
      Dims origin(shape.size()), part(shape.size());
      int64_t left = number;
      for (int d = shape.size() - 1; d >= 0; left /= counts[d--]) {
        origin[d] = left % counts[d] * tile[d];
        part[d] = std::min(tile[d], shape[d] - origin[d]);
      }
      std::vector<View> views;
      for (const View& input : inputs) views.push_back(part_of(input, origin));
      std::vector<Sink> parts;
      for (const Sink& sink : sinks) parts.push_back({sink.source, part_of(sink.output, origin)});
      Execution(program, part, views, parts, Purpose::store).run();
    }
  });
}

}  // namespace

void run(const Program& program, const Dims& shape, std::span<const View> inputs, std::span<const Sink> sinks) {
  if (is_empty(shape)) return;
  if (const Dims* const tile = walked_tile(); tile && tile->size() == shape.size()) [[unlikely]]
    return run_in_tiles(program, shape, inputs, sinks, *tile);
  Execution(program, shape, inputs, sinks, Purpose::store).run();
}

void run(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output) {
  const Sink sink{program.last(), output};
  run(program, shape, inputs, {&sink, 1});
}

std::vector<std::byte> fold(const Program& program, const Dims& shape, std::span<const View> inputs, const View& like,
                            std::span<const std::byte> identity) {
  if (is_empty(shape)) return {identity.begin(), identity.end()};
  const Sink sink{program.last(), like};
  return Execution(program, shape, inputs, {&sink, 1}, Purpose::fold).fold(identity);
}

// --- elements on demand ---

class Producer::Room {
 public:
  Registers registers;
};

class Producer::State {
 public:
  State(const Program& program, const Dims& shape, std::span<const View> inputs, const Sink& sink)
      : program_(program), execution_(program_, shape, inputs, {&sink, 1}, Purpose::produce) {}
  const Execution& execution() const { return execution_; }

 private:
  const Program program_;
  const Execution execution_;
};

Producer::Producer(const Program& program, const Dims& shape, std::span<const View> inputs, uint8_t source, DType type)
    : state_(
          std::make_shared<State>(program, shape, inputs, Sink{source, {nullptr, type, contiguous_strides(shape)}})) {}

std::shared_ptr<Producer::Room> Producer::make_room() const {
  auto room = std::make_shared_for_overwrite<Room>();
  state_->execution().load_constants(room->registers);
  return room;
}

void Producer::produce(Room& room, int64_t start, int64_t count, std::byte* target) const {
  state_->execution().produce(room.registers, start, count, target);
}

int64_t tile_elements(const Program& program, size_t constants) {
  bool used[max_registers] = {};
  auto rooms = static_cast<int64_t>(constants);
  int widest = 1;
  for (const DType type : program.inputs) widest = std::max(widest, size_of(type));
  for (const Step& step : program.steps) {
    widest = std::max(widest, size_of(step.result));
    if (step.target < program.inputs.size() || std::exchange(used[step.target], true)) continue;
    ++rooms;
  }
  return bytes_of_room(static_cast<int>(rooms)) / widest;
}

int64_t Producer::work() const { return state_->execution().work(); }

Tensor produced_like(const Dims& shape, DType dtype) {
  Tensor like;
  like.shape = shape;
  like.strides = contiguous_strides(shape);
  like.size = product(shape);
  like.dtype = dtype;
  return like;
}

Tensor in_memory(const char* op, const Elements& x) {
  if (!x.producer) return x.tensor;
  Tensor made = make_empty(op, x.tensor.shape, x.tensor.dtype);
  if (made.size > 0) x.producer->produce(*x.producer->make_room(), x.first, made.size, made.data);
  return made;
}

}  // namespace suanzi::walk
