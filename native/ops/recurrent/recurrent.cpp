#include "ops/recurrent/recurrent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernel.h"
#include "ops/product/few_bytes.h"
#include "ops/product/gemm.h"
#include "ops/product/gemv.h"
#include "ops/product/prepacked.h"
#include "ops/quantized/dynamic.h"
#include "ops/recurrent/gates.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::recurrent {

namespace {

using products::ceiling;
using products::Matrix;

// A matrix with contiguous rows.
template <class T>
struct Rows {
  T* data;
  int64_t step;

  T* operator[](int64_t i) const { return data + i * step; }
};

template <class T>
std::byte* bytes(T* x) {
  return reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(x));
}

// Returns a contiguous copy of x.
Tensor copied(const char* op, const Tensor& x) {
  const Tensor result = make_empty(op, x.shape, x.dtype);
  copy_into(op, result, x);
  return result;
}

// Returns the number of tasks into which the products of a step are divided.
int64_t tasks_of_step(int64_t batch, int64_t gates, int64_t size) {
  const double work = products::work_of(batch, gates * size, size);
  const int64_t most = num_threads() == 1 ? 1 : costs::ranges_per_thread * num_threads();
  return static_cast<int64_t>(std::clamp(work / costs::product_task, 1.0, static_cast<double>(most)));
}

// The weights of the state. If `pack` is true, the weights of each gate are packed separately. Otherwise, products
// multiply the rows of the state one by one.
template <class T>
class Weights {
 public:
  Weights(const char* op, const Layer& layer, const Tensor& weight, bool pack, bool unread)
      : weight_(unread ? weight : to_contiguous(op, weight)), size_(weight.shape[1]) {
    width_ = products::kernels_for(dtype_of<T>).panel;
    std::copy_n(layer.place, most_gates, place_);
    if (!pack) return;
    for (int gate = 0; gate < gate_count(layer.cell); ++gate) {
      const Tensor block = make_view(weight_, {size_, size_}, {1, size_}, int64_t{place_[gate]} * size_ * size_);
      panels_.push_back(products::to_panels(op, block));
    }
  }

  int64_t width() const { return width_; }
  T greatest_size() const {
    return std::max(On::greatest(weight_.as<T>(), weight_.size), -On::least(weight_.as<T>(), weight_.size));
  }

  // Multiplies x by the columns [first, last) of a gate's weights, adds the rows of `start`, and writes the sums to
  // `out`. Rows have `size` elements. `first` is a multiple of the width of a panel.
  void multiply(int gate, int64_t rows, Rows<const T> x, Rows<const T> start, Rows<T> out, int64_t first,
                int64_t last) const {
    if (panels_.empty()) return multiply_rows(gate, rows, x, start, out, first, last);
    const std::byte* const panels = panels_[static_cast<size_t>(gate)].data;
    products::multiply_by_panels(products::kernels_for(dtype_of<T>), sizeof(T), {bytes(x.data), rows, size_, x.step, 1},
                                 panels + first * size_ * int64_t{sizeof(T)},
                                 {bytes(out.data + first), rows, last - first, out.step, 1}, bytes(start.data + first),
                                 start.step);
  }

 private:
  using On = OnRows<T>;

  void multiply_rows(int gate, int64_t rows, Rows<const T> x, Rows<const T> start, Rows<T> out, int64_t first,
                     int64_t last) const {
    const T* const weights = weight_.as<T>() + (place_[gate] * size_ + first) * size_;
    const Matrix a{bytes(weights), last - first, size_, size_, 1};
    for (int64_t i = 0; i < rows; ++i)
      products::multiply_vector(dtype_of<T>, a, {bytes(x[i]), 1}, {bytes(out[i] + first), 1}, bytes(start[i] + first));
  }

  Tensor weight_;
  int64_t size_, width_;
  int place_[most_gates] = {};
  std::vector<Tensor> panels_;
};

