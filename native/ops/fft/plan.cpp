#include "ops/fft/plan.h"

#include <algorithm>
#include <list>
#include <mutex>

#include "kernels/kernel.h"
#include "ops/fft/line.h"
#include "ops/fft/roots.h"
#include "runtime/fork.h"

namespace suanzi::fft {
namespace {

// Returns the prime factors of n that are at most max_radix, in descending order, and sets `rest` to the remaining
// factor of n.
std::vector<int> small_factors(int64_t n, int64_t& rest) {
  std::vector<int> factors;
  for (int p = 2; p <= max_radix && n > 1; ++p)
    for (; n % p == 0; n /= p) factors.push_back(p);
  rest = n;
  std::ranges::reverse(factors);
  return factors;
}

// Returns the radices of the passes of a smooth length. The order of the radices is 8, 4, 2 and odd radices. The
// radices 8 and 4 use as many factors 2 as possible. Odd radices are last, because the last passes have many columns.
std::vector<int> radices_of(int64_t n) {
  int64_t rest;
  std::vector<int> radices, odd = small_factors(n, rest);
  auto twos = static_cast<int>(std::ranges::count(odd, 2));
  std::erase(odd, 2);
  // A factor of 16 becomes two radices 4, unless the first pass over a line needs radix 8.
  const bool two_fours = twos % 3 == 1 && (twos > 4 || n < 64);
  for (; twos >= (two_fours ? 5 : 3); twos -= 3) radices.push_back(8);
  for (; twos >= 2; twos -= 2) radices.push_back(4);
  if (twos) radices.push_back(2);
  radices.insert(radices.end(), odd.begin(), odd.end());
  return radices;
}

// Memory for tables, in pieces that begin on a cache line.
template <class T>
class Tables {
 public:
  static int64_t padded(int64_t count) { return (count + 63) / 64 * 64; }

  Tables(Scratch& memory, size_t& bytes, int64_t count) : next_(memory.take<T>(count)) {
    bytes = static_cast<size_t>(count) * sizeof(T);
  }
  T* take(int64_t count) { return std::exchange(next_, next_ + padded(count)); }
  Planes<T> take_planes(int64_t count) {
    T* const re = take(count);
    return {re, take(count)};
  }

