// Tensors of random numbers (7.2.1.7 to 7.2.1.11). Each is a function of its arguments and its seed alone, whatever the
// number of threads, the instruction set and the layout; how, is in philox.h. Seed 0 draws one from the system. `op` is
// the operator's name in messages. `first` is the number of the first element that is drawn: parts of a tensor may be
// drawn apart, each with the elements that it has in the whole. It is a multiple of random_step, of complex numbers of
// half.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// Evenly distributed elements. Floating types: [low, high), of 2^24 (float64: 2^53) evenly spaced values, rounded; high
// itself only where it equals low. Integers and bool: low to high, both included, each with exactly the same
// probability. Complex types: both parts, by the bounds' parts, or both by a real bound. Without bounds, the least and
// the greatest value of the type.
Tensor uniform(const char* op, const Dims& shape, const Scalar* low, const Scalar* high, uint64_t seed, DType dtype,
               const Dims* order = nullptr, int64_t first = 0);

// Normally distributed elements; of complex ones the parts are independent, each with the deviation std / sqrt(2).
Tensor normal(const char* op, const Dims& shape, const Scalar& mean, const Scalar& std, uint64_t seed, DType dtype,
              const Dims* order = nullptr, int64_t first = 0);

// 1 with the probability that `p` says, else 0; of the shape, type and logical order of p.
Tensor bernoulli(const Tensor& p, uint64_t seed, int64_t first = 0);

// `count` draws for each row of weights along the last axis: how often each class was drawn, in the type of p, which
// must hold the number, or, with `indices`, the int64 classes in the order in which they were drawn.
Tensor multinomial(const Tensor& p, int64_t count, bool replacement, uint64_t seed, bool indices);

// 0, 1, ..., n - 1 in random order, every order with the same probability. Scratch memory: 4 bytes an element, 8 from
// 2^32 elements on; none where elements have that size themselves.
Tensor randperm(int64_t n, uint64_t seed, DType dtype);

namespace detail {

// The whole numbers from 0 on that a floating type holds: all up to 2^bits, and those with as many significant bits up
// to 2^exponents, exclusive.
struct WholeNumbers {
  int bits, exponents;
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

// The seed, or one of the system's if it is 0.
uint64_t effective_seed(uint64_t seed);

}  // namespace detail

}  // namespace suanzi
