// The operator multinomial draws from discrete distributions. A row of weights along the last axis defines each
// distribution.
//
// With replacement, a draw inverts the cumulative weights. If the result is counts, and draws outnumber classes, the
// operator instead draws the count of each class from a binomial distribution, in a time that does not depend on the
// number of draws. Without replacement, the operator draws classes in the order of exponential variates divided by the
// classes' weights (Efraimidis and Spirakis 2006, "Weighted random sampling with a reservoir").
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "base/bisection.h"
#include "kernels/kernel.h"
#include "ops/elementwise/elementwise.h"
#include "ops/random/binomial.h"
#include "ops/random/random.h"
#include "ops/random/random.kernels.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr double greatest = std::numeric_limits<double>::max();
constexpr int64_t tile_elements = 1 << 10;
static_assert(costs::draws_of_task % tile_elements == 0 && tile_elements % random_step == 0);

struct Sampling {
  Tensor weights;  // the contiguous weights
  int64_t classes, rows, count;
  bool replacement;
  uint64_t seed;
};

// Returns uninitialised scratch memory for n elements, as a tensor.
template <class T>
Tensor scratch(int64_t n) {
  return make_empty("multinomial", {n}, dtype_of<T>);
}

void convert(const void* from, DType from_type, void* to, DType to_type, int64_t n) {
  kernels().convert[static_cast<int>(from_type)][static_cast<int>(to_type)](to, &from, n, {});
}

// Returns the largest weight. Throws if a weight is negative, infinite or NaN. The function computes several maxima
// side by side, so that the processor works on the maxima in parallel.
double largest_weight(const double* weights, int64_t n) {
  constexpr int64_t lanes = 4;
  double largest[lanes] = {};
  bool good = true;
  const auto take = [&](int64_t lane, double weight) {
    good &= (weight >= 0) & (weight <= greatest);
    largest[lane] = std::max(largest[lane], weight);
  };
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) take(lane, weights[k + lane]);
  for (; k < n; ++k) take(0, weights[k]);
  for (k = 0; k < n && !good; ++k)
    if (!(weights[k] >= 0 && weights[k] <= greatest))
      fail(Status::invalid_argument, "multinomial: weight ", weights[k], " is not a finite number of at least 0");
  return *std::max_element(largest, largest + lanes);
}

// Computes running sums in place. The function computes the sums in parts, so that an addition depends only on the
// previous addition of the same part.
void cumulate(double* x, int64_t n) {
  constexpr int64_t parts = 8;
  const int64_t each = n / parts;
  for (int64_t i = 1; i < each; ++i)
    for (int64_t part = 0; part < parts; ++part) x[part * each + i] += x[part * each + i - 1];
  for (int64_t part = 1; part < parts && each > 0; ++part) {
    const double before = x[part * each - 1];
    for (int64_t i = 0; i < each; ++i) x[part * each + i] += before;
  }
  for (int64_t i = std::max<int64_t>(parts * each, 1); i < n; ++i) x[i] += x[i - 1];
}

// Reads the weights of a row as float64. The function scales very large or small weights by a power of two, so that
// their sum does not overflow and products with the sum lose no bits. Throws if a weight is negative, infinite or NaN.
// If the row has draws, the function also throws if all weights are 0, or if draws without replacement need more
// classes of positive weight than exist.
void read_weights(const Sampling& s, int64_t row, double* weights) {
  const DType t = s.weights.dtype;
  convert(s.weights.data + row * s.classes * size_of(t), t, weights, DType::float64, s.classes);
  const double largest = largest_weight(weights, s.classes);
  if (s.count == 0) return;
  if (largest == 0) fail(Status::invalid_argument, "multinomial: all ", s.classes, " weights are 0");
  if (!s.replacement) {
    const int64_t support = std::count_if(weights, weights + s.classes, [](double weight) { return weight > 0; });
    if (s.count > support)
      fail(Status::invalid_argument, "multinomial: ", s.count, " draws without replacement from ", support,
           " classes of positive weight");
  }
  if (largest > 0x1p900 || largest < 0x1p-900) {
    const int shift = -std::ilogb(largest);
    for (int64_t k = 0; k < s.classes; ++k)
      if (weights[k] > 0)
        weights[k] = std::max(std::ldexp(weights[k], shift), std::numeric_limits<double>::denorm_min());
  }
}

