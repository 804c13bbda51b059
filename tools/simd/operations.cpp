// Computes each operation of simd/ on many vectors, and stores the results as bytes by the operation's name. The file
// is compiled for two levels. main.cpp compares the bytes of the two levels.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "simd/bits.h"
#include "simd/codes.h"
#include "simd/compress.h"
#include "simd/half.h"
#include "simd/integer.h"
#include "simd/permute.h"
#include "simd/vec.h"
#include "simd/vec_math.h"

using Results = std::map<std::string, std::vector<unsigned char>>;
using Words = std::vector<uint32_t>;

namespace suanzi::SUANZI_LEVEL {
namespace {

class Record {
 public:
  Record(Results& results, std::string kind) : results_(results), kind_(std::move(kind)) {}

  template <class R>
  void operator()(const char* name, R result) const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&result);
    std::vector<unsigned char>& all = results_[name + kind_];
    all.insert(all.end(), bytes, bytes + sizeof(result));
  }

 private:
  Results& results_;
  std::string kind_;
};

template <class T, int N>
Vec<T, N> read(const Words& words, size_t at) {
  return Vec<T, N>::load(reinterpret_cast<const T*>(words.data() + at));
}

// Replaces every NaN by the same NaN. A product or a sum of two NaNs is one of the two NaNs. The order of the operands
// decides which NaN is the result, and compilers choose this order.
template <class T, int N>
Vec<T, N> one_nan(Vec<T, N> x) {
  return select(x != x, Vec<T, N>(T(__builtin_nan(""))), x);
}

template <class T, int N>
void record_floats(const Record& record, const Words& words, size_t at) {
  constexpr size_t step = sizeof(T) * N / 4;
  const auto a = read<T, N>(words, at), b = read<T, N>(words, at + step), c = read<T, N>(words, at + 2 * step);
  record("maximum", maximum(a, b).v);
  record("minimum", minimum(a, b).v);
  record("max", max(a, b).v);
  record("min", min(a, b).v);
  record("max_or_nan", max_or_nan(a, b).v);
  record("min_or_nan", min_or_nan(a, b).v);
  record("rint", rint(a).v);
  record("floor", floor(a).v);
  record("ceil", ceil(a).v);
  record("trunc", trunc(a).v);
  record("sqrt", sqrt(abs(a)).v);
  record("fused_mul_add", one_nan(fused_mul_add(a, b, c)).v);
  record("nearest_int32", nearest_int32(select(abs(a) < Vec<T, N>(T(2e9)), a, T(2.5))).v);
  record("to_bits", to_bits(a < b));
  record("any", any(a < b));
  record("any_unequal", any_unequal(a, b));
}

template <int N>
void record_conversions(const Record& record, const Words& words, size_t at) {
  const auto x = read<float, N>(words, at);
  record("float64 of float32", convert<double>(x).v);
  record("float64 of int32", convert<double>(read<int32_t, N>(words, at)).v);
  record("float64 of uint32", convert<double>(read<uint32_t, N>(words, at)).v);
  record("float32 of float64", convert<float>(read<double, N>(words, at)).v);
  record("float64 of int64", convert<double>(read<int64_t, N>(words, at)).v);
  record("float16 of float32", narrow_half<Float16>(x).v);
  record("bfloat16 of float32", narrow_half<BFloat16>(x).v);
  record("float32 of float16", widen_half<Float16>(read<uint16_t, N>(words, at)).v);
  record("float32 of bfloat16", widen_half<BFloat16>(read<uint16_t, N>(words, at)).v);
}