 private:
  T* next_;
};

template <class T>
void put(Planes<T> planes, int64_t i, std::complex<double> z) {
  planes.re[i] = static_cast<T>(z.real());
  planes.im[i] = static_cast<T>(z.imag());
}

template <class T>
Planes<const T> constant(Planes<T> x) {
  return {x.re, x.im};
}

// Returns the divisor of a smooth length that is nearest to the length's square root without exceeding this root.
int64_t middle_divisor(int64_t n) {
  int64_t rest;
  std::vector<int64_t> divisors{1};
  for (const int factor : small_factors(n, rest)) {
    const size_t count = divisors.size();
    for (size_t i = 0; i < count; ++i)
      if (const int64_t d = divisors[i] * factor; d <= n / d) divisors.push_back(d);
    std::ranges::sort(divisors);
    divisors.erase(std::ranges::unique(divisors).begin(), divisors.end());
  }
  return divisors.back();
}

// Returns the least length of at least n among the lengths 2^i 3^j 5^k with i >= 6, j <= 3 and k <= 3. These lengths
// have enough factors 2 for passes over a line.
int64_t convolution_length(int64_t n) {
  int64_t best = 128;
  while (best < n) best *= 2;
  for (int64_t fives = 1; fives <= 125; fives *= 5) {
    for (int64_t odd = fives; odd <= 27 * fives; odd *= 3) {
      int64_t length = 64 * odd;
      while (length < n) length *= 2;
      best = std::min(best, length);
    }
  }
  return best;
}

}  // namespace

template <>
const FftKernelsOf<float>& fft_kernels<float>() {
  return kernels().fft->single;
}
template <>
const FftKernelsOf<double>& fft_kernels<double>() {
  return kernels().fft->twice;
}

bool is_smooth(int64_t n) {
  int64_t rest;
  small_factors(n, rest);
  return rest == 1;
}

template <class T>
Passes<T>::Passes(int64_t length) : n(length) {
  const std::vector<int> radices = radices_of(n);
  fits_line = radices.size() > 1 && radices[0] == 8;
  int64_t numbers = 0, left = n;
  for (const int radix : radices) {
    left /= radix;
    numbers += 2 * Tables<T>::padded((radix - 1) * left) + 2 * Tables<T>::padded(radix);
  }
  Tables<T> tables(memory, bytes, numbers);
  left = n;
  for (const int radix : radices) {
    const Roots roots(left), few(radix);
    left /= radix;
    const Planes<T> twiddles = tables.take_planes((radix - 1) * left), circle = tables.take_planes(radix);
    for (int k = 1; k < radix; ++k)
      for (int64_t p = 0; p < left; ++p) put(twiddles, (k - 1) * left + p, roots(p * k));
    for (int k = 0; k < radix; ++k) put(circle, k, std::conj(few(k)));
    list.push_back({radix, left, constant(twiddles), constant(circle)});
  }
}

template <class T>
LinePlan<T>::LinePlan(int64_t length) : n(length) {
  if (!is_smooth(n)) {
    method = Method::chirp;
    plan_chirp();
    return;
  }
  if (n <= longest_line<T>) {
    passes = planned<Passes<T>>(n);
    if (passes->fits_line) method = Method::line;
    if (passes->fits_line || n < costs::least_split) return;
  }
  method = Method::split;
  passes = nullptr;
  plan_split();
}

template <class T>
void LinePlan<T>::plan_split() {
  constexpr int64_t width = block_columns<T>;
  const int64_t height = middle_divisor(n);
  rows = planned<Passes<T>>(height);
  columns = planned<Passes<T>>(n / height);
  const int64_t blocks = (columns->n + width - 1) / width;
  Tables<T> tables(memory, bytes, 2 * Tables<T>::padded(height * width) + 2 * Tables<T>::padded(height * blocks));
  each = tables.take_planes(height * width);
  by = tables.take_planes(height * blocks);
  const Roots roots(n);
  for (int64_t k = 0; k < height; ++k) {
    for (int64_t q = 0; q < width; ++q) put(each, k * width + q, roots(k * q % n));
    for (int64_t b = 0; b < blocks; ++b) put(by, b * height + k, roots(k * b * width));
  }
}

template <class T>
void LinePlan<T>::plan_chirp() {
  inner = planned<LinePlan<T>>(convolution_length(2 * n - 1));
  const int64_t m = inner->n;
  Tables<T> tables(memory, bytes, Tables<T>::padded(2 * n) + Tables<T>::padded(2 * m));
  chirp = tables.take(2 * n);
  spectrum = tables.take(2 * m);
  Scratch scratch;
  T* const conjugate = scratch.take<T>(2 * m);
  std::fill_n(conjugate, 2 * m, T(0));
  const Roots roots(2 * n);
  // The loop computes k² modulo 2n from (k - 1)².
  for (int64_t k = 0, square = 0; k < n; ++k) {
    const std::complex<double> root = roots(square);
    chirp[2 * k] = static_cast<T>(root.real());
    chirp[2 * k + 1] = static_cast<T>(root.imag());
    for (const int64_t at : {k, k ? m - k : 0}) {
      conjugate[2 * at] = chirp[2 * k];
      conjugate[2 * at + 1] = -chirp[2 * k + 1];
    }
    square = (square + 2 * k + 1) % (2 * n);
  }
  transform_line(*inner, spectrum, conjugate, false, static_cast<T>(1 / static_cast<double>(m)));
}

template <class T>
HalfRoots<T>::HalfRoots(int64_t n) {
  const int64_t count = n / 2 + 1;
  Tables<T> tables(memory, bytes, 2 * Tables<T>::padded(count));
  roots = tables.take_planes(count);
  const Roots all(n);
  for (int64_t k = 0; k < count; ++k) put(roots, k, all(k));
}

namespace {

// Returns the mutex that guards the plans of all kinds.
std::mutex& plans_mutex() {
  static std::mutex mutex;
  return mutex;
}
[[maybe_unused]] const int held_across_fork = hold_across_fork<plans_mutex>();

// The most recently used plans of one kind.
template <class Plan>
class Cache {
 public:
  std::shared_ptr<const Plan> find(int64_t n) {
    const std::lock_guard locked(plans_mutex());
    const auto found = std::ranges::find(entries_, n, &Entry::n);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().plan;
  }
  void add(int64_t n, const std::shared_ptr<const Plan>& plan) {
    std::list<Entry> added{{n, plan}}, dropped;  // plans that are freed after the lock has been released
    const std::lock_guard locked(plans_mutex());
    // Another thread may have added the plan in the meantime.
    const auto drop = [&](typename std::list<Entry>::iterator entry) {
      bytes_ -= entry->plan->bytes;
      dropped.splice(dropped.begin(), entries_, entry);
    };
    if (const auto same = std::ranges::find(entries_, n, &Entry::n); same != entries_.end()) drop(same);
    entries_.splice(entries_.begin(), added);
    bytes_ += plan->bytes;
    while (entries_.size() > most_entries || bytes_ > most_bytes) drop(std::prev(entries_.end()));
  }

 private:
  struct Entry {
    int64_t n;
    std::shared_ptr<const Plan> plan;
  };
  static constexpr size_t most_entries = 64, most_bytes = 64 << 20;

  std::list<Entry> entries_;  // the plans, beginning with the most recently used plan
  size_t bytes_ = 0;
};

}  // namespace

template <class Plan>
std::shared_ptr<const Plan> planned(int64_t n) {
  // The cache is never destroyed, because a thread may still use the cache when the process ends.
  static auto& cache = *new Cache<Plan>;
  if (auto plan = cache.find(n)) return plan;
  auto plan = std::make_shared<const Plan>(n);
  cache.add(n, plan);
  return plan;
}

template struct Passes<float>;
template struct Passes<double>;
template struct LinePlan<float>;
template struct LinePlan<double>;
template struct HalfRoots<float>;
template struct HalfRoots<double>;
template std::shared_ptr<const Passes<float>> planned(int64_t);
template std::shared_ptr<const Passes<double>> planned(int64_t);
template std::shared_ptr<const LinePlan<float>> planned(int64_t);
template std::shared_ptr<const LinePlan<double>> planned(int64_t);
template std::shared_ptr<const HalfRoots<float>> planned(int64_t);
template std::shared_ptr<const HalfRoots<double>> planned(int64_t);

}  // namespace suanzi::fft
