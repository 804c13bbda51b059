#include "ops/convolve/blocked.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/convolve/direct.h"
#include "ops/convolve/units.h"
#include "ops/product/gemm.h"
#include "runtime/costs.h"
#include "runtime/share.h"
#include "runtime/threads.h"

namespace suanzi::convolve {

using products::ceiling;

namespace {

// The L1 cache delivers two words in one cycle if the words are in different banks. Neighbouring words are in different
// banks.
constexpr int64_t bank_bytes = 8;

Pieces pieces_of(const Geometry& g, int threads) {
  const Axis &axis = g.axes[1], &last = g.axes[2];
  const int64_t least = std::min(costs::piece_rows, axis.out);
  const int64_t places = costs::piece_places / g.axes[0].out / axis.stride / last.stride;
  const Cut across = Cut::into(last.out, least < axis.out ? costs::piece_columns / last.stride : places / least);
  // Threads share the pieces of an image.
  const int64_t parts = threads == 1 ? 1 : ceiling(2 * threads, g.images * g.groups);
  const int64_t rows = std::max(std::min(places / across.longest(), ceiling(axis.out, parts)), least);
  Pieces pieces{g, Cut::into(axis.out, rows), across};
  pieces.balance(threads, 1);
  return pieces;
}

// Returns true if the code computes all positions of an image together, so that threads share the strips of channels.
bool shares_strips(const Geometry& g, int64_t strips, int threads) {
  return pieces_of(g, 1).count() == 1 && strips >= threads;
}

// Returns the pieces that the threads share.
Pieces shared_pieces_of(const Geometry& g, int64_t strips) {
  const int threads = threads_of_unit(g);
  return pieces_of(g, shares_strips(g, strips, threads) ? 1 : threads);
}

}  // namespace

Blocked::Copied::Copied(const Geometry& g) : read(g) {
  for (int d = 0; d < max_spatial; ++d) {
    Axis& axis = read.axes[d];
    steps[d] = 1;
    if (axis.kernel > 1 || axis.before != 0 || (axis.out - 1) * axis.stride >= axis.in) continue;
    steps[d] = axis.stride;
    axis.in = axis.out;
    axis.stride = 1;
  }
}

bool Blocked::suits(const Geometry& given, DType dtype, bool is_packed) {
  const Geometry g = Copied(given).read;
  const bool has_few_places = g.places() < costs::packed_places;
  if (!direct_kernels(dtype) || g.in_channels < costs::blocked_channels ||
      g.out_channels < 2 * costs::blocked_channels || g.in_channels * g.taps() < costs::blocked_terms ||
      (has_few_places && (!is_packed || g.places() < costs::blocked_places)))
    return false;
  // With one tap, packing the image into the panels of a matrix product takes less time than copying blocks. If the
  // image itself is the matrix of patches, the product needs no copy. Therefore, only a product with few positions
  // suits this class.
  if (g.taps() == 1 && !(has_few_places && g.is_product())) return false;
  const Pieces pieces = pieces_of(g, 1);
  return pieces.elements() * static_cast<double>(BlockedWeight(g, dtype).depth() * size_of(dtype)) <=
             static_cast<double>(costs::piece_bytes) &&
         pieces.copies_little();
}

Blocked::Blocked(const Geometry& given, const Tensor& weight, bool is_packed, const std::byte* bias,
                 const Ending& ending)
    : image_(given),
      copied_(given),
      g_(copied_.read),
      dtype_(weight.dtype),
      size_(size_of(dtype_)),
      kernels_(*direct_kernels(dtype_)),
      ending_(ending),
      layout_(g_, weight.dtype),
      strip_(layout_.strip()),
      strips_(layout_.strips()),
      pieces_(shared_pieces_of(g_, strips_)),
      pitch_(layout_.depth() + bank_bytes / size_),
      row_(span(g_.axes[2], pieces_.columns())),
      rows_(span(g_.axes[1], pieces_.rows())),
      packed_(is_packed ? 0 : layout_.size() * size_),
      weight_(is_packed ? weight.data : packed_.data()),
      starts_(g_.groups * strips_ * strip_ * size_),
      fetches_(g_.in_channels * image_.elements() * size_ >= costs::fetched_image_bytes) {
  const Axis* const axes = g_.axes;
  for (int64_t k0 = 0; k0 < axes[0].kernel; ++k0)
    for (int64_t k1 = 0; k1 < axes[1].kernel; ++k1)
      for (int64_t k2 = 0; k2 < axes[2].kernel; ++k2)
        taps_.push_back(((k0 * axes[0].dilation * rows_ + k1 * axes[1].dilation) * row_ + k2 * axes[2].dilation) *
                        pitch_);
  if (!is_packed) layout_.pack(weight.data, packed_.data());
  const int64_t bytes = g_.out_channels * size_, room = strips_ * strip_ * size_;
  std::memset(starts_.data(), 0, static_cast<size_t>(g_.groups * room));
  for (int64_t group = 0; bias && group < g_.groups; ++group)
    std::memcpy(starts_.data() + group * room, bias + group * bytes, static_cast<size_t>(bytes));
}

void Blocked::run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const {
  const int64_t pieces = pieces_.count(), all = (last - first) * pieces, most = std::min(num_threads(), threads);
  // A task computes at most `together` strips, whose sums fit the L2 cache. If the pieces are few, threads share the
  // strips of each piece. If the call has only one piece, all threads compute equally many parts of this piece.
  const int64_t together = std::max<int64_t>(costs::piece_sums_bytes / (pieces_.places() * strip_ * size_), 1);
  const int64_t least = ceiling(strips_, together);
  const int64_t parts =
      std::min(all == 1 ? ceiling(least, most) * most : std::max(least, ceiling(2 * most, all)), strips_);
  parallel_for(all * parts, threads, [&](int64_t task) {
    const int64_t part = task % parts, number = task / parts;
    compute(x, result,
            {first + number / pieces, pieces_.piece(number % pieces), strips_ * part / parts,
             strips_ * (part + 1) / parts});
  });
}

void Blocked::compute(const Tensor& x, const Tensor& result, const Task& task) const {
  const auto& [unit, piece, first_strip, last_strip] = task;
  const Axis* const axes = g_.axes;
  const int64_t count = axes[0].out * piece.rows * piece.columns, group = unit % g_.groups;
  const int64_t places = ceiling(count, places_together) * places_together, strip_bytes = places * strip_ * size_;
  const ScratchArray<int64_t> place(places);
  for (int64_t p = 0; p < places; ++p) {
    // The code computes the last position again to fill the last group of positions.
    const int64_t at = std::min(p, count - 1), row = at / piece.columns;
    place.data()[p] = ((row / piece.rows * axes[0].stride * rows_ + row % piece.rows * axes[1].stride) * row_ +
                       at % piece.columns * axes[2].stride) *
                      pitch_;
  }
  const int64_t bytes = span(axes[0], axes[0].out) * rows_ * row_ * pitch_ * size_;
  const ScratchArray<std::byte> memory(bytes), sums((last_strip - first_strip) * strip_bytes);
  std::memset(memory.data(), 0, static_cast<size_t>(bytes));
  const std::byte* const image = x.data + unit * g_.in_channels * image_.elements() * size_;
  const auto from = [&](int64_t channel) { return image + channel * image_.elements() * size_; };
  for (int64_t channel = 0; channel < g_.in_channels; channel += layout_.depth()) {
    const int64_t block = layout_.block_of(channel), next = channel + block;
    fill(memory.data(), from(channel), piece, block, fetches_ && channel == 0);
    for (int64_t strip = first_strip; strip < last_strip; ++strip) {
      std::byte* const sums_of_strip = sums.data() + (strip - first_strip) * strip_bytes;
      const std::byte* const start = starts_.data() + (group * strips_ + strip) * strip_ * size_;
      // While the code computes the last strip, the code prefetches the elements of the next block row by row.
      const bool fetches = fetches_ && strip + 1 == last_strip && next < g_.in_channels;
      const int64_t rows = fetches ? rows_ : 1, groups = places / places_together;
      for (int64_t row = 0; row < rows; ++row) {
        if (fetches) fetch(from(next), piece, row, layout_.block_of(next));
        const int64_t begin = groups * row / rows * places_together, end = groups * (row + 1) / rows * places_together;
        if (begin == end) continue;
        kernels_.places({memory.data(), place.data() + begin, end - begin, taps_.data(), g_.taps(), block,
                         weight_ + layout_.offset(group, strip, channel) * size_,
                         sums_of_strip + begin * strip_ * size_, channel == 0 ? start : nullptr,
                         layout_.channels_of(strip)});
      }
      if (next == g_.in_channels) write(sums_of_strip, result, task, strip);
    }
  }
}

const std::byte* Blocked::row_of(const std::byte* image, int64_t slice, int64_t row, int64_t element) const {
  const int64_t* const steps = copied_.steps;
  const int64_t rows = slice * steps[0] * image_.axes[1].in + row * steps[1];
  return image + (rows * image_.axes[2].in + element * steps[2]) * size_;
}

void Blocked::fetch(const std::byte* image, const Piece& piece, int64_t number, int64_t channels) const {
  const Axis* const axes = g_.axes;
  const Part rows = part_of(axes[1], piece.row, piece.rows), row = part_of(axes[2], piece.column, piece.columns);
  if (number >= rows.count) return;
  const std::byte* at = row_of(image, 0, rows.element + number, row.element);
  const int64_t bytes = row.count * copied_.steps[2] * size_;
  for (int64_t c = 0; c < channels; ++c, at += image_.elements() * size_)
    for (int64_t i = 0; i < bytes; i += cache_line) __builtin_prefetch(at + i, 0, 2);
}

void Blocked::fill(std::byte* memory, const std::byte* image, const Piece& piece, int64_t channels,
                   bool fetches) const {
  const Axis* const axes = g_.axes;
  const Part slices = part_of(axes[0], 0, axes[0].out), rows = part_of(axes[1], piece.row, piece.rows),
             row = part_of(axes[2], piece.column, piece.columns);
  for (int64_t s = 0; s < slices.count; ++s) {
    for (int64_t r = 0; r < rows.count; ++r) {
      if (fetches && s == 0) fetch(image, piece, r + 1, channels);
      auto* const from = const_cast<std::byte*>(row_of(image, slices.element + s, rows.element + r, row.element));
      const int64_t to = ((slices.place + s) * rows_ + rows.place + r) * row_ + row.place;
      products::copy_panel(memory + to * pitch_ * size_,
                           {from, row.count, channels, copied_.steps[2], image_.elements()}, pitch_, size_);
    }
  }
}

void Blocked::write(std::byte* sums, const Tensor& result, const Task& task, int64_t strip) const {
  const int64_t places = g_.places(), channels = layout_.channels_of(strip),
                first = task.unit * g_.out_channels + strip * strip_;
  // If the ending adds no tensor, the code applies the activation to the sums while the sums are in the caches.
  const bool ends_sums = !ending_.added;
  if (ends_sums) {
    const int64_t size = g_.axes[0].out * task.piece.rows * task.piece.columns * strip_;
    end(ending_, {sums, 1, size, size, 1}, 0, dtype_);
  }
  for (int64_t slice = 0; slice < g_.axes[0].out; ++slice) {
    pieces_.for_runs(task.piece, slice, [&](int64_t within, int64_t count, int64_t place) {
      const int64_t offset = (first * places + place) * size_;
      const products::Matrix run{sums + within * strip_ * size_, count, channels, strip_, 1};
      products::copy_panel(result.data + offset, run.transposed(), places, size_);
      if (!ends_sums) end(ending_, {result.data + offset, channels, count, places, 1}, offset, dtype_);
    });
  }
}

}  // namespace suanzi::convolve
