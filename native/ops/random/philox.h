// Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random numbers: as easy as 1,
// 2, 3", SC'11). The random words are a function of a key and a counter, so any thread, or device, can compute any
// element independently.
//
// The key is the lower 32 bits of the seed, then the upper 32 bits. The counter is (lower and upper 32 bits of a
// block's number, stream, attempt). Each use of random numbers has its own stream, so that a uniform and a normal
// tensor of one seed are independent. The attempt is 0, unless a word is rejected and the element is drawn again.
//
// The four words of blocks 0, 1, 2, ... form the sequence that each tensor consumes. If elements of a type use one
// word, element i uses word i. If elements of a type use 64 bits, element i uses words 2 i (the lower half) and 2 i +
// 1.
#pragma once

#include <cstdint>

namespace suanzi::philox {

enum class Stream : uint32_t {
  uniform,
  normal,
  bernoulli,
  choice,    // the stream of multinomial, draw by draw
  binomial,  // the stream of multinomial, class by class
  shuffle,   // the stream of randperm
  bins,      // the stream of randperm for the bin of a number
};

inline constexpr uint32_t multiplier[2] = {0xd2511f53, 0xcd9e8d57};
inline constexpr uint32_t key_step[2] = {0x9e3779b9, 0xbb67ae85};
inline constexpr int rounds = 10;

struct Block {
  uint32_t word[4];
};

// Generates the words of a block. The compiler always inlines the function, because the kernels of every level use the
// function.
[[gnu::always_inline]] inline Block generate(uint64_t seed, Block counter) {
  uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  uint32_t* c = counter.word;
  for (int round = 0; round < rounds; ++round) {
    const uint64_t a = uint64_t{multiplier[0]} * c[0], b = uint64_t{multiplier[1]} * c[2];
    c[0] = static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0];
    c[1] = static_cast<uint32_t>(b);
    c[2] = static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1];
    c[3] = static_cast<uint32_t>(a);
    for (int i = 0; i < 2; ++i) key[i] += key_step[i];
  }
  return counter;
}

[[gnu::always_inline]] inline Block generate(uint64_t seed, uint64_t number, Stream stream, uint32_t attempt) {
  return generate(seed, {{static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32),
                          static_cast<uint32_t>(stream), attempt}});
}

// `word` returns word i of the sequence. `double_word` returns the 64 bits of words 2 i and 2 i + 1.
[[gnu::always_inline]] inline uint64_t word(uint64_t seed, uint64_t i, Stream stream, uint32_t attempt) {
  return generate(seed, i / 4, stream, attempt).word[i % 4];
}
[[gnu::always_inline]] inline uint64_t double_word(uint64_t seed, uint64_t i, Stream stream, uint32_t attempt) {
  const Block b = generate(seed, i / 2, stream, attempt);
  const int low = static_cast<int>(i % 2) * 2;
  return b.word[low] | uint64_t{b.word[low + 1]} << 32;
}

}  // namespace suanzi::philox