// Returns true if an element is a subnormal number.
template <class T>
bool has_subnormal(const T* x, int64_t n) {
  bool found = false;
  for (int64_t i = 0; i < n; ++i) found |= (std::abs(x[i]) < std::numeric_limits<T>::min()) & (x[i] != 0);
  return found;
}

// Writes the elements of x to `to`, and 0 in place of subnormal numbers.
template <class T>
void flush_subnormals(const T* x, T* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = std::abs(x[i]) < std::numeric_limits<T>::min() ? T(0) : x[i];
}

// States that are rounded to 8-bit codes.
struct RoundedStates {
  std::vector<uint8_t> codes;
  std::optional<products::FewByteRows> rows;
  double step = 1;  // the number that a step of one code represents
};

// The weights of the state as 8-bit codes. The codes of a column are contiguous.
class CodedWeights {
 public:
  CodedWeights(const char* op, const Layer& layer, const Operands& x)
      : codes_(to_contiguous(op, *x.codes)),
        scales_(to_contiguous(op, *x.scales)),
        zeros_(to_contiguous(op, *x.zeros)) {
    std::copy_n(layer.place, most_gates, place_);
    has_zeros_ =
        std::any_of(zeros_.as<int32_t>(), zeros_.as<int32_t>() + zeros_.size, [](int32_t x) { return x != 0; });
  }

  // Returns the type of the codes with zero points of 0. The zero points of the codes differ between columns, so the
  // code subtracts the zero points after the product.
  ByteCodes type() const { return {codes_.dtype == DType::int8, 0}; }

  // Multiplies like Weights::multiply, but computes the sums exactly in integers.
  void multiply(int gate, int64_t rows, const RoundedStates& states, Rows<const float> start, Rows<float> out,
                int64_t first, int64_t last) const {
    const int64_t size = codes_.shape[1], count = last - first, column = place_[gate] * size + first;
    const ScratchArray<int32_t> sums(states.rows->sum_rows() * count);
    states.rows->multiply({codes_.data + column * size, size, count, 1, size}, sums.data());
    const float* const scales = scales_.as<float>() + column;
    const auto step = static_cast<float>(states.step);
    for (int64_t row = 0; row < rows; ++row) {
      int32_t* const of = sums.data() + row * count;
      if (has_zeros_) {
        const int32_t total = states.rows->sum_of_row(row);
        for (int64_t j = 0; j < count; ++j) of[j] -= total * zeros_.as<int32_t>()[column + j];
      }
      const float* const from = start[row] + first;
      float* const to = out[row] + first;
      for (int64_t j = 0; j < count; ++j) to[j] = from[j] + static_cast<float>(of[j]) * (step * scales[j]);
    }
  }

 private:
  Tensor codes_, scales_, zeros_;
  bool has_zeros_;
  int place_[most_gates] = {};
};

template <class T>
class Loop {
 public:
  Loop(const char* op, const Layer& layer, const Operands& x, const Tensor& out);
  // Runs all steps. The function writes the states after the last element of each sequence to `hidden` and `cell`.
  void run(const Tensor& hidden, const std::optional<Tensor>& cell);

 private:
  using On = OnRows<T>;
  using Terms = std::initializer_list<typename On::Term>;

  // Computes the range [first, last) of the state after a step. The gates' products in this range must be complete.
  void advance(int64_t step, int64_t first, int64_t last);
  void multiply_gates(int64_t first, int64_t last, int gates);
  // Computes the range [first, last) of the reset gate, of the update gate, and of the new gate's argument (if the
  // layer resets the product) or the state after the reset.
  void reset(int64_t first, int64_t last);
  // Computes the range [first, last) of the product of the weights and the state after the reset.
  void multiply_reset(int64_t first, int64_t last);
  void gather(int64_t step);
  void round_state();
  // Returns true if products may read zeros in place of subnormal states. The products of subnormal numbers take 10 to
  // 80 times as long on Intel's processors, and saturated gates of LSTMs and GRUs make states subnormal. If no weight
  // exceeds 1,024, a zero changes the argument of a gate by less than 2^-116.
  bool may_flush();
  // Returns the states by which the weights are multiplied.
  const T* factors();
  void clear_ends();
  void finish_rnn(int64_t row, int64_t first, int64_t n, const Spare<T>& spare);
  void finish_gru(int64_t row, int64_t first, int64_t n, const Spare<T>& spare);
  void finish_lstm(int64_t row, int64_t first, int64_t n, const Spare<T>& spare);

