// Comparison, choice and truth of strings. The order of strings is the order of their code points, which is also the
// order of their bytes in UTF-8 (RFC 3629, section 1).
#include "ops/search/compact.kernels.h"
#include "ops/search/search.kernels.h"
#include "tensor/text.h"

#include "ops/text/strings.h"

namespace suanzi {
namespace {

template <auto holds>
void compare_each(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const auto *a = static_cast<const Text*>(in[0]), *b = static_cast<const Text*>(in[1]);
  const int64_t step_a = params.step(0), step_b = params.step(1);
  auto* result = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < n; ++i) result[i] = holds(a[step_a * i], b[step_b * i]);
}

// Computes maximum or minimum. The function copies the addresses and lengths of strings. The caller ensures that the
// result keeps the texts alive.
template <auto takes_first>
void choose_each(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const auto *a = static_cast<const Text*>(in[0]), *b = static_cast<const Text*>(in[1]);
  const int64_t step_a = params.step(0), step_b = params.step(1);
  auto* result = static_cast<Text*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const Text &x = a[step_a * i], &y = b[step_b * i];
    result[i] = takes_first(compare(x, y)) ? x : y;
  }
}

// Sets a bit for each true string, and returns the number of true strings. As in Python, every string except the empty
// string is true.
int64_t truth(uint64_t* bits, const void* in, int64_t n) {
  const auto* texts = static_cast<const Text*>(in);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t holds = texts[i].length > 0;
    bits[i / 64] = (i % 64 ? bits[i / 64] : 0) | holds << i % 64;
    count += static_cast<int64_t>(holds);
  }
  return count;
}

// Compares two strings for argmax (1) and argmin (-1). Returns false for equal strings, so that the search keeps the
// first string.
template <int sign>
bool is_better(const Text& a, const Text& b) {
  return sign * compare(a, b) > 0;
}

template <int sign>
int64_t find(const void* in, int64_t n) {
  const auto* const texts = static_cast<const Text*>(in);
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i)
    if (is_better<sign>(texts[i], texts[best])) best = i;
  return best;
}

template <int sign>
void find_each(void* best, int64_t* index, const void* in, int64_t n, int64_t rows, int64_t step, int64_t first) {
  auto* const found = static_cast<Text*>(best);
  for (int64_t r = 0; r < rows; ++r) {
    const auto* const row = reinterpret_cast<const Text*>(static_cast<const std::byte*>(in) + r * step);
    for (int64_t i = 0; i < n; ++i) {
      if (!is_better<sign>(row[i], found[i])) continue;
      found[i] = row[i];
      index[i] = first + r;
    }
  }
}

bool nothing_is_settled(const void*) { return false; }

template <int sign>
constexpr SearchKernels search_kernels{find<sign>, find_each<sign>, nothing_is_settled};

void set(KernelTable& table, Operation op, Kernel kernel) {
  table.elementwise[static_cast<int>(op)][static_cast<int>(DType::string)] = kernel;
}

}  // namespace

void fill_text(KernelTable& table, CompactKernels& compact, SearchTable& search) {
#define SUANZI_COMPARISON(name, holds) \
  set(table, Operation::name, compare_each<[](const Text& a, const Text& b) { return (holds); }>);
  SUANZI_COMPARISON(equal, equal(a, b))
  SUANZI_COMPARISON(not_equal, !equal(a, b))
  SUANZI_COMPARISON(less, compare(a, b) < 0)
  SUANZI_COMPARISON(less_equal, compare(a, b) <= 0)
  SUANZI_COMPARISON(greater, compare(a, b) > 0)
  SUANZI_COMPARISON(greater_equal, compare(a, b) >= 0)
#undef SUANZI_COMPARISON
  set(table, Operation::maximum, choose_each<[](int order) { return order >= 0; }>);
  set(table, Operation::minimum, choose_each<[](int order) { return order <= 0; }>);
  compact.truth[static_cast<int>(DType::string)] = truth;
  search.of[static_cast<int>(Search::argmax)][static_cast<int>(DType::string)] = search_kernels<1>;
  search.of[static_cast<int>(Search::argmin)][static_cast<int>(DType::string)] = search_kernels<-1>;
}

}  // namespace suanzi
