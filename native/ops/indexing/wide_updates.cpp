#include "ops/indexing/wide_updates.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/kernel.h"
#include "runtime/share.h"
#include "tensor/scratch.h"

namespace suanzi {
namespace {

// The number of elements that are converted at a time.
constexpr int64_t piece = 1024;

// Applies the updates of a tile in the wide type. Elements of the wide type are `ratio` times as far apart as the
// offsets state.
void combine_tile(const Widening& w, std::byte* wide, const int64_t* offsets, const std::byte* values, int64_t n,
                  int64_t ratio) {
  const auto place = [&](int64_t i) { return offsets[i] * ratio; };
  if (is_complex(w.narrow)) {
    int64_t places[offsets_tile];
    alignas(64) std::byte numbers[offsets_tile * 16];
    for (int64_t i = 0; i < n; ++i) places[i] = place(i);
    w.to_wide(numbers, values, n);
    return w.combine(wide, places, numbers, n);
  }
  float widened[offsets_tile];
  const void* const halves = values;
  if (is_half(w.narrow)) converter(w.narrow, DType::float32)(widened, &halves, n, {});
  const auto* const floats = is_half(w.narrow) ? widened : reinterpret_cast<const float*>(values);
  combine_floats(w.mode, wide, n, place, [&](int64_t i) { return floats[i]; });
}

// Converts all elements of a contiguous target to the wide type, applies the updates, and converts the elements back.
void update_all(const Widening& w, const BlockWalk& walk, const Tensor& target, const ReadValues& read,
                const std::byte* initial) {
  const int64_t size = size_of(w.wide), n = target.size;
  const ScratchArray<std::byte> memory(n * size);
  std::byte* const wide = memory.data();
  const auto for_pieces = [&](auto&& body) {
    share(n * size, (n + piece - 1) / piece, [&](int64_t first, int64_t last) {
      for (int64_t at = first * piece; at < std::min(n, last * piece); at += piece) body(at, std::min(piece, n - at));
    });
  };
  for_pieces([&](int64_t at, int64_t count) { w.to_wide(wide + at * size, initial + at * w.narrow_size(), count); });
  const int64_t per_row = walk.blocks() / std::max<int64_t>(walk.rows(), 1);
  share(walk.blocks() * size, walk.rows(), [&](int64_t first, int64_t last) {
    walk.run(first * per_row, last * per_row, [&](int64_t origin, const int64_t* offsets, int64_t position, int64_t m) {
      alignas(64) std::byte staged[offsets_tile * 16];
      combine_tile(w, wide + origin * w.ratio(), offsets, read(position, m, staged), m, w.ratio());
    });
  });
  for_pieces(
      [&](int64_t at, int64_t count) { w.to_narrow(target.data + at * w.narrow_size(), wide + at * size, count); });
}

// The elements that a small number of updates change. Each element has a slot. The slots are in the order of the
// elements' first updates.
class Slots {
 public:
  explicit Slots(int64_t updates)
      : mask_(std::bit_ceil(static_cast<uint64_t>(2 * updates + 1)) - 1),
        table_(static_cast<int64_t>(mask_ + 1)),
        places_(updates),
        slots_(updates) {
    std::fill_n(table_.data(), mask_ + 1, int32_t{-1});
  }

  void add(int64_t place) {
    // The hash is multiplicative (Knuth, TAOCP vol. 3, 6.4).
    uint64_t at = static_cast<uint64_t>(place) * 0x9e3779b97f4a7c15u >> 20 & mask_;
    while (table_.data()[at] >= 0 && places_.data()[table_.data()[at]] != place) at = (at + 1) & mask_;
    int32_t& slot = table_.data()[at];
    if (slot < 0) {
      slot = static_cast<int32_t>(count_);
      places_.data()[count_++] = place;
    }
    slots_.data()[updates_++] = slot;
  }
  int64_t count() const { return count_; }
  bool distinct() const { return count_ == updates_; }
  const int64_t* places() const { return places_.data(); }
  int64_t slot(int64_t update) const { return slots_.data()[update]; }

 private:
  uint64_t mask_;
  ScratchArray<int32_t> table_;
  ScratchArray<int64_t> places_;
  ScratchArray<int32_t> slots_;
  int64_t count_ = 0, updates_ = 0;
};

void update_some(const Widening& w, const BlockWalk& walk, std::byte* target, const ReadValues& read,
                 CombineKernel plain, const Tensor* initial) {
  Slots slots(walk.blocks());
  walk.run(0, walk.blocks(), [&](int64_t origin, const int64_t* offsets, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) slots.add(origin + offsets[i]);
  });
  if (initial && initial->size > 0) std::memcpy(target, initial->data, static_cast<size_t>(initial->nbytes()));
  const int64_t narrow = w.narrow_size(), size = size_of(w.wide), count = slots.count();
  const ScratchArray<std::byte> wide(slots.distinct() ? 0 : count * size);
  const auto for_pieces = [&](auto&& body) {
    for (int64_t at = 0; at < count; at += piece) body(at, std::min(piece, count - at));
  };
  alignas(64) std::byte numbers[piece * 16];
  if (!slots.distinct())
    for_pieces([&](int64_t at, int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(numbers + i * narrow, target + slots.places()[at + i], static_cast<size_t>(narrow));
      w.to_wide(wide.data() + at * size, numbers, n);
    });
  walk.run(0, walk.blocks(), [&](int64_t, const int64_t*, int64_t position, int64_t n) {
    // The code uses the places from the first walk over the index, because another thread may write to the index
    // meanwhile.
    int64_t places[offsets_tile];
    alignas(64) std::byte staged[offsets_tile * 16];
    const std::byte* const values = read(position, n, staged);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t slot = slots.slot(position + i);
      places[i] = slots.distinct() ? slots.places()[slot] : slot * size;
    }
    slots.distinct() ? plain(target, places, values, n) : combine_tile(w, wide.data(), places, values, n, 1);
  });
  if (slots.distinct()) return;
  for_pieces([&](int64_t at, int64_t n) {
    w.to_narrow(numbers, wide.data() + at * size, n);
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(target + slots.places()[at + i], numbers + i * narrow, static_cast<size_t>(narrow));
  });
}

}  // namespace

std::optional<Widening> widening(ScatterMode mode, DType type) {
  if (mode != ScatterMode::add && mode != ScatterMode::multiply) return std::nullopt;
  if (!is_half(type) && type != DType::float32 && type != DType::complex64) return std::nullopt;
  const DType wide = is_complex(type) ? DType::complex128 : DType::float64;
  return Widening{mode,
                  type,
                  wide,
                  converter(type, wide),
                  converter(wide, type),
                  kernels().indexed->combine[static_cast<int>(mode)][static_cast<int>(wide)]};
}

void update_wide(const Widening& w, const BlockWalk& walk, const Tensor& target, const ReadValues& read,
                 CombineKernel plain, const Tensor* initial) {
  if (target.contiguous && target.size > 0 && target.size <= 4 * walk.blocks())
    return update_all(w, walk, target, read, initial ? initial->data : target.data);
  update_some(w, walk, target.data, read, plain, initial);
}

}  // namespace suanzi
