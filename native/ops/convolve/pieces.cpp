#include "ops/convolve/pieces.h"

#include <algorithm>
#include <cmath>

#include "ops/product/matrix.h"
#include "runtime/costs.h"

namespace suanzi::convolve {

using products::ceiling;

int64_t span(const Axis& axis, int64_t places) {
  return (places - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

Part part_of(const Axis& axis, int64_t first, int64_t places) {
  const int64_t start = first * axis.stride - axis.before;
  const int64_t element = std::clamp<int64_t>(start, 0, axis.in);
  return {element - start, element, std::clamp<int64_t>(start + span(axis, places), element, axis.in) - element};
}

int64_t Pieces::count() const { return ceiling(g.axes[1].out, rows) * ceiling(g.axes[2].out, columns); }

Piece Pieces::piece(int64_t number) const {
  const int64_t beside = ceiling(g.axes[2].out, columns), row = number / beside * rows,
                column = number % beside * columns;
  return {row, std::min(rows, g.axes[1].out - row), column, std::min(columns, g.axes[2].out - column)};
}

double Pieces::elements() const {
  const double row = static_cast<double>(span(g.axes[2], columns)) + static_cast<double>(g.axes[2].stride - 1);
  return static_cast<double>(span(g.axes[0], g.axes[0].out)) * static_cast<double>(span(g.axes[1], rows)) * row;
}

bool Pieces::copies_little() const {
  const double copied = static_cast<double>(g.in_channels) * elements() *
                        std::ceil(static_cast<double>(g.axes[1].out) / static_cast<double>(rows)) *
                        std::ceil(static_cast<double>(g.axes[2].out) / static_cast<double>(columns));
  const double there = static_cast<double>(g.in_channels * g.elements()) + static_cast<double>(g.places());
  const double growth = std::max(static_cast<double>(costs::padded_growth),
                                 static_cast<double>(g.out_channels) * static_cast<double>(g.taps()) /
                                     static_cast<double>(costs::terms_like_copy));
  return copied <= growth * there + 4096;
}

}  // namespace suanzi::convolve
