#include "ops/convolve/direct.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/product/gemm.h"
#include "runtime/costs.h"
#include "runtime/share.h"
#include "runtime/threads.h"

namespace suanzi::convolve {

using products::ceiling;

namespace {

// The elements of one dimension from the first to the last one that some places read, with padding.
int64_t span(const Axis& axis, int64_t places) {
  return (places - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

// The elements of a piece. A row is made up to a multiple of its stride, which may be longer than all of it.
double elements_of(const Geometry& g, int64_t rows, int64_t columns) {
  const double row = static_cast<double>(span(g.axes[2], columns)) + static_cast<double>(g.axes[2].stride - 1);
  return static_cast<double>(g.in_channels) * static_cast<double>(span(g.axes[0], g.axes[0].out)) *
         static_cast<double>(span(g.axes[1], rows)) * row;
}

// The most places of a dimension, up to `places`, for which a piece has at most `limit` elements; elements(n) of them
// are in proportion to what n places read.
template <class Elements>
int64_t most_places(const Axis& axis, int64_t places, double limit, Elements elements) {
  if (elements(places) <= limit) return places;
  const double each = elements(1) / static_cast<double>(span(axis, 1));
  const double more = (limit / each - static_cast<double>(span(axis, 1))) / static_cast<double>(axis.stride);
  return std::clamp<int64_t>(static_cast<int64_t>(more) + 1, 1, places);
}

// True where what a few rows of a result read stays in the L1 cache for all of its channels.
bool reads_little(const Geometry& g) { return std::max(g.in_channels, g.out_channels) <= costs::single_channels; }

bool takes_strips(const Geometry& g) { return g.out_channels > costs::single_channels; }

// The rows and columns of the largest piece.
struct Extent {
  int64_t rows, columns;
};
Extent extent_of(const Geometry& g, int size, int threads) {
  const double limit = static_cast<double>(reads_little(g) ? costs::direct_rows_bytes : costs::direct_bytes) / size;
  const int64_t rows = g.axes[1].out, columns = g.axes[2].out;
  Extent most{};
  // A piece of a few rows, or else of a part of their columns: rows that several rows of results read are copied once.
  const int64_t least = std::min(takes_strips(g) ? costs::direct_least_rows : direct_rows, rows);
  most.columns = most_places(g.axes[2], columns, limit, [&](int64_t n) { return elements_of(g, least, n); });
  most.columns = std::min(ceiling(most.columns, costs::direct_columns) * costs::direct_columns, columns);
  most.rows = most_places(g.axes[1], rows, limit, [&](int64_t n) { return elements_of(g, n, most.columns); });
  // Threads share the pieces of an image.
  const int64_t parts = threads == 1 ? 1 : ceiling(2 * threads, g.images * g.groups);
  most.rows = std::max(std::min(most.rows, ceiling(rows, parts)), least);
  if (!takes_strips(g)) most.rows = std::min(ceiling(most.rows, direct_rows) * direct_rows, rows);
  return most;
}

// The places of a piece's memory at which elements are, and the first of these.
struct Part {
  int64_t place, element, count;
  bool has_places_of(const Part& other) const { return place == other.place && count == other.count; }
};
Part part_of(const Axis& axis, int64_t first, int64_t places) {
  const int64_t start = first * axis.stride - axis.before;
  const int64_t element = std::clamp<int64_t>(start, 0, axis.in);
  return {element - start, element, std::clamp<int64_t>(start + span(axis, places), element, axis.in) - element};
}

}  // namespace

const DirectKernels* direct_kernels(DType dtype) {
  const ConvolveKernels& kernels = *suanzi::kernels().convolve;
  return dtype == DType::float32 ? &kernels.float32 : dtype == DType::float64 ? &kernels.float64 : nullptr;
}

bool Direct::suits(const Geometry& g, DType dtype) {
  const int64_t taps = g.taps();
  const bool is_few = taps > 1 ? g.out_channels <= costs::direct_channels || g.in_channels * taps <= costs::direct_terms
                               : g.in_channels <= costs::direct_read_channels && g.out_channels > costs::packed_rows;
  if (!direct_kernels(dtype) || !is_few || (g.places() <= costs::places_by_vectors && !reads_little(g))) return false;
  const Extent most = extent_of(g, size_of(dtype), 1);
  const double elements = elements_of(g, most.rows, most.columns);
  const double copied = elements * std::ceil(static_cast<double>(g.axes[1].out) / static_cast<double>(most.rows)) *
                        std::ceil(static_cast<double>(g.axes[2].out) / static_cast<double>(most.columns));
  const double there = static_cast<double>(g.in_channels * g.elements()) + static_cast<double>(g.places());
  const double growth = std::max(
      static_cast<double>(costs::padded_growth),
      static_cast<double>(g.out_channels) * static_cast<double>(taps) / static_cast<double>(costs::terms_like_copy));
  return elements * size_of(dtype) <= 2.0 * static_cast<double>(costs::direct_bytes) && copied <= growth * there + 4096;
}

Direct::Direct(const Geometry& g, const Tensor& weight, const std::byte* bias, const Ending& ending)
    : g_(g),
      dtype_(weight.dtype),
      size_(size_of(dtype_)),
      kernels_(*direct_kernels(dtype_)),
      terms_(g.in_channels * g.taps()),
      weight_(weight.data),
      bias_(bias),
      ending_(ending),
      strips_(takes_strips(g) ? ceiling(g.out_channels, kernels_.strip) : 0),
      packed_(g.groups * strips_ * kernels_.strip * terms_ * size_) {
  const Axis* const axes = g.axes;
  const Extent most = extent_of(g, size_, num_threads());
  height_ = most.rows;
  width_ = most.columns;
  pitch_ = ceiling(span(axes[2], width_), axes[2].stride);
  row_ = pitch_ * axes[2].stride;
  rows_ = span(axes[1], height_);
  slices_ = span(axes[0], axes[0].out);
  const int64_t together = std::max<int64_t>(costs::direct_rows_bytes / (slices_ * rows_ * row_ * size_), 1);
  depth_ = together * g.taps();
  for (int64_t c = 0; c < g.in_channels; ++c) {
    for (int64_t k0 = 0; k0 < axes[0].kernel; ++k0) {
      for (int64_t k1 = 0; k1 < axes[1].kernel; ++k1) {
        for (int64_t k2 = 0; k2 < axes[2].kernel; ++k2) {
          const int64_t place = k2 * axes[2].dilation;
          offsets_.push_back(((c * slices_ + k0 * axes[0].dilation) * rows_ + k1 * axes[1].dilation) * row_ +
                             place % axes[2].stride * pitch_ + place / axes[2].stride);
        }
      }
    }
  }
  if (strips_ > 0) pack_weight();
}

void Direct::pack_weight() const {
  const int64_t strip = kernels_.strip;
  share(g_.groups * g_.out_channels * terms_ * size_, g_.groups * strips_, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t group = i / strips_, begin = i % strips_ * g_.out_channels / strips_,
                    end = (i % strips_ + 1) * g_.out_channels / strips_;
      const products::Matrix rows{const_cast<std::byte*>(weight_) + (group * g_.out_channels + begin) * terms_ * size_,
                                  end - begin, terms_, terms_, 1};
      products::copy_panel(packed_.data() + i * strip * terms_ * size_, rows.transposed(), strip, size_);
    }
  });
}

Direct::Piece Direct::piece_of(int64_t number) const {
  const int64_t rows = g_.axes[1].out, columns = g_.axes[2].out, beside = ceiling(columns, width_);
  const int64_t row = number / beside * height_, column = number % beside * width_;
  return {row, std::min(height_, rows - row), column, std::min(width_, columns - column)};
}

void Direct::fill(std::byte* memory, const std::byte* image, const Piece& piece, const Piece* filled) const {
  const Axis* const axes = g_.axes;
  const auto rows_of = [&](const Piece& p) { return part_of(axes[1], p.row, p.rows); };
  const auto row_of = [&](const Piece& p) { return part_of(axes[2], p.column, p.columns); };
  const Part slices = part_of(axes[0], 0, axes[0].out), rows = rows_of(piece), row = row_of(piece);
  if (!filled || !rows.has_places_of(rows_of(*filled)) || !row.has_places_of(row_of(*filled)))
    std::memset(memory, 0, static_cast<size_t>(g_.in_channels * slices_ * rows_ * row_ * size_));
  const int64_t step = axes[2].stride, length = axes[2].in;
  for (int64_t c = 0; c < g_.in_channels; ++c) {
    for (int64_t i = 0; i < slices.count; ++i) {
      const int64_t slice = c * axes[0].in + slices.element + i;
      const std::byte* const from = image + ((slice * axes[1].in + rows.element) * length + row.element) * size_;
      std::byte* const to = memory + ((c * slices_ + slices.place + i) * rows_ + rows.place) * row_ * size_;
      for (int64_t k = 0; k < std::min(step, row.count); ++k) {
        const int64_t place = row.place + k;
        kernels_.split(to + (place % step * pitch_ + place / step) * size_, row_, from + k * size_, length, rows.count,
                       step, (row.count - k - 1) / step + 1);
      }
    }
  }
}

void Direct::run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const {
  const int64_t pieces = ceiling(g_.axes[1].out, height_) * ceiling(g_.axes[2].out, width_);
  const int64_t all = (last - first) * pieces, together = threads == 1 ? all : 1;
  parallel_for(ceiling(all, together), threads, [&](int64_t task) {
    const ScratchArray<std::byte> memory(g_.in_channels * slices_ * rows_ * row_ * size_ + direct_slack);
    Piece filled{};
    for (int64_t i = task * together; i < std::min((task + 1) * together, all); ++i) {
      const int64_t unit = first + i / pieces;
      const Piece piece = piece_of(i % pieces);
      fill(memory.data(), x.data + unit * g_.in_channels * g_.elements() * size_, piece,
           i == task * together ? nullptr : &filled);
      compute(memory.data(), result.data, unit, piece);
      filled = piece;
    }
  });
}

void Direct::compute(const std::byte* memory, std::byte* result, int64_t unit, const Piece& piece) const {
  const Axis* const axes = g_.axes;
  const int64_t columns = axes[2].out, group = unit % g_.groups, places = g_.places();
  const auto finish = [&](int64_t channels, int64_t offset) {
    const bool is_whole = piece.columns == columns;
    const int64_t parts = is_whole ? 1 : piece.rows, count = is_whole ? piece.rows * columns : piece.columns;
    for (int64_t i = 0; i < parts; ++i, offset += columns * size_)
      end(ending_, {result + offset, channels, count, places, 1}, offset, dtype_);
  };
  for (int64_t slice = 0; slice < axes[0].out; ++slice) {
    const std::byte* const in = memory + slice * axes[0].stride * rows_ * row_ * size_;
    const int64_t step = axes[1].stride * row_;
    const int64_t place = (slice * axes[1].out + piece.row) * columns + piece.column;
    const auto offset_of = [&](int64_t m) { return ((unit * g_.out_channels + m) * places + place) * size_; };
    const auto bias_of = [&](int64_t m) { return bias_ ? bias_ + (group * g_.out_channels + m) * size_ : nullptr; };
    for (int64_t term = 0; strips_ > 0 && term < terms_; term += depth_) {
      const int64_t terms = std::min(depth_, terms_ - term);
      for (int64_t i = 0; i < strips_; ++i) {
        const int64_t m = i * g_.out_channels / strips_, count = (i + 1) * g_.out_channels / strips_ - m;
        const int64_t offset = offset_of(m), strip = (group * strips_ + i) * terms_ + term;
        kernels_.channels({in, step, offsets_.data() + term, packed_.data() + strip * kernels_.strip * size_, terms,
                           result + offset, places, columns, count, piece.rows, piece.columns, bias_of(m), term > 0});
        if (term + terms == terms_) finish(count, offset);
      }
    }
    for (int64_t m = 0; strips_ == 0 && m < g_.out_channels; ++m) {
      const int64_t offset = offset_of(m);
      kernels_.direct({in, step, offsets_.data(), weight_ + (group * g_.out_channels + m) * terms_ * size_, terms_,
                       result + offset, columns, piece.rows, piece.columns, bias_of(m)});
      finish(1, offset);
    }
  }
}

}  // namespace suanzi::convolve