  T* gate(int64_t row, int number) { return gates_.data() + (row * count_ + number) * size_; }
  void call(int function, T* x, int64_t n, const Spare<T>& spare) const {
    apply(layer_.functions[function], layer_.clip, x, n, spare);
  }
  bool is_running(int64_t row, int64_t step) const {
    return lengths_.empty() || step < lengths_[static_cast<size_t>(row)];
  }
  int64_t place_in_time(int64_t row, int64_t step) const {
    const int64_t length = lengths_.empty() ? steps_ : lengths_[static_cast<size_t>(row)];
    return layer_.reverse ? length - 1 - step : step;
  }
  // Returns the products of the weights and the elements that a step reads. If the call has lengths, `gather` has
  // copied the products. Otherwise, the products stay in place.
  Rows<const T> input_of(int64_t step, int number);
  template <class Body>
  void for_ranges_of_state(Body&& body) const;

  const Layer& layer_;
  const Tensor& out_;
  int64_t steps_, batch_, size_;
  int count_;
  Tensor input_;
  Tensor hidden_, next_;  // the states before and after a step
  Tensor cell_;
  std::optional<Tensor> peephole_, new_bias_;
  std::vector<int64_t> lengths_;
  Weights<T> weights_;
  std::optional<CodedWeights> coded_;
  RoundedStates states_;
  ScratchArray<T> gates_;     // gates of shape (batch, gates, size)
  ScratchArray<T> gathered_;  // the input's gates of this shape, if sequences differ in length
  ScratchArray<T> reset_;     // the state of shape (batch, size) after the reset or the rounding
  std::vector<T> flushed_;    // the state with zeros in place of subnormal numbers
  std::optional<bool> flushes_;
  const T* factors_ = nullptr;  // the states by which the weights are multiplied
  int64_t step_ = 0;
};

template <class T>
Loop<T>::Loop(const char* op, const Layer& layer, const Operands& x, const Tensor& out)
    : layer_(layer),
      out_(out),
      steps_(x.input.shape[0]),
      batch_(x.input.shape[1]),
      size_(x.weight.shape[1]),
      count_(gate_count(layer.cell)),
      input_(to_contiguous(op, x.input)),
      hidden_(copied(op, x.hidden)),
      next_(make_empty(op, x.hidden.shape, x.hidden.dtype)),
      lengths_(x.lengths.value_or(std::vector<int64_t>{})),
      weights_(op, layer, x.weight, !x.codes && batch_ > 1 && steps_ * batch_ >= costs::packed_rows,
               x.codes.has_value()),
      gates_(batch_ * count_ * size_),
      gathered_(x.lengths ? batch_ * count_ * size_ : 0),
      reset_(layer.cell == Cell::gru || layer.rounds_state ? batch_ * size_ : 0) {
  if (x.cell) cell_ = copied(op, *x.cell);
  if (x.codes) {
    coded_.emplace(op, layer, x);
    states_.codes.resize(static_cast<size_t>(batch_ * size_));
  }
  if (x.peephole) peephole_ = to_contiguous(op, *x.peephole);
  if (!layer.resets_product) return;
  new_bias_ = x.new_bias ? to_contiguous(op, *x.new_bias) : make_empty(op, {size_}, x.weight.dtype);
  if (!x.new_bias) std::fill_n(new_bias_->as<T>(), size_, T(0));
}