template <class T, int N>
void record_integers(const Record& record, const Words& words, size_t at) {
  constexpr size_t step = (sizeof(T) * N + 3) / 4;
  const auto a = read<T, N>(words, at), b = read<T, N>(words, at + step);
  const uint64_t bits = to_bits(a < b);
  record("to_bits", bits);
  record("any", any(a < b));
  record("any_zero", any_zero(a));
  record("min", min(a, b).v);
  record("max", max(a, b).v);
  T room[N];
  const int count = compress_store(a, bits, room);
  std::memset(room + count, 0, sizeof(T) * static_cast<size_t>(N - count));
  record("compress_store", Vec<T, N>::load(room).v);
  std::memset(room, 7, sizeof(room));
  compress_store_exactly(a, bits, room);
  record("compress_store_exactly", Vec<T, N>::load(room).v);
  if constexpr (std::is_unsigned_v<T> && sizeof(T) > 1 && sizeof(T) < 8)
    record("multiply_high", arch::multiply_high(Arch{}, a, b).v);
  if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) record("multiply_words", arch::multiply_words(Arch{}, a, b).v);
  if constexpr (sizeof(T) == 1)
    record("test_bytes",
           arch::test_bytes<N>(Arch{}, reinterpret_cast<const uint8_t*>(words.data() + at), uint8_t(1 << at % 8)));
}

// Records the operations that instruction sets have only for four words, which move lanes or look up tables in
// registers.
void record_words(const Record& record, const Words& words, size_t at) {
  constexpr int N = 4;
  const auto a = read<float, N>(words, at), b = read<float, N>(words, at + N);
  const auto index = read<uint32_t, N>(words, at + 2 * N) >> 7;
  record("permute", permute(a, bit_cast<int32_t>(index & uint32_t(N - 1))).v);
  record("permute of two", permute(a, b, bit_cast<int32_t>(index & uint32_t(2 * N - 1))).v);
  float table[16];
  for (int k = 0; k < 16; ++k) table[k] = 1.5f * static_cast<float>(k);
  float first[8];
  std::memcpy(first, table, sizeof(first));
  record("lookup of 8", arch::lookup(Arch{}, first, index).v);
  record("lookup of 16", arch::lookup(Arch{}, table, index).v);
  const auto sums = read<int32_t, 2 * N>(words, at) >> static_cast<int>(words[at] % 28);
  record("saturated_bytes", arch::saturated_bytes(Arch{}, sums, Vec<int8_t, 2 * N>(int8_t(-100))).v);
}

template <int N>
void record_all(Results& results, const Words& words) {
  const std::string lanes = " x " + std::to_string(N);
  const auto of = [&](const char* type) { return Record(results, std::string(" ") + type + lanes); };
  for (size_t at = 0; at + 12 * N <= words.size(); at += 2 * N) {
    record_floats<float, N>(of("float32"), words, at);
    record_floats<double, N>(of("float64"), words, at);
    record_conversions<N>(of(""), words, at);
    record_integers<uint32_t, N>(of("uint32"), words, at);
    record_integers<int32_t, N>(of("int32"), words, at);
    record_integers<uint64_t, N>(of("uint64"), words, at);
    record_integers<uint16_t, 2 * N>(of("uint16, twice"), words, at);
    record_integers<uint8_t, 4 * N>(of("uint8, four times"), words, at);
    record_integers<int8_t, 4 * N>(of("int8, four times"), words, at);
    if constexpr (N == 4) record_words(of("words"), words, at);
  }
}

}  // namespace

// Returns the results of the operations on vectors of half a register, of one register, and of two and four registers.
Results results(const Words& words) {
  Results all;
  record_all<2>(all, words);
  record_all<4>(all, words);
  record_all<8>(all, words);
  return all;
}

// Returns the greatest relative error of the estimates, in units of the promised bound 2^-11.
double estimate_error() {
  double worst = 0;
  for (uint32_t bits = 0x00800000; bits < 0x7e000000; bits += 99991) {
    const Vec<float, 4> x = bit_cast<float>(Vec<uint32_t, 4>(bits));
    const double value = x.v[0], root = rsqrt_estimate(x).v[0], reciprocal = reciprocal_estimate(x).v[0];
    for (const double error : {root * __builtin_sqrt(value) - 1, reciprocal * value - 1})
      if (!(__builtin_fabs(error) <= worst)) worst = __builtin_fabs(error);
  }
  return worst * 0x1p11;
}

}  // namespace suanzi::SUANZI_LEVEL
