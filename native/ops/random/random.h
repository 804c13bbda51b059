// Tensors of random numbers (clauses 7.2.1.7 to 7.2.1.11 of the standard). Each tensor depends only on its arguments
// and its seed, and not on the number of threads, the instruction set or the layout. philox.h describes the generator.
// For seed 0, the operator draws a seed from the system. `op` is the operator's name in messages. `first` is the number
// of the first element to draw. A caller may draw parts of a tensor separately, and the parts have the same elements as
// in the whole tensor. `first` must be a multiple of random_step.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// Draws evenly distributed elements:
// - Floating elements are in [low, high), among 2^24 (for float64, 2^53) evenly spaced values, rounded. The result
// includes high only if high equals low.
// - Integers and bools are in [low, high]. Every value has exactly the same probability.
// - Each part of a complex element is between the parts of the bounds. A real bound applies to both parts.
// Without bounds, the least and the greatest value of the type are the bounds.
Tensor uniform(const char* op, const Dims& shape, const Scalar* low, const Scalar* high, uint64_t seed, DType dtype,
               const Dims* order = nullptr, int64_t first = 0);

// Draws normally distributed elements with the mean `mean` and the deviation `std`. The parts of complex elements are
// independent, each with the deviation std / sqrt(2).
Tensor normal(const char* op, const Dims& shape, const Scalar& mean, const Scalar& std, uint64_t seed, DType dtype,
              const Dims* order = nullptr, int64_t first = 0);

// Draws 1 with the probability in `p`, and 0 otherwise. The result has the shape, type and logical order of p.
Tensor bernoulli(const Tensor& p, uint64_t seed, int64_t first = 0);

// Draws `count` times for each row of weights along the last axis. Returns the number of draws of each class in the
// type of p, which must be able to hold these numbers. If `indices` is true, the function returns the int64 classes in
// the order of the draws.
Tensor multinomial(const Tensor& p, int64_t count, bool replacement, uint64_t seed, bool indices);

// Returns 0, 1, ..., n - 1 in random order. Every order has the same probability. The scratch memory is 4 bytes for
// each element, or 8 bytes if n is greater than 2^32. If the elements of the result have this size, the function needs
// no scratch memory.
Tensor randperm(int64_t n, uint64_t seed, DType dtype);

namespace detail {

// The whole numbers that a floating type represents are 0, and the numbers below 2^exponents with at most `bits`
// significant bits.
struct WholeNumbers {
  int bits, exponents;
  // Returns the greatest number up to which the type holds all whole numbers.
  constexpr int64_t most() const { return int64_t{1} << bits; }
  bool has(uint64_t n) const {
    const int width = static_cast<int>(std::bit_width(n));
    return n == 0 || (width <= exponents && width - std::countr_zero(n) <= bits);
  }
};
constexpr WholeNumbers whole_numbers(DType t) {
  switch (t) {
    case DType::float16:
      return {11, 16};
    case DType::bfloat16:
      return {8, 128};
    case DType::float32:
      return {24, 128};
    default:
      return {53, 1024};
  }
}

// Returns the seed, or a seed from the system if `seed` is 0.
uint64_t effective_seed(uint64_t seed);

}  // namespace detail

}  // namespace suanzi
