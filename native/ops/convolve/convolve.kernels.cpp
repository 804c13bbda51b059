// The kernels of ops/convolve/convolve.kernels.h.
#include "ops/convolve/convolve.kernels.h"

#include <cstring>
#include <type_traits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "simd/shuffle.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

template <class T>
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
static_assert(patch_slack >= vector_bytes);

// Each second lane of two vectors, of which the second begins a lane before the end of the first.
struct EverySecondLane {
  template <int N>
  static constexpr int lane(int i, int) {
    return 2 * i < N ? 2 * i : 2 * i + 1;
  }
};

// Vectors of elements that are `step` apart, of which the last one may be written beyond n; `rest` is there.
template <class T>
SUANZI_INLINE void take_apart(T* out, const T* in, int64_t step, int64_t n, T rest) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  int64_t i = 0;
  if constexpr (N >= 4) {
    if (step == 2)
      for (; i + N <= n; i += N)
        shuffle<EverySecondLane>(V::load(in + 2 * i), V::load(in + 2 * i + N - 1)).store(out + i);
  }
  if (i == n) return;
  if (n - i < N) V(rest).store(out + i);
  for (; i < n; ++i) out[i] = in[i * step];
}

template <class T, bool Apart>
void write_patches(T* row, const PatchPanel& part) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const T padding = sizeof(T) == 1 ? static_cast<T>(part.padding) : T(0);
  const auto* channel = reinterpret_cast<const T*>(part.channel);
  int64_t tap = part.first_tap, entry = 0;
  for (int64_t term = 0; term < part.terms; ++term, row += part.width) {
    const PatchRun* const end = part.runs + part.first_run[entry + 1];
    for (const PatchRun* run = part.runs + part.first_run[entry]; run != end; ++run) {
      T* const to = row + run->place;
      const int64_t count = run->count;
      if (run->is_padding) {
        for (int64_t i = 0; i < count; i += N) V(padding).store(to + i);
        continue;
      }
      const T* const from = channel + run->source;
      if constexpr (Apart) {
        take_apart(to, from, part.step, count, padding);
      } else {
        int64_t i = 0;
        for (; i + N <= count; i += N) V::load(from + i).store(to + i);
        if (i < count) V::load_first(from + i, static_cast<int>(count - i), padding).store(to + i);
      }
    }
    if (++entry == part.entries) entry = 0;
    if (++tap == part.taps) {
      tap = 0;
      channel += part.channel_step;
    }
  }
}

template <class T>
void patches(std::byte* panel, const PatchPanel& part) {
  auto* const rows = reinterpret_cast<T*>(panel);
  part.step == 1 ? write_patches<T, false>(rows, part) : write_patches<T, true>(rows, part);
}

// Elements of 16 bytes, which no vector has.
void wide_patches(std::byte* row, const PatchPanel& part) {
  constexpr int64_t size = 16;
  const std::byte* channel = part.channel;
  int64_t tap = part.first_tap, entry = 0;
  for (int64_t term = 0; term < part.terms; ++term, row += part.width * size) {
    for (int32_t i = part.first_run[entry]; i < part.first_run[entry + 1]; ++i) {
      const PatchRun& run = part.runs[i];
      std::byte* const to = row + run.place * size;
      if (run.is_padding) {
        std::memset(to, 0, static_cast<size_t>(run.count * size));
        continue;
      }
      for (int64_t k = 0; k < run.count; ++k)
        std::memcpy(to + k * size, channel + (run.source + k * part.step) * size, size);
    }
    if (++entry == part.entries) entry = 0;
    if (++tap == part.taps) {
      tap = 0;
      channel += part.channel_step * size;
    }
  }
}

