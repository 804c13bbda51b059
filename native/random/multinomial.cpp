// multinomial: draws from a discrete distribution given by weights, one for each row of the last axis.
//
// With replacement a draw inverts the cumulated weights; the counts of more draws than there are classes come class by
// class from binomial distributions instead, which takes no longer for more draws. Without replacement the classes are
// taken in the order of exponential variates divided by their weights (Efraimidis and Spirakis 2006, "Weighted random
// sampling with a reservoir").
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/kernel.h"
#include "random/binomial.h"
#include "random/random.h"
#include "runtime/threads.h"
#include "tile/elementwise.h"

namespace suanzi {
namespace {

constexpr int64_t tile_elements = 1 << 10;
constexpr int64_t draws_per_task = 1 << 13;
constexpr int64_t classes_per_task = 1 << 15;
static_assert(draws_per_task % tile_elements == 0 && tile_elements % random_step == 0);

struct Sampling {
  Tensor weights;  // contiguous
  int64_t classes, rows, count;
  bool replacement;
  uint64_t seed;
};

// A scratch vector of the allocator's.
template <class T>
Tensor scratch(int64_t n) {
  return make_empty("multinomial", {n}, dtype_of<T>);
}

void convert(const void* from, DType from_type, void* to, DType to_type, int64_t n) {
  kernels().convert[static_cast<int>(from_type)][static_cast<int>(to_type)](to, &from, n, {});
}

// The weights of a row as float64. Very large or small ones are scaled by a power of two, so that neither their sum
// overflows nor products with it lose bits. Throws where they are no distribution to draw from.
void read_weights(const Sampling& s, int64_t row, double* weights) {
  const DType t = s.weights.dtype;
  convert(s.weights.data + row * s.classes * size_of(t), t, weights, DType::float64, s.classes);
  double greatest = 0;
  int64_t support = 0;
  for (int64_t k = 0; k < s.classes; ++k) {
    if (!(weights[k] >= 0 && weights[k] <= 0x1.fffffffffffffp1023))
      fail(Status::invalid_argument, "multinomial: weight ", weights[k], " is not a finite number from 0 on");
    greatest = std::max(greatest, weights[k]);
    support += weights[k] > 0;
  }
  if (s.count == 0) return;
  if (support == 0) fail(Status::invalid_argument, "multinomial: all ", s.classes, " weights are 0");
  if (!s.replacement && s.count > support)
    fail(Status::invalid_argument, "multinomial: ", s.count, " draws without replacement from ", support,
         " classes of positive weight");
  if (greatest > 0x1p900 || greatest < 0x1p-900) {
    const int shift = -std::ilogb(greatest);
    for (int64_t k = 0; k < s.classes; ++k) weights[k] = std::ldexp(weights[k], shift);
  }
}

// body(i, u) for uniform numbers u in (0, 1] number first, ..., first + n - 1.
template <class Body>
void for_uniform(const Sampling& s, int64_t first, int64_t n, double low, Body body) {
  const RandomParams params{.seed = s.seed, .stream = philox::Stream::choice, .low = {low, low}};
  const RandomKernel draw = kernels().random.uniform[static_cast<int>(DType::float64)];
  double u[tile_elements];
  // The kernel begins at multiples of random_step.
  for (int64_t i = first / random_step * random_step; i < first + n; i += tile_elements) {
    const int64_t m = std::min(tile_elements, first + n - i);
    draw(u, i, m, params);
    for (int64_t k = std::max<int64_t>(0, first - i); k < m; ++k) body(i + k - first, u[k]);
  }
}

// take(i, class) for draws [begin, begin + n) of a row, by its cumulated weights.
template <class Take>
void choose(const Sampling& s, int64_t row, const double* cumulated, int64_t begin, int64_t n, Take take) {
  const double total = cumulated[s.classes - 1];
  // The last class of positive weight: a product rounded up to the total belongs to it.
  const double* const last = std::lower_bound(cumulated, cumulated + s.classes, total);
  for_uniform(s, row * s.count + begin, n, 0.0,
              [&](int64_t i, double u) { take(begin + i, std::upper_bound(cumulated, last, u * total) - cumulated); });
}

// order[0 .. count) are the classes drawn without replacement, in the order of the draws.
void choose_distinct(const Sampling& s, int64_t row, double* weights, int64_t* order) {
  const Tensor held = scratch<double>(s.classes);
  double* const keys = held.as<double>();
  for_uniform(s, row * s.classes, s.classes, 0x1p-54, [&](int64_t k, double u) { keys[k] = u; });
  const void* in = keys;
  const Kernel log = kernels().elementwise[static_cast<int>(Operation::log)][static_cast<int>(DType::float64)];
  log(keys, &in, s.classes, {});
  for (int64_t k = 0; k < s.classes; ++k) weights[k] = weights[k] > 0 ? -keys[k] / weights[k] : HUGE_VAL;
  std::iota(order, order + s.classes, int64_t{0});
  const auto sooner = [&](int64_t a, int64_t b) { return weights[a] != weights[b] ? weights[a] < weights[b] : a < b; };
  std::nth_element(order, order + s.count - 1, order + s.classes, sooner);
  std::sort(order, order + s.count, sooner);
}

// How often each class is drawn, where there are many draws: class by class, given what is left for it and those after.
void count_by_class(const Sampling& s, int64_t row, const double* weights, int64_t* counts) {
  const Tensor held = scratch<double>(s.classes);
  double* const from_here = held.as<double>();
  double sum = 0;
  for (int64_t k = s.classes - 1; k >= 0; --k) from_here[k] = sum += weights[k];
  int64_t left = s.count;
  for (int64_t k = 0; k < s.classes; ++k) {
    Draws draws(s.seed, static_cast<uint64_t>(row * s.classes + k));
    counts[k] = left == 0 || weights[k] == 0 ? 0 : binomial(left, weights[k] / from_here[k], draws);
    left -= counts[k];
  }
}

// Adds the draws of a row to `counts`.
void count_draws(const Sampling& s, int64_t row, double* weights, int64_t* counts) {
  if (!s.replacement) {
    const Tensor order = scratch<int64_t>(s.classes);
    choose_distinct(s, row, weights, order.as<int64_t>());
    for (int64_t i = 0; i < s.count; ++i) counts[order.as<int64_t>()[i]] = 1;
  } else if (s.count > s.classes) {
    count_by_class(s, row, weights, counts);
  } else {
    std::partial_sum(weights, weights + s.classes, weights);
    choose(s, row, weights, 0, s.count, [&](int64_t, int64_t k) { ++counts[k]; });
  }
}

void count_row(const Sampling& s, int64_t row, const Tensor& result) {
  const Tensor weights = scratch<double>(s.classes), counts = scratch<int64_t>(s.classes);
  read_weights(s, row, weights.as<double>());
  std::fill_n(counts.as<int64_t>(), s.classes, 0);
  if (s.count > 0) count_draws(s, row, weights.as<double>(), counts.as<int64_t>());
  convert(counts.data, DType::int64, result.data + row * s.classes * size_of(result.dtype), result.dtype, s.classes);
}

void index_row(const Sampling& s, int64_t row, const Tensor& result) {
  const Tensor held = scratch<double>(s.classes);
  double* const weights = held.as<double>();
  read_weights(s, row, weights);
  if (s.count == 0) return;
  int64_t* const target = result.as<int64_t>() + row * s.count;
  if (!s.replacement) {
    const Tensor order = scratch<int64_t>(s.classes);
    choose_distinct(s, row, weights, order.as<int64_t>());
    std::copy_n(order.as<int64_t>(), s.count, target);
    return;
  }
  std::partial_sum(weights, weights + s.classes, weights);
  const int64_t tasks = (s.count + draws_per_task - 1) / draws_per_task;
  parallel_for(tasks, [&](int64_t task) {
    const int64_t begin = task * draws_per_task;
    choose(s, row, weights, begin, std::min(draws_per_task, s.count - begin),
           [&](int64_t i, int64_t k) { target[i] = k; });
  });
}

}  // namespace

Tensor multinomial(const Tensor& p, int64_t count, bool replacement, uint64_t seed, bool indices) {
  check_alive("multinomial", p);
  if (!is_floating(p.dtype))
    fail(Status::type_mismatch, "multinomial: element type ", name(p.dtype), " is not floating");
  if (p.rank() == 0) fail(Status::dimensions_mismatch, "multinomial: a scalar has no classes, it needs an axis");
  if (count < 0) fail(Status::invalid_argument, "multinomial: num_samples = ", count, " is negative");
  if (!indices && p.dtype == DType::float16 && count > 65504)
    fail(Status::out_of_range, "multinomial: ", count, " draws may be more than float16 holds, 65504");
  const int64_t classes = p.shape[p.rank() - 1];
  Dims outer = p.shape;
  outer.resize(p.rank() - 1, 0);
  const int64_t rows = product(outer);
  if (classes == 0 && rows > 0 && count > 0)
    fail(Status::invalid_argument, "multinomial: shape ", p.shape, " has no class to draw");
  Dims shape = outer;
  shape.push_back(indices ? count : classes);
  const Tensor result = make_empty("multinomial", shape, indices ? DType::int64 : p.dtype);
  if (p.size == 0) return result;
  const Sampling s{p.contiguous ? p : to_contiguous("multinomial", p),
                   classes,
                   rows,
                   count,
                   replacement,
                   detail::effective_seed(seed)};
  const int64_t each = std::max<int64_t>(1, classes_per_task / classes);
  parallel_for((rows + each - 1) / each, [&](int64_t task) {
    for (int64_t row = task * each; row < std::min(rows, (task + 1) * each); ++row) {
      if (indices) {
        index_row(s, row, result);
      } else {
        count_row(s, row, result);
      }
    }
  });
  return result;
}

}  // namespace suanzi
