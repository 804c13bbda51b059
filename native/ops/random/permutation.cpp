// The operator randperm makes random permutations in linear time.
//
// The algorithm of Fisher and Yates shuffles up to some tens of thousands of numbers. For more numbers, the code first
// distributes the numbers to bins that fit the cache. Every bin receives a given number with the same probability. Then
// the code shuffles each bin separately (Rao 1961 and Sandelius 1962). Every permutation still has the same
// probability, and bins are independent of each other.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/kernel.h"
#include "ops/random/random.h"
#include "ops/random/random.kernels.h"
#include "runtime/threads.h"

namespace suanzi {
namespace {

// The average number of elements in a bin. The L2 cache holds a bin while the code shuffles the bin. Only the longest
// permutations have larger bins. The result for a seed depends on this constant.
constexpr int64_t bin_elements = 1 << 15;
constexpr int64_t most_bins = 1 << 12;
constexpr int64_t most_chunks = 64;
constexpr int64_t tile_elements = 1 << 10;
static_assert(tile_elements % random_step == 0);

// Returns the greatest n for which an element type holds all numbers 0 to n - 1 exactly. Returns 0 for bool.
uint64_t greatest_length(DType t) {
  switch (real_part(t)) {
    case DType::boolean:
    case DType::string:
      return 0;
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
    case DType::float64:
      return (uint64_t{1} << detail::whole_numbers(real_part(t)).bits) + 1;
    default: {
      const int bits = 8 * size_of(t) - (kind(t) == Kind::signed_integer);
      return bits == 64 ? ~uint64_t{0} : uint64_t{1} << bits;
    }
  }
}

// Returns a number in [0, bound) from double word i of the sequence. Each number has the same probability (Lemire
// 2019).
uint64_t bounded(uint64_t word, uint64_t bound, uint64_t i, const RandomParams& params) {
  auto p = static_cast<unsigned __int128>(word) * bound;
  if (static_cast<uint64_t>(p) < bound) [[unlikely]] {
    const uint64_t threshold = (0 - bound) % bound;
    for (uint32_t attempt = 1; static_cast<uint64_t>(p) < threshold; ++attempt)
      p = static_cast<unsigned __int128>(philox::double_word(params.seed, i, params.stream, attempt)) * bound;
  }
  return static_cast<uint64_t>(p >> 64);
}

// Shuffles numbers[begin, end). The shuffle uses the double words of the random sequence at these positions.
template <class Index>
void shuffle(Index* numbers, int64_t begin, int64_t end, uint64_t seed) {
  const RandomParams params{.seed = seed, .stream = philox::Stream::shuffle};
  const RandomKernel draw = kernels().random->uniform[static_cast<int>(DType::uint64)];
  uint64_t words[tile_elements];
  for (int64_t tile = begin / random_step * random_step; tile < end; tile += tile_elements) {
    const int64_t stop = std::min(end, tile + tile_elements);
    draw(words, tile, stop - tile, params);
    for (int64_t i = std::max(begin, tile); i < stop; ++i) {
      const auto j = static_cast<int64_t>(
          bounded(words[i - tile], static_cast<uint64_t>(i - begin) + 1, static_cast<uint64_t>(i), params));
      std::swap(numbers[i], numbers[begin + j]);
    }
  }
}

// Draws the bin of each number, tile by tile, and calls body(first, bins, n) for the numbers [begin, end).
template <class Body>
void for_bins(int64_t begin, int64_t end, int64_t bin_count, uint64_t seed, Body body) {
  const RandomParams params{.seed = seed, .stream = philox::Stream::bins, .count = static_cast<uint64_t>(bin_count)};
  const RandomKernel draw = kernels().random->uniform[static_cast<int>(DType::uint16)];
  uint16_t bins[tile_elements];
  for (int64_t i = begin; i < end; i += tile_elements) {
    const int64_t n = std::min(tile_elements, end - i);
    draw(bins, i, n, params);
    body(i, bins, n);
  }
}

// Distributes 0, ..., n - 1 to bins, which are one after the other in `numbers`. Returns the beginning of each bin,
// followed by n.
template <class Index>
std::vector<int64_t> throw_into_bins(Index* numbers, int64_t n, int64_t bin_count, uint64_t seed) {
  // The result does not depend on the boundaries of tasks, because within a bin the numbers ascend.
  const int64_t chunk = ((n + most_chunks - 1) / most_chunks + tile_elements - 1) / tile_elements * tile_elements;
  const int64_t chunks = (n + chunk - 1) / chunk;
  const Tensor places = make_empty("randperm", {chunks, bin_count}, DType::int64);
  const auto place = [&](int64_t c) { return places.as<int64_t>() + c * bin_count; };
  std::fill_n(places.as<int64_t>(), places.size, 0);
  parallel_for(chunks, [&](int64_t c) {
    int64_t* const counts = place(c);
    for_bins(c * chunk, std::min(n, (c + 1) * chunk), bin_count, seed, [&](int64_t, const uint16_t* bins, int64_t m) {
      for (int64_t i = 0; i < m; ++i) ++counts[bins[i]];
    });
  });
  std::vector<int64_t> starts;
  int64_t next = 0;
  for (int64_t b = 0; b < bin_count; ++b) {
    starts.push_back(next);
    for (int64_t c = 0; c < chunks; ++c) next += std::exchange(place(c)[b], next);
  }
  starts.push_back(n);
  parallel_for(chunks, [&](int64_t c) {
    int64_t* const targets = place(c);
    for_bins(c * chunk, std::min(n, (c + 1) * chunk), bin_count, seed,
             [&](int64_t first, const uint16_t* bins, int64_t m) {
               for (int64_t i = 0; i < m; ++i) numbers[targets[bins[i]]++] = static_cast<Index>(first + i);
             });
  });
  return starts;
}

template <class Index>
void permute(const Tensor& result, uint64_t seed) {
  const int64_t n = result.size;
  // If the elements have the size of an index, the code shuffles the numbers in the result and converts the numbers in
  // place.
  const bool in_place = size_of(result.dtype) == sizeof(Index);
  const Tensor scratch = in_place ? result : make_empty("randperm", result.shape, dtype_of<Index>);
  Index* const numbers = scratch.as<Index>();
  const auto finish = [&](int64_t begin, int64_t end) {
    shuffle(numbers, begin, end, seed);
    if (result.dtype == dtype_of<Index>) return;
    const void* in = numbers + begin;
    kernels().convert[static_cast<int>(dtype_of<Index>)][static_cast<int>(result.dtype)](
        result.data + begin * size_of(result.dtype), &in, end - begin, {});
  };
  if (n <= 2 * bin_elements) {
    for (int64_t i = 0; i < n; ++i) numbers[i] = static_cast<Index>(i);
    return finish(0, n);
  }
  const auto wanted = std::bit_ceil(static_cast<uint64_t>(n / bin_elements));
  const int64_t bins = std::min<int64_t>(static_cast<int64_t>(wanted), most_bins);
  const std::vector<int64_t> starts = throw_into_bins(numbers, n, bins, seed);
  parallel_for(bins, [&](int64_t b) { finish(starts[static_cast<size_t>(b)], starts[static_cast<size_t>(b) + 1]); });
}

}  // namespace

Tensor randperm(int64_t n, uint64_t seed, DType dtype) {
  const uint64_t greatest = greatest_length(dtype);
  if (greatest == 0) fail(Status::type_mismatch, "randperm: element type ", name(dtype), " cannot hold a permutation");
  if (n < 1) fail(Status::invalid_argument, "randperm: n = ", n, " is not positive");
  if (static_cast<uint64_t>(n) > greatest)
    fail(Status::out_of_range, "randperm: n = ", n, " is too long for ", name(dtype),
         ", which holds the integers below ", greatest);
  const Tensor result = make_empty("randperm", {n}, dtype);
  const uint64_t start = detail::effective_seed(seed);
  if (n <= int64_t{1} << 32) {
    permute<uint32_t>(result, start);
  } else {
    permute<uint64_t>(result, start);
  }
  return result;
}

}  // namespace suanzi