// Calls body(i, u, n) for the uniform numbers first + i, ..., first + i + n - 1, a tile at a time.
template <class Body>
void for_tiles(const RandomParams& params, int64_t first, int64_t count, double* tile, Body body) {
  const RandomKernel draw = kernels().random->uniform[static_cast<int>(DType::float64)];
  // The kernel must begin at a multiple of random_step.
  for (int64_t i = first / random_step * random_step; i < first + count; i += tile_elements) {
    const int64_t n = std::min(tile_elements, first + count - i), skip = std::max<int64_t>(0, first - i);
    draw(tile, i, n, params);
    body(i + skip - first, tile + skip, n - skip);
  }
}

// Draws classes by cumulative weights. The class of u is the first class whose cumulative weight exceeds u times the
// total.
class Inversion {
 public:
  Inversion(const double* cumulated, int64_t classes)
      : cumulated_(cumulated),
        total_(cumulated[classes - 1]),
        last_(std::lower_bound(cumulated, cumulated + classes, total_)) {}

  // Writes the classes of the uniform numbers u[0 .. n-1], where n is at most tile_elements.
  void operator()(int64_t* classes, const double* u, int64_t n) const {
    double sums[tile_elements];
    for (int64_t i = 0; i < n; ++i) sums[i] = u[i] * total_;
    bisect<true>(classes, sums, n, cumulated_, last_ - cumulated_);
  }

 private:
  const double* cumulated_;
  double total_;
  const double* last_;  // the last class with a positive weight, also chosen for products rounded up to the total
};

RandomParams choice_params(const Sampling& s) { return {.seed = s.seed, .stream = philox::Stream::choice}; }

// Counts the draws of each class of a row. Each draw is an inversion.
void count_choices(const Sampling& s, int64_t row, const Inversion& choose, int64_t* counts) {
  double tile[tile_elements];
  int64_t classes[tile_elements];
  for_tiles(choice_params(s), row * s.count, s.count, tile, [&](int64_t, const double* u, int64_t n) {
    choose(classes, u, n);
    for (int64_t i = 0; i < n; ++i) ++counts[classes[i]];
  });
}

struct Candidate {
  double key;
  int64_t index;
  bool operator<(const Candidate& other) const { return key != other.key ? key < other.key : index < other.index; }
};

// Draws `count` classes without replacement, and calls take(i, class) for these draws in their order. The draws are the
// classes with the least keys, which are exponential variates divided by the weights.
template <class Take>
void choose_distinct(const Sampling& s, int64_t row, const double* weights, Take take) {
  const Kernel log = kernels().elementwise[static_cast<int>(Operation::log)][static_cast<int>(DType::float64)];
  const RandomParams params{.seed = s.seed, .stream = philox::Stream::choice, .low = {0x1p-54, 0x1p-54}};
  // Whenever the memory has no room for another tile, the code discards all candidates except the least `count`
  // candidates.
  const Tensor held = scratch<std::complex<double>>(2 * s.count + tile_elements);
  static_assert(sizeof(Candidate) == sizeof(std::complex<double>));
  auto* const least = reinterpret_cast<Candidate*>(held.data);
  int64_t found = 0;
  double bound = HUGE_VAL;
  double tile[tile_elements];
  for_tiles(params, row * s.classes, s.classes, tile, [&](int64_t first, double* u, int64_t n) {
    const void* in = u;
    log(u, &in, n, {});
    for (int64_t k = 0; k < n; ++k) {
      const double key = weights[first + k] > 0 ? std::min(-u[k] / weights[first + k], greatest) : HUGE_VAL;
      if (key < bound) least[found++] = {key, first + k};
    }
    if (found + tile_elements <= held.size) return;
    std::nth_element(least, least + s.count - 1, least + found);
    found = s.count;
    bound = least[s.count - 1].key;
  });
  std::partial_sort(least, least + s.count, least + found);
  for (int64_t i = 0; i < s.count; ++i) take(i, least[i].index);
}