// Rows × (Vectors vectors) results.
template <class T, int Rows, int Vectors, class Access>
SUANZI_INLINE void direct_tile(const DirectRows& d, int64_t row, int64_t column, Access access) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const T* const in = static_cast<const T*>(d.in) + row * d.row + column;
  const T* const weight = static_cast<const T*>(d.weight);
  V sums[Rows][Vectors];
  const V start(d.start ? *static_cast<const T*>(d.start) : T(0));
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) sums[r][v] = start;
  for (int64_t t = 0; t < d.terms; ++t) {
    const V factor(weight[t]);
    const T* const from = in + d.offset[t];
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sums[r][v] = mul_add(factor, V::load(from + r * d.row + v * N), sums[r][v]);
  }
  T* const out = static_cast<T*>(d.out) + row * d.out_row + column;
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      if constexpr (std::is_same_v<Access, Whole>) {
        sums[r][v].store(out + r * d.out_row + v * N);
      } else {
        const int64_t left = access.count - v * N;
        if (left > 0) First{left}.store(sums[r][v], out + r * d.out_row + v * N);
      }
    }
  }
}

// Rows are taken several at a time, the last ones too: some of them are computed twice, to the same result.
template <class T, int Rows, int Vectors, class Access>
void direct_columns(const DirectRows& d, int64_t column, Access access) {
  if (d.rows < Rows) {
    for (int64_t row = 0; row < d.rows; ++row) direct_tile<T, 1, Vectors>(d, row, column, access);
    return;
  }
  for (int64_t row = 0; row < d.rows; row += Rows)
    direct_tile<T, Rows, Vectors>(d, row + Rows <= d.rows ? row : d.rows - Rows, column, access);
}

template <class T>
void direct(const DirectRows& d) {
  constexpr int N = lanes<T>;
  int64_t column = 0;
  for (; column + 4 * N <= d.columns; column += 4 * N) direct_columns<T, 2, 4>(d, column, Whole{});
  const int64_t rest = d.columns - column;
  if (rest > 2 * N) return direct_columns<T, 2, 4>(d, column, First{rest});
  if (rest > N) return direct_columns<T, 4, 2>(d, column, First{rest});
  if (rest > 0) (d.rows == 7 ? direct_columns<T, 7, 1, First> : direct_columns<T, 8, 1, First>)(d, column, First{rest});
}
static_assert(direct_slack >= 4 * vector_bytes);

template <class T>
void split(void* out, const void* in, int64_t step, int64_t n) {
  auto* const to = static_cast<T*>(out);
  const auto* const from = static_cast<const T*>(in);
  if (step == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else {
    const int64_t whole = n / lanes<T> * lanes<T>;
    take_apart(to, from, step, whole, T(0));
    for (int64_t i = whole; i < n; ++i) to[i] = from[i * step];
  }
}

template <class T, bool Adds, bool Bounded>
void end_rows(const EndRows& e) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const V least(static_cast<T>(e.least)), most(static_cast<T>(e.most));
  for (int64_t row = 0; row < e.rows; ++row) {
    T* const sums = static_cast<T*>(e.sums) + row * e.sums_row;
    const T* const added = Adds ? static_cast<const T*>(e.added) + row * e.added_row : nullptr;
    const auto some = [&](int64_t i, auto access) __attribute__((always_inline)) {
      V x = access.template load<N>(sums + i);
      if constexpr (Adds) x = x + access.template load<N>(added + i);
      if constexpr (Bounded) x = minimum(maximum(x, least), most);
      access.store(x, sums + i);
    };
    int64_t i = 0;
    for (; i + N <= e.columns; i += N) some(i, Whole{});
    if (i < e.columns) some(i, First{e.columns - i});
  }
}

template <class T>
void end(const EndRows& e) {
  (e.added ? e.is_bounded ? end_rows<T, true, true> : end_rows<T, true, false> : end_rows<T, false, true>)(e);
}

constexpr ConvolveKernels convolve{
    .patches = {patches<uint8_t>, patches<uint16_t>, patches<uint32_t>, patches<uint64_t>, wide_patches},
    .float32 = {direct<float>, split<float>, end<float>},
    .float64 = {direct<double>, split<double>, end<double>},
};

}  // namespace

void fill_convolve(KernelTable& table) { table.convolve = &convolve; }

}  // namespace suanzi::SUANZI_LEVEL