template <class T>
Rows<const T> Loop<T>::input_of(int64_t step, int number) {
  const int64_t row = count_ * size_, skip = layer_.place[number] * size_;
  if (!lengths_.empty()) return {gathered_.data() + skip, row};
  return {input_.as<T>() + place_in_time(0, step) * batch_ * row + skip, row};
}

template <class T>
void Loop<T>::multiply_gates(int64_t first, int64_t last, int gates) {
  for (int number = 0; number < gates; ++number) {
    const Rows<T> target{gates_.data() + number * size_, count_ * size_};
    const Rows<const T> input = input_of(step_, number);
    if constexpr (std::is_same_v<T, float>) {
      if (coded_) {
        coded_->multiply(number, batch_, states_, input, target, first, last);
        continue;
      }
    }
    weights_.multiply(number, batch_, {factors_, size_}, input, target, first, last);
  }
}

template <class T>
void Loop<T>::reset(int64_t first, int64_t last) {
  const int64_t n = last - first;
  Scratch row_memory, truth_memory;
  const Spare<T> spare{row_memory.take<T>(n), truth_memory.take<bool>(n)};
  multiply_gates(first, last, new_gate);
  const Rows<const T> input = input_of(step_, new_gate);
  if (layer_.resets_product) {
    const Rows<T> target{gates_.data() + new_gate * size_, count_ * size_};
    weights_.multiply(new_gate, batch_, {factors_, size_}, {new_bias_->as<T>(), 0}, target, first, last);
  }
  for (int64_t row = 0; row < batch_; ++row) {
    T *const factor = gate(row, reset_gate) + first, *const fresh = gate(row, new_gate) + first;
    call(0, factor, n, spare);
    call(0, gate(row, update_gate) + first, n, spare);
    if (layer_.resets_product) {
      On::run(Operation::multiply_add, fresh, {factor, fresh, input[row] + first}, n);
    } else {
      On::run(Operation::multiply, reset_.data() + row * size_ + first, {factor, hidden_.as<T>() + row * size_ + first},
              n);
    }
  }
}

template <class T>
void Loop<T>::multiply_reset(int64_t first, int64_t last) {
  const Rows<T> target{gates_.data() + new_gate * size_, count_ * size_};
  weights_.multiply(new_gate, batch_, {reset_.data(), size_}, input_of(step_, new_gate), target, first, last);
}

template <class T>
void Loop<T>::finish_rnn(int64_t row, int64_t first, int64_t n, const Spare<T>& spare) {
  T* const x = gate(row, 0) + first;
  call(0, x, n, spare);
  std::copy_n(x, n, next_.as<T>() + row * size_ + first);
}

template <class T>
void Loop<T>::finish_gru(int64_t row, int64_t first, int64_t n, const Spare<T>& spare) {
  T *const update = gate(row, update_gate) + first, *const fresh = gate(row, new_gate) + first;
  const T* const before = hidden_.as<T>() + row * size_ + first;
  T* const after = next_.as<T>() + row * size_ + first;
  call(1, fresh, n, spare);
  // The formula fresh + update (before - fresh) would cancel if `before` and `fresh` are large.
  On::run(Operation::multiply, after, {update, before}, n);
  On::run(Operation::subtract, update, {1.0, update}, n);
  On::run(Operation::multiply_add, after, {update, fresh, after}, n);
}

