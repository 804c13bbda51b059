// The executor of tile programs: cuts the walk into tiles, stages, runs the steps, stores.
#include <algorithm>

#include "runtime/share.h"
#include "walk/program.h"
#include "walk/staging.h"

namespace suanzi::tile {
namespace {

using namespace costs;

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
  Execution(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output);
  void run();

 private:
  struct Scratch {
    alignas(64) std::byte registers[max_inputs + max_steps][register_bytes];
    alignas(64) std::byte native[register_bytes];
  };

  void choose_tiles();
  bool aliased() const;
  void load_constants(Scratch& scratch, const void** registers) const;
  const void* load(int input, Scratch& scratch, int64_t start, int64_t count) const;
  void run_tiles(int64_t first, int64_t last) const;
  void run_tile(Scratch& scratch, const void** registers, int64_t start, int64_t count) const;

  const Program& program_;
  Operand inputs_[max_inputs];
  Operand output_;
  int64_t size_ = 1;
  int64_t bytes_ = 0;          // read and written in all
  int64_t tile_ = 0;           // elements of a full tile
  int64_t row_ = 0;            // tiles do not cross multiples of this
  int64_t tiles_per_row_ = 0;  // the last tile of a row may be shorter
  int64_t tiles_ = 0;
  bool stream_ = false;  // the output is too large for the caches
};

Execution::Execution(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output)
    : program_(program) {
  const Dims order = walking_order(shape, output);
  for (int i = 0; i < program.inputs; ++i) {
    const auto k = static_cast<size_t>(i);
    inputs_[i] = make_operand(inputs[k], shape, order, converter(inputs[k].dtype, program.input_types[i]));
  }
  output_ = make_operand(output, shape, order, converter(program.result(), output.dtype));
  size_ = product(shape);
  bytes_ = output_.element_size;
  for (int i = 0; i < program.inputs; ++i) bytes_ += inputs_[i].constant ? 0 : inputs_[i].element_size;
  bytes_ *= size_;
  stream_ = passes_caches(bytes_) && !aliased();
  choose_tiles();
}

void Execution::choose_tiles() {
  // The dimensions that all operands can walk as one row.
  int64_t row = output_.path.sizes.empty() ? 1 : output_.path.sizes[0];
  int widest = std::max(output_.element_size, size_of(program_.result()));
  bool staged = output_.convert || !output_.path.linear(output_.element_size) || program_.steps > 1;
  for (int i = 0; i < program_.inputs; ++i) {
    const Operand& input = inputs_[i];
    if (!input.constant) {
      row = std::min(row, input.path.sizes[0]);
      staged |= input.convert || !input.path.linear(input.element_size);
    } else {
      staged |= size_ > 1;  // a constant is filled into its register once, a register long
    }
    widest = std::max({widest, input.element_size, size_of(program_.input_types[i])});
  }
  for (int s = 0; s < program_.steps; ++s) widest = std::max(widest, size_of(program_.step[s].result));
  tile_ = staged ? register_bytes / widest : stream_ ? streamed_tile : direct_tile;
  row_ = row >= long_row ? row : size_;
  tiles_per_row_ = (row_ + tile_ - 1) / tile_;
  tiles_ = size_ / row_ * tiles_per_row_;
}

bool Execution::aliased() const {
  return std::any_of(inputs_, inputs_ + program_.inputs, [&](const Operand& x) { return x.data == output_.data; });
}

void Execution::run() {
  share(program_.heavy ? function_cost * bytes_ : bytes_, tiles_,
        [&](int64_t first, int64_t last) { run_tiles(first, last); });
}

void Execution::load_constants(Scratch& scratch, const void** registers) const {
  for (int i = 0; i < program_.inputs; ++i) {
    const Operand& input = inputs_[i];
    if (!input.constant) continue;
    const int size = size_of(program_.input_types[i]);
    const int64_t count = std::min(tile_, row_);
    std::byte* tile = scratch.registers[i];
    if (input.convert) {
      const void* source = input.data;
      input.convert(tile, &source, 1, {});
    } else {
      std::copy_n(input.data, size, tile);
    }
    repeat(tile, tile, size, count);
    registers[i] = tile;
  }
}

const void* Execution::load(int i, Scratch& scratch, int64_t start, int64_t count) const {
  const Operand& input = inputs_[i];
  const std::byte* elements = in_place(input.data, input.path, input.element_size, start, count);
  if (!elements) {
    std::byte* tile = input.convert ? scratch.native : scratch.registers[i];
    gather(tile, input.data, input.path, input.element_size, start, count);
    elements = tile;
  }
  if (!input.convert) return elements;
  const void* source = elements;
  input.convert(scratch.registers[i], &source, count, {});
  return scratch.registers[i];
}

void Execution::run_tile(Scratch& scratch, const void** registers, int64_t start, int64_t count) const {
  for (int i = 0; i < program_.inputs; ++i)
    if (!inputs_[i].constant) registers[i] = load(i, scratch, start, count);

  std::byte* target = in_place(output_.data, output_.path, output_.element_size, start, count);
  for (int s = 0; s < program_.steps; ++s) {
    const Step& step = program_.step[s];
    const void* operands[max_inputs];
    for (int k = 0; k < step.arity; ++k) operands[k] = registers[step.operands[k]];
    const bool last = s + 1 == program_.steps;
    void* result = last && target && !output_.convert ? target : scratch.registers[program_.inputs + s];
    KernelParams params = step.params;
    params.stream = stream_ && result == target;
    step.kernel(result, operands, count, params);
    registers[program_.inputs + s] = result;
  }

  const void* result = registers[program_.inputs + program_.steps - 1];
  if (output_.convert) {
    void* converted = target ? target : scratch.native;
    output_.convert(converted, &result, count, {});
    result = converted;
  }
  if (result != target)
    scatter(output_.data, static_cast<const std::byte*>(result), output_.path, output_.element_size, start, count);
}

void Execution::run_tiles(int64_t first, int64_t last) const {
  Scratch scratch;
  const void* registers[max_inputs + max_steps];
  load_constants(scratch, registers);
  for (int64_t t = first; t < last; ++t) {
    const int64_t row = t / tiles_per_row_, tile = t % tiles_per_row_;
    const int64_t begin = tile * tile_;
    run_tile(scratch, registers, row * row_ + begin, std::min(tile_, row_ - begin));
  }
}

}  // namespace

void run(const Program& program, const Dims& shape, std::span<const View> inputs, const View& output) {
  for (int64_t n : shape)
    if (n == 0) return;
  Execution(program, shape, inputs, output).run();
}

}  // namespace suanzi::tile
