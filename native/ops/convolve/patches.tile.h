// The kernels of ops/convolve/convolve.kernels.h that pack patches of an image.
#pragma once

#include <cstring>

#include "ops/convolve/convolve.kernels.h"
#include "ops/product/product_sums.h"
#include "simd/shuffle.h"
#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Selects every second lane of two vectors. The second vector begins at the last lane of the first vector.
struct EverySecondLane {
  template <int N>
  static constexpr int lane(int i, int) {
    return 2 * i < N ? 2 * i : 2 * i + 1;
  }
};

// Copies n elements that are `step` apart into neighbouring elements. The last vector may overlap the vector before.
template <class T>
SUANZI_INLINE void take_apart(T* out, const T* in, int64_t step, int64_t n) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  if constexpr (N >= 4) {
    if (step == 2 && n >= N) {
      const auto take = [&](int64_t i) __attribute__((always_inline)) {
        shuffle<EverySecondLane>(V::load(in + 2 * i), V::load(in + 2 * i + N - 1)).store(out + i);
      };
      int64_t i = 0;
      for (; i + N <= n; i += N) take(i);
      if (i < n) take(n - N);
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) out[i] = in[i * step];
}

// A run of elements that is copied in the rows of several channels. `to` and `from` point to the run in the first
// channel.
template <class T>
struct ChannelRuns {
  T* to;
  const T* from;
  int64_t row, channel;  // distances from one channel to the next
  int64_t channels, count, step;
  bool ends_row;  // the last vector would end behind the row, so this vector must not be stored as a whole
  T padding;
};

template <class T, class Body>
SUANZI_INLINE void for_channels(const ChannelRuns<T>& run, Body body) {
  T* to = run.to;
  const T* from = run.from;
  for (int64_t c = 0; c < run.channels; ++c, to += run.row, from += run.channel) body(to, from);
}

// Copies runs of neighbouring elements, as whole vectors where whole vectors fit in the row.
template <class T>
SUANZI_INLINE void write_neighbours(const ChannelRuns<T>& run) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const int64_t whole = run.count / N * N;
  const int rest = static_cast<int>(run.count - whole);
  const V padding(run.padding);
  if (rest == 0 && whole == 2 * N)
    return for_channels(run, [&](T* to, const T* from) __attribute__((always_inline)) {
      __builtin_prefetch(from + 4 * N - 1);  // the cache line of the next run
      V::load(from).store(to);
      V::load(from + N).store(to + N);
    });
  for_channels(run, [&](T* to, const T* from) __attribute__((always_inline)) {
    for (int64_t i = 0; i < whole; i += N) V::load(from + i).store(to + i);
    if (rest == 0) return;
    const V last = V::load_first(from + whole, rest, run.padding);
    if (run.ends_row) {
      last.store_first(to + whole, rest);
    } else {
      last.store(to + whole);
    }
  });
}

// The number of channels whose rows, for all taps, are written together. The elements of these channels stay in the L1
// cache.
inline constexpr int64_t channels_together = 32;

template <class T>
void patches(std::byte* panel, const PatchPanel& part) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const T padding = sizeof(T) == 1 ? static_cast<T>(part.padding) : T(0);
  auto* const rows = reinterpret_cast<T*>(panel);
  const auto* const image = reinterpret_cast<const T*>(part.channel);
  const int64_t most = (part.terms - 1) / part.entries + 1;
  for (int64_t first = 0; first < most; first += channels_together) {
    for (int64_t entry = 0; entry < part.entries; ++entry) {
      const int64_t all = entry < part.terms ? (part.terms - entry - 1) / part.entries + 1 : 0;
      const int64_t channels = all - first < channels_together ? all - first : channels_together;
      if (channels <= 0) continue;
      T* const row = rows + (first * part.entries + entry) * part.width;
      const T* const channel = image + ((part.first_tap + entry) / part.taps + first) * part.channel_step;
      for (int32_t i = part.first_run[entry]; i < part.first_run[entry + 1]; ++i) {
        const PatchRun& run = part.runs[i];
        const ChannelRuns<T> runs{row + run.place,
                                  channel + run.source,
                                  part.entries * part.width,
                                  part.channel_step,
                                  channels,
                                  run.count,
                                  part.step,
                                  run.place + (run.count + N - 1) / N * N > part.width,
                                  padding};
        if (run.is_padding) {
          for_channels(runs, [&](T* to, const T*) __attribute__((always_inline)) {
            int64_t k = 0;
            for (; k + N <= runs.count; k += N) V(padding).store(to + k);
            if (k < runs.count) V(padding).store_first(to + k, static_cast<int>(runs.count - k));
          });
        } else if (part.step == 1) {
          write_neighbours(runs);
        } else {
          for_channels(runs, [&](T* to, const T* from)
                                 __attribute__((always_inline)) { take_apart(to, from, part.step, runs.count); });
        }
      }
    }
  }
}

// Packs patches whose elements have 16 bytes, a size without a vector type.
inline void wide_patches(std::byte* row, const PatchPanel& part) {
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

}  // namespace suanzi::SUANZI_LEVEL
