#include "ops/normalise/normalise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/elementwise/on_rows.h"
#include "runtime/costs.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr int64_t passes = 8;  // the work of a row, as a multiple of the work of a copy

// Returns the mean of the squares of a row, or of the squares of the distances from the row's mean. If `centres` is
// true, the function uses the distances, and writes the distances to `out`.
template <class T>
T mean_square(const T* x, T* out, int64_t n, bool centres, T* squares) {
  using On = OnRows<T>;
  const auto mean_of = [n](const T* row) { return static_cast<T>(On::sum(row, n) / static_cast<double>(n)); };
  if (centres) {
    On::run(Operation::subtract, out, {x, static_cast<double>(mean_of(x))}, n);
    x = out;
  }
  On::run(Operation::square, squares, {x}, n);
  return mean_of(squares);
}

// Returns a power of two that scales the elements of a row so that their squares stay in the range of T. Returns 0 for
// a row of zeros, and for a row with an infinity or NaN.
template <class T>
double power_for(const T* x, int64_t n) {
  constexpr int most = std::numeric_limits<T>::max_exponent - 8, place = 20;
  T greatest = 0;
  for (int64_t i = 0; i < n; ++i) greatest = std::abs(x[i]) <= greatest ? greatest : std::abs(x[i]);
  return greatest > 0 && std::isfinite(greatest) ? std::ldexp(1.0, std::min(place - std::ilogb(greatest), most)) : 0;
}

template <class T>
void normalise(const T* x, T* out, int64_t n, const Normalisation& how, T* squares) {
  using On = OnRows<T>;
  // Below `least`, squares that underflowed may be significant.
  constexpr T least = std::numeric_limits<T>::min() * (T(1) / std::numeric_limits<T>::epsilon());
  const T square = mean_square(x, out, n, how.centres, squares);
  const bool leaves_range = !(square + how.eps >= least && square < std::numeric_limits<T>::infinity());
  const double power = leaves_range ? power_for(x, n) : 0;
  if (power == 0) {
    T scale = square;
    On::run(Operation::add, &scale, {&scale, how.eps}, 1);
    On::run(Operation::rsqrt, &scale, {&scale}, 1);
    On::run(Operation::multiply, out, {how.centres ? out : x, static_cast<double>(scale)}, n);
  } else {
    On::run(Operation::multiply, out, {x, power}, n);
    const double scaled = mean_square(out, out, n, how.centres, squares);
    On::run(Operation::multiply, out, {out, 1 / std::sqrt(scaled + how.eps * power * power)}, n);
  }
  const T* const weight = how.weight ? how.weight->as<T>() : nullptr;
  const T* const bias = how.bias ? how.bias->as<T>() : nullptr;
  if (weight && bias) {
    On::run(Operation::multiply_add, out, {out, weight, bias}, n);
  } else if (weight) {
    On::run(Operation::multiply, out, {out, weight}, n);
  } else if (bias) {
    On::run(Operation::add, out, {out, bias}, n);
  }
}

template <class T>
void normalise_all(const Tensor& x, const Tensor& out, int64_t n, const Normalisation& how) {
  share(passes * x.nbytes(), x.size / n, [&](int64_t first, int64_t last) {
    const ScratchArray<T> squares(n);
    for (int64_t row = first; row < last; ++row)
      normalise(x.as<T>() + row * n, out.as<T>() + row * n, n, how, squares.data());
  });
}

template <class T>
struct Channel {
  // Each pointer is null or points to one number for each channel.
  const T *centre, *factor, *bias;
};

template <class T>
void scale(const T* x, T* out, int64_t n, const Channel<T>& channel) {
  using On = OnRows<T>;
  const auto number = [](const T* of) { return static_cast<double>(*of); };
  if (channel.centre) {
    On::run(Operation::subtract, out, {x, number(channel.centre)}, n);
    x = out;
  }
  if (channel.factor && channel.bias) {
    On::run(Operation::multiply_add, out, {x, number(channel.factor), number(channel.bias)}, n);
  } else if (channel.factor) {
    On::run(Operation::multiply, out, {x, number(channel.factor)}, n);
  } else if (channel.bias) {
    On::run(Operation::add, out, {x, number(channel.bias)}, n);
  }
}

// Returns the factors of the channels. The factors are in `memory` unless the factors are the weight. If the channels
// have no factors, the function returns null.
template <class T>
const T* factors_of(const ChannelScaling& how, int64_t channels, T* memory) {
  using On = OnRows<T>;
  const T* const weight = how.weight ? how.weight->as<T>() : nullptr;
  if (!how.variance) return weight;
  On::run(Operation::add, memory, {how.variance->as<T>(), how.eps}, channels);
  On::run(Operation::rsqrt, memory, {memory}, channels);
  if (weight) On::run(Operation::multiply, memory, {memory, weight}, channels);
  return memory;
}

