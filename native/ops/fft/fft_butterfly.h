// Butterflies are discrete Fourier transforms of a few numbers. One vector instruction computes a step of as many
// butterflies as a vector has lanes.
//
// All butterflies are forward transforms. An inverse transform is a forward transform whose real and imaginary parts
// are exchanged in the operands and in the results.
#pragma once

#include "ops/fft/fft.kernels.h"
#include "simd/complex.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

// Returns a * b, with fused multiply-adds.
template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> times(ComplexVec<T, N> a, ComplexVec<T, N> b) {
  return {mul_add(a.re, b.re, -(a.im * b.im)), mul_add(a.re, b.im, a.im * b.re)};
}
template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> times_minus_i(ComplexVec<T, N> z) {
  return {z.im, -z.re};
}

template <class T, int N>
SUANZI_INLINE void butterfly_2(ComplexVec<T, N>& a, ComplexVec<T, N>& b) {
  const ComplexVec<T, N> sum = a + b;
  b = a - b;
  a = sum;
}

template <class T, int N>
SUANZI_INLINE void butterfly_4(ComplexVec<T, N>& a, ComplexVec<T, N>& b, ComplexVec<T, N>& c, ComplexVec<T, N>& d) {
  const ComplexVec<T, N> s = a + c, t = a - c, u = b + d, v = times_minus_i(b - d);
  a = s + u;
  b = t + v;
  c = s - u;
  d = t - v;
}

template <class T, int N>
SUANZI_INLINE void butterfly_8(ComplexVec<T, N>* z) {
  using V = Vec<T, N>;
  for (int i = 0; i < 4; ++i) butterfly_2(z[i], z[i + 4]);
  const V half_root(static_cast<T>(0.70710678118654752440L));
  z[5] = ComplexVec<T, N>{z[5].re + z[5].im, z[5].im - z[5].re} * half_root;
  z[6] = times_minus_i(z[6]);
  z[7] = ComplexVec<T, N>{z[7].im - z[7].re, -(z[7].re + z[7].im)} * half_root;
  butterfly_4(z[0], z[1], z[2], z[3]);
  butterfly_4(z[4], z[5], z[6], z[7]);
  // Result k is at index k / 2 + k % 2 * 4. The code moves the results one by one, because Clang would copy an array of
  // the results through memory.
  const ComplexVec<T, N> second = z[1], fourth = z[3];
  z[1] = z[4];
  z[4] = z[2];
  z[2] = second;
  z[3] = z[5];
  z[5] = z[6];
  z[6] = fourth;
}

// Computes a butterfly of odd radix. The factors of z[j] and z[radix - j] have the same cosine and opposite sines.
template <int Radix, class T, int N>
SUANZI_INLINE void butterfly_odd(ComplexVec<T, N>* z, int any_radix, Planes<const T> roots) {
  using Z = ComplexVec<T, N>;
  const int radix = Radix ? Radix : any_radix, pairs = (radix - 1) / 2;
  Z out[Radix ? Radix : max_radix];
  Z total = z[0];
  for (int j = 1; j <= pairs; ++j) {
    butterfly_2(z[j], z[radix - j]);
    total = total + z[j];
  }
  out[0] = total;
  for (int k = 1; k <= pairs; ++k) {
    Z even = z[0], odd{Vec<T, N>(T(0)), Vec<T, N>(T(0))};
    for (int j = 1, at = k; j <= pairs; ++j, at = at + k < radix ? at + k : at + k - radix) {
      const Vec<T, N> cosine(roots.re[at]), sine(roots.im[at]);
      even = {mul_add(cosine, z[j].re, even.re), mul_add(cosine, z[j].im, even.im)};
      const Z difference = z[radix - j];
      odd = j == 1 ? difference * sine : Z{mul_add(sine, difference.re, odd.re), mul_add(sine, difference.im, odd.im)};
    }
    out[k] = even + times_minus_i(odd);
    out[radix - k] = even - times_minus_i(odd);
  }
  for (int k = 0; k < radix; ++k) z[k] = out[k];
}

// Computes a butterfly. Radix 0 means any odd radix.
template <int Radix, class T, int N>
SUANZI_INLINE void butterfly(ComplexVec<T, N>* z, const FftPass<T>& pass) {
  if constexpr (Radix == 2) {
    butterfly_2(z[0], z[1]);
  } else if constexpr (Radix == 4) {
    butterfly_4(z[0], z[1], z[2], z[3]);
  } else if constexpr (Radix == 8) {
    butterfly_8(z);
  } else {
    butterfly_odd<Radix>(z, pass.radix, pass.roots);
  }
}

}  // namespace suanzi::SUANZI_LEVEL
