#include "ops/convolve/direct.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/units.h"
#include "ops/product/gemm.h"
#include "runtime/costs.h"
#include "runtime/share.h"
#include "runtime/threads.h"

namespace suanzi::convolve {

using products::ceiling;

namespace {

// Returns the largest number of positions along a dimension of the result, up to `places`, for which a piece has at
// most `limit` elements. elements(n) must be proportional to the number of elements that n positions read.
template <class Elements>
int64_t most_places(const Axis& axis, int64_t places, double limit, Elements elements) {
  if (elements(places) <= limit) return places;
  const double each = elements(1) / static_cast<double>(span(axis, 1));
  const double more = (limit / each - static_cast<double>(span(axis, 1))) / static_cast<double>(axis.stride);
  return std::clamp<int64_t>(static_cast<int64_t>(more) + 1, 1, places);
}

// Returns true if the input of a few rows of the result, for all channels, stays in the L1 cache.
bool reads_little(const Geometry& g) { return std::max(g.in_channels, g.out_channels) <= costs::single_channels; }

// Returns the largest number of image channels for which the code sums a convolution with a kernel of one element
// directly.
int64_t most_read_channels(const Geometry& g) {
  const bool is_strided = std::ranges::any_of(g.axes, [](const Axis& axis) { return axis.stride > 1; });
  return is_strided ? costs::direct_strided_channels : costs::direct_read_channels;
}

bool takes_strips(const Geometry& g) { return g.out_channels > costs::single_channels; }

Pieces pieces_of(const Geometry& g, int size, int threads) {
  const double limit = static_cast<double>(reads_little(g) ? costs::direct_rows_bytes : costs::direct_bytes) / size;
  const int64_t rows = g.axes[1].out, columns = g.axes[2].out;
  // A piece has at least a few rows of the result, because several rows of the result read the same rows of the image.
  // The code then copies these rows of the image once. If whole rows are too long, the piece has only some columns.
  const int64_t unit = takes_strips(g) ? 1 : direct_rows;
  const int64_t least = std::min(takes_strips(g) ? costs::direct_least_rows : direct_rows, rows);
  const auto elements = [&](int64_t height, int64_t width) {
    const Pieces one{g, {height, 1, 1}, {width, 1, 1}};
    return static_cast<double>(g.in_channels) * one.elements();
  };
  const int64_t width = most_places(g.axes[2], columns, limit, [&](int64_t n) { return elements(least, n); });
  const Cut across =
      width == columns
          ? Cut{columns, 1, 1}
          : Cut::into(columns, ceiling(width, costs::direct_columns) * costs::direct_columns, costs::direct_columns);
  const int64_t height = most_places(g.axes[1], rows, limit, [&](int64_t n) { return elements(n, across.longest()); });
  // Threads share the pieces of an image.
  const int64_t parts = threads == 1 ? 1 : ceiling(2 * threads, g.images * g.groups);
  const int64_t most = std::max(std::min(height, ceiling(rows, parts)), least);
  Pieces pieces{g, Cut::into(rows, ceiling(most, unit) * unit, unit), across};
  pieces.balance(threads, least);
  return pieces;
}

}  // namespace

const DirectKernels* direct_kernels(DType dtype) {
  const ConvolveKernels& kernels = *suanzi::kernels().convolve;
  return dtype == DType::float32 ? &kernels.float32 : dtype == DType::float64 ? &kernels.float64 : nullptr;
}

bool Direct::suits(const Geometry& g, DType dtype) {
  const int64_t taps = g.taps();
  const bool is_few = taps > 1 ? g.out_channels <= costs::direct_channels || g.in_channels * taps <= costs::direct_terms
                               : g.in_channels <= most_read_channels(g) && g.out_channels > costs::packed_rows;
  if (!direct_kernels(dtype) || !is_few || (g.places() <= costs::places_by_vectors && !reads_little(g))) return false;
  const Pieces pieces = pieces_of(g, size_of(dtype), 1);
  const double bytes = static_cast<double>(g.in_channels) * pieces.elements() * size_of(dtype);
  return bytes <= 2.0 * static_cast<double>(costs::direct_bytes) && pieces.copies_little();
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
      pieces_(pieces_of(g, size_, threads_of_unit(g))),
      strips_(takes_strips(g) ? ceiling(g.out_channels, kernels_.strip) : 0),
      packed_(g.groups * strips_ * kernels_.strip * terms_ * size_) {
  const Axis* const axes = g.axes;
  pitch_ = ceiling(span(axes[2], pieces_.columns()), axes[2].stride);
  row_ = pitch_ * axes[2].stride;
  rows_ = span(axes[1], pieces_.rows());
  slices_ = span(axes[0], axes[0].out);
  const bool is_square = g.in_channels == 1 && axes[0].kernel == 1 && axes[1].kernel == axes[2].kernel;
  side_ = is_square ? axes[1].kernel : 0;
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
  for (int64_t i = 0; i < pieces_.count(); ++i) {
    const Piece piece = pieces_.piece(i);
    copied_.push_back({piece, part_of(axes[0], 0, axes[0].out), part_of(axes[1], piece.row, piece.rows),
                       part_of(axes[2], piece.column, piece.columns)});
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

void Direct::fill(std::byte* memory, const std::byte* image, const Copied& copied, const Copied* before) const {
  const Axis* const axes = g_.axes;
  const auto& [piece, slices, rows, row] = copied;
  const auto lies_as_before = [&](Part Copied::* part) {
    return before && (before->*part).place == (copied.*part).place && (before->*part).count == (copied.*part).count;
  };
  const int64_t row_bytes = row_ * size_;
  const auto clear = [&](std::byte* first, int64_t count) {
    std::memset(first, 0, static_cast<size_t>(count * row_bytes));
  };
  const bool keeps_columns = lies_as_before(&Copied::row), keeps_rows = lies_as_before(&Copied::rows);
  if (!keeps_columns) clear(memory, g_.in_channels * slices_ * rows_);
  for (int64_t c = 0; c < g_.in_channels; ++c) {
    for (int64_t i = 0; i < slices.count; ++i) {
      std::byte* const top = memory + (c * slices_ + slices.place + i) * rows_ * row_bytes;
      if (keeps_columns && !keeps_rows) {
        const int64_t first = std::clamp<int64_t>(rows.place, 0, rows_), last = first + rows.count;
        clear(top, first);
        clear(top + last * row_bytes, rows_ - last);
      }
      const int64_t slice = c * axes[0].in + slices.element + i;
      kernels_.split({top + rows.place * row_bytes, row_, pitch_, row.place,
                      image + ((slice * axes[1].in + rows.element) * axes[2].in + row.element) * size_, axes[2].in,
                      rows.count, axes[2].stride, row.count});
    }
  }
}

void Direct::run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const {
  const int64_t pieces = std::ssize(copied_), all = (last - first) * pieces, together = threads == 1 ? all : 1;
  parallel_for(ceiling(all, together), threads, [&](int64_t task) {
    const ScratchArray<std::byte> memory(g_.in_channels * slices_ * rows_ * row_ * size_ + direct_slack);
    const Copied* before = nullptr;
    for (int64_t i = task * together; i < std::min((task + 1) * together, all); ++i) {
      const int64_t unit = first + i / pieces;
      const Copied& copied = copied_[static_cast<size_t>(i % pieces)];
      fill(memory.data(), x.data + unit * g_.in_channels * g_.elements() * size_, copied, before);
      compute(memory.data(), result.data, unit, copied.piece);
      before = &copied;
    }
  });
}

void Direct::compute(const std::byte* memory, std::byte* result, int64_t unit, const Piece& piece) const {
  const Axis* const axes = g_.axes;
  const int64_t columns = axes[2].out, group = unit % g_.groups, places = g_.places();
  for (int64_t slice = 0; slice < axes[0].out; ++slice) {
    const std::byte* const in = memory + slice * axes[0].stride * rows_ * row_ * size_;
    const int64_t step = axes[1].stride * row_;
    const int64_t place = (slice * axes[1].out + piece.row) * columns + piece.column;
    const auto offset_of = [&](int64_t m, int64_t at) { return ((unit * g_.out_channels + m) * places + at) * size_; };
    const auto bias_of = [&](int64_t m) { return bias_ ? bias_ + (group * g_.out_channels + m) * size_ : nullptr; };
    const auto finish = [&](int64_t m, int64_t channels) {
      pieces_.for_runs(piece, slice, [&](int64_t, int64_t count, int64_t at) {
        const int64_t offset = offset_of(m, at);
        end(ending_, {result + offset, channels, count, places, 1}, offset, dtype_);
      });
    };
    for (int64_t term = 0; strips_ > 0 && term < terms_; term += depth_) {
      const int64_t terms = std::min(depth_, terms_ - term);
      for (int64_t i = 0; i < strips_; ++i) {
        const int64_t m = i * g_.out_channels / strips_, count = (i + 1) * g_.out_channels / strips_ - m;
        const int64_t strip = (group * strips_ + i) * terms_ + term;
        kernels_.channels({in, step, offsets_.data() + term, packed_.data() + strip * kernels_.strip * size_, terms,
                           result + offset_of(m, place), places, columns, count, piece.rows, piece.columns, bias_of(m),
                           term > 0});
        if (term + terms == terms_) finish(m, count);
      }
    }
    for (int64_t m = 0; strips_ == 0 && m < g_.out_channels; ++m) {
      kernels_.direct({in, step, side_, axes[1].dilation * row_, offsets_.data(),
                       weight_ + (group * g_.out_channels + m) * terms_ * size_, terms_, result + offset_of(m, place),
                       columns, piece.rows, piece.columns, bias_of(m)});
      finish(m, 1);
    }
  }
}

}  // namespace suanzi::convolve