template <class T>
void scale_all(const Tensor& x, const Tensor& out, int64_t channels, const ChannelScaling& how) {
  const int64_t planes = x.shape[0] * channels, places = x.size / planes;
  const int64_t pieces = (places - 1) / costs::stepped_elements + 1;
  const ScratchArray<T> memory(how.variance ? channels : 0);
  const auto numbers = [](const std::optional<Tensor>& of) { return of ? of->as<T>() : nullptr; };
  const Channel<T> first_channel{numbers(how.centre), factors_of(how, channels, memory.data()), numbers(how.bias)};
  const auto at = [](const T* numbers, int64_t channel) { return numbers ? numbers + channel : nullptr; };
  share(2 * x.nbytes(), planes * pieces, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t plane = i / pieces, place = i % pieces * costs::stepped_elements, channel = plane % channels;
      const int64_t start = plane * places + place;
      scale(x.as<T>() + start, out.as<T>() + start, std::min(costs::stepped_elements, places - place),
            {at(first_channel.centre, channel), at(first_channel.factor, channel), at(first_channel.bias, channel)});
    }
  });
}

void check_floats(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (x.dtype != DType::float32 && x.dtype != DType::float64)
    fail(Status::type_mismatch, op, ": elements are ", name(x.dtype), ", not float32 or float64");
}

void check_parameter(const char* op, std::optional<Tensor>& parameter, DType dtype, int64_t n) {
  if (!parameter) return;
  check_alive(op, *parameter);
  if (parameter->dtype != dtype || parameter->size != n)
    fail(Status::internal_error, op, ": a parameter of shape ", parameter->shape, " and type ", name(parameter->dtype),
         " is not one of ", n, " elements of ", name(dtype));
  parameter = to_contiguous(op, *parameter);
}

// Computes the softmax of a few rows. `greatest` and `sums` have room for one number of each row.
template <class T>
void softmax(const T* x, T* out, int64_t n, int64_t rows, T* greatest, double* sums) {
  using On = OnRows<T>;
  On::greatest_of(greatest, x, n, rows);
  for (int64_t row = 0; row < rows; ++row)
    On::run(Operation::subtract, out + row * n, {x + row * n, static_cast<double>(greatest[row])}, n);
  On::run(Operation::exp, out, {out}, n * rows);
  On::sums_of(sums, out, n, rows);
  for (int64_t row = 0; row < rows; ++row)
    On::run(Operation::true_divide, out + row * n, {out + row * n, sums[row]}, n);
}

template <class T>
void softmax_all(const Tensor& x, const Tensor& out, int64_t n) {
  const int64_t together = std::max<int64_t>(costs::stepped_elements / n, 1);
  share(passes * x.nbytes(), x.size / n, [&](int64_t first, int64_t last) {
    const ScratchArray<T> greatest(together);
    const ScratchArray<double> sums(together);
    for (int64_t row = first; row < last; row += together)
      softmax(x.as<T>() + row * n, out.as<T>() + row * n, n, std::min(together, last - row), greatest.data(),
              sums.data());
  });
}

}  // namespace

Tensor normalise_rows(const char* op, const Tensor& given, int axes, const Normalisation& asked) {
  check_floats(op, given);
  if (axes < 0 || axes > given.rank())
    fail(Status::out_of_range, op, ": ", axes, " axes are not between 0 and the ", given.rank(), " of shape ",
         given.shape);
  int64_t n = 1;
  for (int d = given.rank() - axes; d < given.rank(); ++d) n *= given.shape[d];
  Normalisation how = asked;
  check_parameter(op, how.weight, given.dtype, n);
  check_parameter(op, how.bias, given.dtype, n);
  const Tensor x = to_contiguous(op, given);
  Tensor out = make_empty(op, x.shape, x.dtype);
  if (x.size == 0) return out;
  x.dtype == DType::float32 ? normalise_all<float>(x, out, n, how) : normalise_all<double>(x, out, n, how);
  return out;
}

Tensor scale_channels(const char* op, const Tensor& given, const ChannelScaling& asked) {
  check_floats(op, given);
  if (given.rank() < 2) fail(Status::dimensions_mismatch, op, ": shape ", given.shape, " has no channels");
  const int64_t channels = given.shape[1];
  ChannelScaling how = asked;
  for (std::optional<Tensor>* parameter : {&how.centre, &how.variance, &how.weight, &how.bias})
    check_parameter(op, *parameter, given.dtype, channels);
  const Tensor x = to_contiguous(op, given);
  if (!how.centre && !how.variance && !how.weight && !how.bias) return x;
  Tensor out = make_empty(op, x.shape, x.dtype);
  if (x.size == 0) return out;
  x.dtype == DType::float32 ? scale_all<float>(x, out, channels, how) : scale_all<double>(x, out, channels, how);
  return out;
}

Tensor softmax_rows(const char* op, const Tensor& given) {
  check_floats(op, given);
  if (given.rank() == 0) fail(Status::out_of_range, op, ": a number has no axis");
  const Tensor x = to_contiguous(op, given);
  Tensor out = make_empty(op, x.shape, x.dtype);
  if (x.size == 0) return out;
  const int64_t n = x.shape[x.rank() - 1];
  x.dtype == DType::float32 ? softmax_all<float>(x, out, n) : softmax_all<double>(x, out, n);
  return out;
}

}  // namespace suanzi