template <class T>
void Loop<T>::finish_lstm(int64_t row, int64_t first, int64_t n, const Spare<T>& spare) {
  T *const input = gate(row, input_gate) + first, *const forget = gate(row, forget_gate) + first;
  T *const fresh = gate(row, cell_gate) + first, *const output = gate(row, output_gate) + first;
  T* const cell = cell_.as<T>() + row * size_ + first;
  const auto peep = [&](int number, T* x) {
    if (!peephole_) return;
    const T* const weights = peephole_->as<T>() + number * size_ + first;
    On::run(Operation::multiply_add, x, {weights, cell, x}, n);
  };
  peep(0, input);
  call(0, input, n, spare);
  if (layer_.couples_gates) {
    On::run(Operation::subtract, forget, {1.0, input}, n);
  } else {
    peep(1, forget);
    call(0, forget, n, spare);
  }
  call(1, fresh, n, spare);
  On::run(Operation::multiply, fresh, {fresh, input}, n);
  On::run(Operation::multiply_add, cell, {forget, cell, fresh}, n);
  peep(2, output);
  call(0, output, n, spare);
  std::copy_n(cell, n, fresh);
  // The code does not clip the cell's state.
  apply(layer_.functions[2], std::numeric_limits<double>::infinity(), fresh, n, spare);
  On::run(Operation::multiply, next_.as<T>() + row * size_ + first, {output, fresh}, n);
}

template <class T>
template <class Body>
void Loop<T>::for_ranges_of_state(Body&& body) const {
  const int64_t width = weights_.width(), panels = ceiling(size_, width);
  const int64_t tasks = std::min(tasks_of_step(batch_, count_, size_), panels);
  const auto range = [&](int64_t task) {
    body(std::min(panels * task / tasks * width, size_), std::min(panels * (task + 1) / tasks * width, size_));
  };
  if (tasks == 1) return range(0);
  parallel_for(tasks, Length::brief, range);
}

template <class T>
void Loop<T>::advance(int64_t step, int64_t first, int64_t last) {
  Scratch row_memory, truth_memory;
  const int64_t n = last - first;
  const Spare<T> spare{row_memory.take<T>(n), truth_memory.take<bool>(n)};
  for (int64_t row = 0; row < batch_; ++row) {
    T* const after = next_.as<T>() + row * size_ + first;
    if (!is_running(row, step)) {
      std::copy_n(hidden_.as<T>() + row * size_ + first, n, after);
      continue;
    }
    switch (layer_.cell) {
      case Cell::rnn:
        finish_rnn(row, first, n, spare);
        break;
      case Cell::gru:
        finish_gru(row, first, n, spare);
        break;
      case Cell::lstm:
        finish_lstm(row, first, n, spare);
        break;
    }
    T* const target = out_.as<T>() + place_in_time(row, step) * out_.strides[0] + row * out_.strides[1];
    std::copy_n(after, n, target + first);
  }
}

template <class T>
void Loop<T>::gather(int64_t step) {
  const int64_t length = count_ * size_;
  for (int64_t row = 0; row < batch_; ++row) {
    const int64_t time = is_running(row, step) ? place_in_time(row, step) : 0;
    std::copy_n(input_.as<T>() + (time * batch_ + row) * length, length, gathered_.data() + row * length);
  }
}

// Rounds the states of all sequences to codes of one scale.
template <class T>
void Loop<T>::round_state() {
  const int64_t n = batch_ * size_;
  const T* const x = hidden_.as<T>();
  const auto scale = DynamicScale<T>::of(On::least(x, n), On::greatest(x, n));
  T* const rounded = reset_.data();
  scale.round(x, rounded, n);
  On::run(Operation::subtract, rounded, {rounded, static_cast<double>(scale.zero)}, n);
  if (!coded_) return On::run(Operation::multiply, rounded, {rounded, static_cast<double>(scale.step)}, n);
  states_.step = static_cast<double>(scale.step);
  const int zero = scale.zero == scale.zero ? static_cast<int>(scale.zero) : 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool is_number = rounded[i] == rounded[i];
    // Integers cannot represent NaN.
    if (!is_number) states_.step = std::numeric_limits<double>::quiet_NaN();
    states_.codes[static_cast<size_t>(i)] = static_cast<uint8_t>(zero + (is_number ? static_cast<int>(rounded[i]) : 0));
  }
  states_.rows.emplace(batch_, size_, ByteCodes{false, zero}, coded_->type());
  for (int64_t row = 0; row < batch_; ++row)
    states_.rows->pack(row, reinterpret_cast<const std::byte*>(states_.codes.data() + row * size_), 1);
}