// Counts the draws of a row class by class, for many draws. The count of each class depends on the draws that are left
// for this class and later classes.
void count_by_class(const Sampling& s, int64_t row, const double* weights, int64_t* counts) {
  const Tensor held = scratch<double>(s.classes);
  double* const from_here = held.as<double>();
  double sum = 0;
  for (int64_t k = s.classes - 1; k >= 0; --k) from_here[k] = sum += weights[k];
  const detail::WholeNumbers counted = detail::whole_numbers(DType::float64);  // `binomial` computes in float64
  int64_t left = s.count;
  for (int64_t k = 0; k < s.classes; ++k) {
    if (left > counted.most() && weights[k] > 0 && weights[k] < from_here[k])
      fail(Status::out_of_range, "multinomial: num_samples = ", s.count, " is greater than ", counted.most(),
           ", the greatest number of draws that are counted exactly");
    Draws draws(s.seed, static_cast<uint64_t>(row * s.classes + k));
    counts[k] = left == 0 || weights[k] == 0 ? 0 : binomial(left, weights[k] / from_here[k], draws);
    left -= counts[k];
  }
}

// Adds the number of draws of each class of a row to `counts`.
void count_draws(const Sampling& s, int64_t row, double* weights, int64_t* counts) {
  if (!s.replacement) {
    choose_distinct(s, row, weights, [&](int64_t, int64_t k) { counts[k] = 1; });
  } else if (s.count > s.classes) {
    count_by_class(s, row, weights, counts);
  } else {
    cumulate(weights, s.classes);
    count_choices(s, row, Inversion(weights, s.classes), counts);
  }
}

// Fails if the type t would round a count, because counts must be exact.
void check_counts(const int64_t* counts, int64_t n, DType t) {
  int64_t most = 0;
  for (int64_t k = 0; k < n; ++k) most = std::max(most, counts[k]);
  const detail::WholeNumbers held = detail::whole_numbers(t);
  if (most <= held.most()) return;
  for (int64_t k = 0; k < n; ++k)
    if (!held.has(static_cast<uint64_t>(counts[k])))
      fail(Status::out_of_range, "multinomial: ", counts[k], " draws of class ", k, " are more than ", name(t),
           " counts exactly; use output='indices' or weights of a wider type");
}

void count_row(const Sampling& s, int64_t row, const Tensor& result) {
  const Tensor weights = scratch<double>(s.classes), counts = scratch<int64_t>(s.classes);
  read_weights(s, row, weights.as<double>());
  std::fill_n(counts.as<int64_t>(), s.classes, 0);
  if (s.count > 0) count_draws(s, row, weights.as<double>(), counts.as<int64_t>());
  check_counts(counts.as<int64_t>(), s.classes, result.dtype);
  convert(counts.data, DType::int64, result.data + row * s.classes * size_of(result.dtype), result.dtype, s.classes);
}

void index_row(const Sampling& s, int64_t row, const Tensor& result) {
  const Tensor held = scratch<double>(s.classes);
  double* const weights = held.as<double>();
  read_weights(s, row, weights);
  if (s.count == 0) return;
  int64_t* const target = result.as<int64_t>() + row * s.count;
  if (!s.replacement) return choose_distinct(s, row, weights, [&](int64_t i, int64_t k) { target[i] = k; });
  cumulate(weights, s.classes);
  const Inversion choose(weights, s.classes);
  parallel_for((s.count + costs::draws_of_task - 1) / costs::draws_of_task, [&](int64_t task) {
    const int64_t begin = task * costs::draws_of_task, n = std::min(costs::draws_of_task, s.count - begin);
    double tile[tile_elements];
    for_tiles(choice_params(s), row * s.count + begin, n, tile,
              [&](int64_t first, const double* u, int64_t m) { choose(target + begin + first, u, m); });
  });
}

}  // namespace

Tensor multinomial(const Tensor& p, int64_t count, bool replacement, uint64_t seed, bool indices) {
  check_alive("multinomial", p);
  if (!is_floating(p.dtype))
    fail(Status::type_mismatch, "multinomial: element type ", name(p.dtype), " is not floating");
  if (p.rank() == 0) fail(Status::dimensions_mismatch, "multinomial: weights of shape () have no axis of classes");
  if (count < 0) fail(Status::invalid_argument, "multinomial: num_samples = ", count, " is negative");
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
  const int64_t each = std::max<int64_t>(1, costs::classes_of_task / classes);
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
