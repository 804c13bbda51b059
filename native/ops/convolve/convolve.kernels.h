// The kernels of convolutions. One kernel packs patches of an image as a panel of a matrix product. Three kernels
// compute sums directly from a copy of the image with padding in memory, and one kernel splits rows for such copies.
// The last kernel applies the steps that follow the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "walk/movement.kernels.h"

namespace suanzi {

// Neighbouring elements in a row of a packed panel: elements of a channel that are one step apart, or padding.
struct PatchRun {
  int64_t source;  // the index of the first element in its channel, unused if the run is padding
  int32_t place, count;
  bool is_padding;
};

// A part of a panel. A term is a pair of a channel and a tap. Consecutive terms have consecutive taps of a channel.
// Each term has a row, and each position has a column.
struct PatchPanel {
  const std::byte* channel;  // the channel that contains the first term
  int64_t channel_step;      // the distance between channels, in elements
  int64_t step;              // the distance between elements of a run
  // The runs of term t are first_run[t] up to first_run[t + 1], in the order of positions. If the terms are more than
  // `entries`, term t has the runs of term t % entries.
  const PatchRun* runs;
  const int32_t* first_run;
  int64_t entries;
  int64_t first_tap, taps;  // the tap of the first term, and the number of taps per channel
  int64_t terms;
  int64_t width;    // the number of elements in a row
  uint8_t padding;  // the value of padded elements of one byte, or 0 for wider elements
};

using PatchKernel = void (*)(std::byte* panel, const PatchPanel& part);

// The operands of a kernel that computes rows of a result. Element j of row i is start + the sum over the terms t of
// weight[t] * in[i * row + offset[t] + j]. The kernel may read up to direct_slack bytes past the last element. If
// `side` is not 0, the terms are the taps of a square. Tap k of row i of the square has the offset i * line +
// offset[k].
struct DirectRows {
  const void* in;
  int64_t row;
  int64_t side, line;
  const int64_t* offset;
  const void* weight;
  int64_t terms;
  void* out;
  int64_t out_row;
  int64_t rows, columns;
  const void* start;  // one element, or null for 0
};
inline constexpr int64_t direct_slack = 256;
inline constexpr int64_t direct_rows = 8;  // the largest number of rows that the kernel computes at a time
using DirectKernel = void (*)(const DirectRows& part);

// The operands of a kernel that computes rows of several channels of a result. Element j of row i of channel m is
// start[m] + the sum over the terms t of weight[t * strip + m] * in[i * row + offset[t] + j]. A strip is the largest
// number of channels that the kernel computes at a time. The kernel may read up to direct_slack bytes past the last
// element.
struct DirectChannels {
  const void* in;
  int64_t row;
  const int64_t* offset;
  const void* weight;
  int64_t terms;
  void* out;
  int64_t out_channel, out_row;
  int64_t channels, rows, columns;
  const void* start;  // one element per channel, or null for 0
  bool adds;          // if true, the sums start from `out` instead of `start`
};
using DirectChannelsKernel = void (*)(const DirectChannels& part);

// The operands of a kernel that computes positions of a result for a strip of its channels. The channels of the image
// are neighbours. Element m of position p is start[m] + the sum over the taps t and channels c of weight[(t * depth +
// c) * strip + m] * in[place[p] + tap[t] + c]. A strip is the largest number of channels that the kernel computes at a
// time.
struct DirectPlaces {
  const void* in;
  const int64_t* place;
  int64_t places;  // a multiple of places_together
  const int64_t* tap;
  int64_t taps, depth;  // each number is at least 1
  const void* weight;
  void* sums;         // one strip per position
  const void* start;  // one strip, or null to start from `sums`
  int64_t channels;   // the kernel also reads and writes lanes up to the next whole vector
};
inline constexpr int64_t places_together = 6;
using DirectPlacesKernel = void (*)(const DirectPlaces& part);

// The operands of a kernel that copies `count` elements from each of several rows. Each row is split into `step` runs,
// which are `run` elements apart. Element i is copied to position p / step of run p % step, where p = place + i. All
// distances are in elements.
struct SplitRows {
  void* out;
  int64_t out_row, run, place;
  const void* in;
  int64_t in_row;
  int64_t rows, step, count;
};
using SplitKernel = void (*)(const SplitRows& part);

// The activation at the end of a convolution, with two parameters a and b:
// - `bounds` is min(b, max(x, a)), for bounds that are neither NaN nor -0.
// - `leaky_relu` is x, or a x if x is negative.
// - The other activations are a f(x) + b. f(x) is x clip(x + 3, 0, 6) / 6 for `hard_swish`, sigmoid(x) for `sigmoid`, x
// sigmoid(x) for `silu`, and x P(x) for `gelu`. P(x) is the probability that a standard normal number is less than x.
// In float32, sigmoid and GELU have errors of a few units in the last place (math/nearly.h).
enum class EndFunction : uint8_t { none, bounds, leaky_relu, hard_swish, sigmoid, silu, gelu };
inline constexpr std::string_view end_function_names[] = {"",        "bounds", "leaky_relu", "hard_swish",
                                                          "sigmoid", "silu",   "gelu"};

// The operands of a kernel that ends rows of sums. The kernel adds the rows of `added`, unless `added` is null, to the
// sums, and then applies the activation.
struct EndRows {
  void* sums;
  int64_t sums_row;
  const void* added;
  int64_t added_row;
  int64_t rows, columns;
  EndFunction function;
  double first, second;  // the parameters of the activation
};
using EndKernel = void (*)(const EndRows& part);

struct DirectKernels {
  DirectKernel direct = nullptr;
  DirectChannelsKernel channels = nullptr;
  int strip = 0;
  DirectPlacesKernel places = nullptr;
  int places_strip = 0;
  SplitKernel split = nullptr;
  EndKernel end = nullptr;
};

struct ConvolveKernels {
  PatchKernel patches[move_sizes] = {};  // indexed by the logarithm of the element size
  DirectKernels float32, float64;
};

}  // namespace suanzi