template <class T>
bool Loop<T>::may_flush() {
  if (!flushes_) flushes_ = layer_.cell != Cell::rnn && weights_.greatest_size() <= T(1024);
  return *flushes_;
}

template <class T>
const T* Loop<T>::factors() {
  if (layer_.rounds_state) return reset_.data();
  const T* const x = hidden_.as<T>();
  const int64_t n = batch_ * size_;
  if (!has_subnormal(x, n) || !may_flush()) return x;
  flushed_.resize(static_cast<size_t>(n));
  flush_subnormals(x, flushed_.data(), n);
  return flushed_.data();
}

template <class T>
void Loop<T>::clear_ends() {
  for (int64_t row = 0; row < batch_; ++row)
    for (int64_t time = lengths_[static_cast<size_t>(row)]; time < steps_; ++time)
      std::fill_n(out_.as<T>() + time * out_.strides[0] + row * out_.strides[1], size_, T(0));
}

template <class T>
void Loop<T>::run(const Tensor& hidden, const std::optional<Tensor>& cell) {
  const bool is_gru = layer_.cell == Cell::gru, in_two = is_gru && !layer_.resets_product;
  int64_t steps = steps_;
  if (!lengths_.empty()) {
    steps = *std::ranges::max_element(lengths_);
    clear_ends();
  }
  for (step_ = 0; step_ < steps; ++step_) {
    if (!lengths_.empty()) gather(step_);
    if (layer_.rounds_state) round_state();
    factors_ = factors();
    for_ranges_of_state([&](int64_t first, int64_t last) {
      is_gru ? reset(first, last) : multiply_gates(first, last, count_);
      if (!in_two) advance(step_, first, last);
    });
    if (in_two) {
      T* const reset = reset_.data();
      if (has_subnormal(reset, batch_ * size_) && may_flush()) flush_subnormals(reset, reset, batch_ * size_);
      for_ranges_of_state([&](int64_t first, int64_t last) {
        multiply_reset(first, last);
        advance(step_, first, last);
      });
    }
    std::swap(hidden_, next_);
  }
  std::copy_n(hidden_.as<T>(), hidden_.size, hidden.as<T>());
  if (cell) std::copy_n(cell_.as<T>(), cell_.size, cell->as<T>());
}

void check(const char* op, const char* what, const Tensor& x, DType dtype, const Dims& shape) {
  check_alive(op, x);
  if (x.dtype != dtype) fail(Status::type_mismatch, op, ": ", what, " is ", name(x.dtype), ", not ", name(dtype));
  if (x.shape != shape) fail(Status::dimensions_mismatch, op, ": ", what, " has shape ", x.shape, ", not ", shape);
}

