#include "ops/convolve/pieces.h"

#include <algorithm>

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

Cut Cut::into(int64_t places, int64_t most, int64_t unit) {
  const int64_t units = ceiling(places, unit);
  return {places, unit, ceiling(units, std::max<int64_t>(most / unit, 1))};
}

Piece Pieces::piece(int64_t number) const {
  const int64_t i = number / across.ranges, j = number % across.ranges;
  const int64_t row = down.begin(i), column = across.begin(j);
  return {row, down.begin(i + 1) - row, column, across.begin(j + 1) - column};
}

void Pieces::balance(int threads, int64_t least) {
  const int64_t units = g.images * g.groups;
  const auto divides = [&](int64_t pieces) { return units * pieces % threads == 0; };
  if (threads == 1 || divides(count()) || units * count() >= costs::pieces_per_thread * threads) return;
  const auto more = [&](Cut& cut, int64_t others, int64_t most) {
    for (int64_t ranges = cut.ranges + 1; ranges <= std::min(most, cut.ranges + threads); ++ranges) {
      if (!divides(ranges * others)) continue;
      cut.ranges = ranges;
      return true;
    }
    return false;
  };
  if (!more(down, across.ranges, std::min(down.units(), down.places / least)))
    more(across, down.ranges, across.units());
}

double Pieces::elements() const {
  const double row = static_cast<double>(span(g.axes[2], columns())) + static_cast<double>(g.axes[2].stride - 1);
  return static_cast<double>(span(g.axes[0], g.axes[0].out)) * static_cast<double>(span(g.axes[1], rows())) * row;
}

bool Pieces::copies_little() const {
  const double copied = static_cast<double>(g.in_channels) * elements() * static_cast<double>(down.ranges) *
                        static_cast<double>(across.ranges);
  const double there = static_cast<double>(g.in_channels * g.elements()) + static_cast<double>(g.places());
  const double growth = std::max(static_cast<double>(costs::padded_growth),
                                 static_cast<double>(g.out_channels) * static_cast<double>(g.taps()) /
                                     static_cast<double>(costs::terms_like_copy));
  return copied <= growth * there + 4096;
}

}  // namespace suanzi::convolve
