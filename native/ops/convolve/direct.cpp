#include "ops/convolve/direct.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/convolve/convolve.kernels.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {
namespace {

// The elements of one dimension from the first to the last one that is read, with padding.
int64_t span(const Axis& axis) { return (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1; }

double padded_elements(const Geometry& g) {
  double elements = static_cast<double>(g.in_channels);
  for (const Axis& axis : g.axes) elements *= static_cast<double>(span(axis));
  // A row is made up to a multiple of its stride, which may be longer than all of it.
  const Axis& row = g.axes[2];
  return elements / static_cast<double>(span(row)) * (static_cast<double>(span(row)) + static_cast<double>(row.stride));
}

// The places of the padded image at which elements are, and the first of these.
struct Part {
  int64_t place, element, count;
};
Part part_of(const Axis& axis) {
  const int64_t element = std::max<int64_t>(-axis.before, 0), place = std::max<int64_t>(axis.before, 0);
  return {place, element, std::max<int64_t>(std::min(axis.in - element, span(axis) - place), 0)};
}

}  // namespace

const DirectKernels* direct_kernels(DType dtype) {
  const ConvolveKernels& kernels = *suanzi::kernels().convolve;
  return dtype == DType::float32 ? &kernels.float32 : dtype == DType::float64 ? &kernels.float64 : nullptr;
}

bool Direct::suits(const Geometry& g, DType dtype) {
  if (!direct_kernels(dtype) || g.in_channels > costs::direct_channels || g.out_channels > costs::direct_channels ||
      g.taps() == 1 || g.in_channels * g.taps() > costs::direct_terms)
    return false;
  const double there = static_cast<double>(g.in_channels * g.elements()) + static_cast<double>(g.places());
  return padded_elements(g) <= static_cast<double>(costs::padded_growth) * there + 4096;
}

Direct::Direct(const Geometry& g, const Tensor& weight, const std::byte* bias, const Ending& ending)
    : g_(g),
      dtype_(weight.dtype),
      size_(size_of(dtype_)),
      kernels_(*direct_kernels(dtype_)),
      weight_(weight.data),
      bias_(bias),
      ending_(ending) {
  const Axis* const axes = g.axes;
  pitch_ = products::ceiling(span(axes[2]), axes[2].stride);
  row_ = pitch_ * axes[2].stride;
  rows_ = span(axes[1]);
  slices_ = span(axes[0]);
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
}

void Direct::fill(std::byte* padded, const std::byte* image) const {
  const Part slices = part_of(g_.axes[0]), rows = part_of(g_.axes[1]), row = part_of(g_.axes[2]);
  const int64_t step = g_.axes[2].stride, length = g_.axes[2].in;
  for (int64_t c = 0; c < g_.in_channels; ++c) {
    for (int64_t i = 0; i < slices.count; ++i) {
      const int64_t slice = c * g_.axes[0].in + slices.element + i;
      const std::byte* const from = image + ((slice * g_.axes[1].in + rows.element) * length + row.element) * size_;
      std::byte* const to = padded + ((c * slices_ + slices.place + i) * rows_ + rows.place) * row_ * size_;
      for (int64_t k = 0; k < std::min(step, row.count); ++k) {
        const int64_t place = row.place + k;
        kernels_.split(to + (place % step * pitch_ + place / step) * size_, row_, from + k * size_, length, rows.count,
                       step, (row.count - k - 1) / step + 1);
      }
    }
  }
}

void Direct::run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const {
  const int64_t bytes = g_.in_channels * slices_ * rows_ * row_ * size_ + direct_slack;
  const ScratchArray<std::byte> memory(bytes);
  std::memset(memory.data(), 0, static_cast<size_t>(bytes));
  for (int64_t unit = first; unit < last; ++unit) {
    fill(memory.data(), x.data + unit * g_.in_channels * g_.elements() * size_);
    // The rows that a block reads stay in the L1 cache while all channels are made of them; the last block has the
    // rest.
    const int64_t slices = g_.axes[0].out, rows = g_.axes[1].out, columns = g_.axes[2].out;
    const int64_t bytes_of_row = g_.in_channels * g_.axes[0].kernel * g_.axes[1].stride * row_ * size_;
    const int64_t height = std::max<int64_t>(costs::direct_rows_bytes / bytes_of_row / direct_rows, 1) * direct_rows;
    const int64_t width = rows < 2 * direct_rows ? costs::direct_columns : columns;
    const int64_t blocks = std::max<int64_t>(rows / height, 1), pieces = products::ceiling(columns, width);
    parallel_for(slices * blocks * pieces, threads, [&](int64_t task) {
      const int64_t slice = task / (blocks * pieces), block = task / pieces % blocks, column = task % pieces * width;
      const int64_t row = block * height, end_row = block + 1 == blocks ? rows : row + height;
      compute(memory.data(), result.data, unit, {slice, row, end_row - row, column, std::min(width, columns - column)});
    });
  }
}

void Direct::compute(const std::byte* padded, std::byte* result, int64_t unit, const Piece& piece) const {
  const Axis* const axes = g_.axes;
  const int64_t terms = g_.in_channels * g_.taps(), columns = axes[2].out;
  const std::byte* const in =
      padded + ((piece.slice * axes[0].stride * rows_ + piece.row * axes[1].stride) * row_ + piece.column) * size_;
  for (int64_t m = 0; m < g_.out_channels; ++m) {
    const int64_t channel = unit % g_.groups * g_.out_channels + m;
    const int64_t row = ((unit * g_.out_channels + m) * axes[0].out + piece.slice) * axes[1].out + piece.row;
    const int64_t offset = (row * columns + piece.column) * size_;
    kernels_.direct({in, axes[1].stride * row_, offsets_.data(), weight_ + channel * terms * size_, terms,
                     result + offset, columns, piece.rows, piece.columns, bias_ ? bias_ + channel * size_ : nullptr});
    end(ending_, {result + offset, piece.rows, piece.columns, columns, 1}, offset, dtype_);
  }
}

}  // namespace suanzi::convolve