void check_direction(const char* op, const Direction& direction) {
  const auto& [layer, x, out, hidden, cell] = direction;
  check_alive(op, x.input);
  check_alive(op, x.weight);
  const DType dtype = x.input.dtype;
  if (dtype != DType::float32 && dtype != DType::float64)
    fail(Status::type_mismatch, op, ": elements are ", name(dtype), ", not float32 or float64");
  if (x.input.rank() != 3 || x.weight.rank() != 2)
    fail(Status::dimensions_mismatch, op, ": operands of shapes ", x.input.shape, " and ", x.weight.shape,
         " are not sequences of products and a matrix");
  const int64_t steps = x.input.shape[0], batch = x.input.shape[1], size = x.weight.shape[1];
  const int64_t rows = gate_count(layer.cell) * size;
  check(op, "the weight of the state", x.weight, dtype, {rows, size});
  check(op, "the product of the input", x.input, dtype, {steps, batch, rows});
  check(op, "the first state", x.hidden, dtype, {batch, size});
  if (x.cell) check(op, "the first cell state", *x.cell, dtype, {batch, size});
  if (x.peephole) check(op, "the peephole", *x.peephole, dtype, {3, size});
  if (x.new_bias) check(op, "the bias of the new gate", *x.new_bias, dtype, {size});
  check(op, "the result", out, dtype, {steps, batch, size});
  check(op, "the last state", hidden, dtype, {batch, size});
  if (cell) check(op, "the last cell state", *cell, dtype, {batch, size});
  if ((size > 1 && out.strides[2] != 1) || !hidden.contiguous || (cell && !cell->contiguous))
    fail(Status::internal_error, op, ": the rows of the results are not contiguous");
  if ((layer.cell == Cell::lstm) != x.cell.has_value() || x.cell.has_value() != cell.has_value())
    fail(Status::internal_error, op, ": an LSTM needs a cell state, and other layers have none");
  if (x.codes) {
    check(op, "the codes of the weight", *x.codes, x.codes->dtype, {rows, size});
    check(op, "the scales of the weight", x.scales.value(), DType::float32, {rows});
    check(op, "the zero points of the weight", x.zeros.value(), DType::int32, {rows});
    if (dtype != DType::float32 || size_of(x.codes->dtype) != 1 || !is_integer(x.codes->dtype) || !layer.rounds_state ||
        batch > most_coded_sequences || size > most_byte_terms)
      fail(Status::internal_error, op, ": this layer does not support weights that are codes");
  }
  if (layer.rounds_state && layer.cell == Cell::gru)
    fail(Status::internal_error, op, ": a GRU does not support a rounded state");
  if (!x.lengths) return;
  if (static_cast<int64_t>(x.lengths->size()) != batch)
    fail(Status::dimensions_mismatch, op, ": ", x.lengths->size(), " lengths do not fit a batch of ", batch);
  for (const int64_t length : *x.lengths)
    if (length < 0 || length > steps)
      fail(Status::out_of_range, op, ": length ", length, " of a sequence is outside [0, ", steps, "]");
}

}  // namespace

int gate_count(Cell cell) { return cell == Cell::rnn ? 1 : cell == Cell::gru ? 3 : 4; }

namespace {

void run_direction(const char* op, const Direction& direction) {
  const auto& [layer, x, out, hidden, cell] = direction;
  if (hidden.size == 0) return;
  x.input.dtype == DType::float32 ? Loop<float>(op, layer, x, out).run(hidden, cell)
                                  : Loop<double>(op, layer, x, out).run(hidden, cell);
}

// Returns true if each direction runs on its own thread. Threads that share each step wait for one another at every
// step. Threads therefore share steps only if threads outnumber the directions, and a step has several tasks.
bool run_apart(const std::vector<Direction>& directions) {
  const Direction& first = directions.front();
  const Dims& states = first.hidden.shape;
  return num_threads() <= static_cast<int>(directions.size()) ||
         tasks_of_step(states[0], gate_count(first.layer.cell), states[1]) == 1;
}

}  // namespace

void run(const char* op, const std::vector<Direction>& directions) {
  for (const Direction& direction : directions) check_direction(op, direction);
  const auto each = [&](int64_t i) { run_direction(op, directions[static_cast<size_t>(i)]); };
  const auto count = static_cast<int64_t>(directions.size());
  const Tensor& weight = directions.front().operands.weight;
  const auto work = static_cast<double>(directions.front().operands.input.shape[0]) * static_cast<double>(weight.size);
  if (run_apart(directions)) {
    parallel_for(count, work < static_cast<double>(costs::brief_product) ? Length::brief : Length::any, each);
  } else {
    for (int64_t i = 0; i < count; ++i) each(i);
  }
}

}  // namespace suanzi::recurrent
