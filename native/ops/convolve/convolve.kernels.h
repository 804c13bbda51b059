// The kernels of convolutions: patches of an image as a panel of a matrix product, sums of few terms straight from an
// image whose padding is in memory, and what follows the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "walk/movement.kernels.h"

namespace suanzi {

// Neighbours in a row of a packed panel: elements of a channel, a step apart, or padding.
struct PatchRun {
  int64_t source;  // the first element, counted from the channel's first one; not read where the run is padding
  int32_t place, count;
  bool is_padding;
};

// Part of a panel: a row for each term, a channel and a tap (which moves fastest), and a column for each place.
struct PatchPanel {
  const std::byte* channel;  // the channel of the first term
  int64_t channel_step;      // from a channel to the next one, in elements
  int64_t step;              // from an element of a run to the next one
  // The runs of term t are those from first_run[t] to first_run[t + 1], in the order of places; where there are more
  // terms than `entries`, these repeat.
  const PatchRun* runs;
  const int32_t* first_run;
  int64_t entries;
  int64_t first_tap, taps;  // the tap of the first term, and those of a channel
  int64_t terms;
  int64_t width;    // elements of a row
  uint8_t padding;  // the element that stands for 0, of one byte; wider ones are 0
};

using PatchKernel = void (*)(std::byte* panel, const PatchPanel& part);

// Rows of a result: element j of row i is start + the sum over the terms t of weight[t] * in[i * row + offset[t] + j].
// Elements up to direct_slack bytes past the last one can be read.
struct DirectRows {
  const void* in;
  int64_t row;
  const int64_t* offset;
  const void* weight;
  int64_t terms;
  void* out;
  int64_t out_row;
  int64_t rows, columns;
  const void* start;  // one element, or null for 0
};
inline constexpr int64_t direct_slack = 256;
inline constexpr int64_t direct_rows = 8;  // the most that the kernel takes at a time
using DirectKernel = void (*)(const DirectRows& part);

// Rows of several channels of a result: element j of row i of channel m is start[m] + the sum over the terms t of
// weight[t * strip + m] * in[i * row + offset[t] + j], where a strip is as many channels as the kernel takes at most.
// Elements up to direct_slack bytes past the last one can be read.
struct DirectChannels {
  const void* in;
  int64_t row;
  const int64_t* offset;
  const void* weight;
  int64_t terms;
  void* out;
  int64_t out_channel, out_row;
  int64_t channels, rows, columns;
  const void* start;  // an element for each channel, or null for 0
  bool adds;          // to the sums that are in `out`, and not to `start`
};
using DirectChannelsKernel = void (*)(const DirectChannels& part);

// Places of a result for a strip of its channels, from an image whose channels are neighbours: element m of place p is
// start[m] + the sum over the taps t and channels c of weight[(t * depth + c) * strip + m] * in[place[p] + tap[t] + c].
// A strip has as many elements as the kernel takes channels at most.
struct DirectPlaces {
  const void* in;
  const int64_t* place;
  int64_t places;  // a multiple of places_together
  const int64_t* tap;
  int64_t taps, depth;  // at least one
  const void* weight;
  void* sums;         // a strip for each place
  const void* start;  // a strip, or null for those in `sums`
  int64_t channels;   // up to the next whole vector, the others of a strip are read and written, too
};
inline constexpr int64_t places_together = 6;
using DirectPlacesKernel = void (*)(const DirectPlaces& part);

// Takes n elements that are `step` apart of each of some rows; steps from a row to the next are in elements.
using SplitKernel = void (*)(void* out, int64_t out_row, const void* in, int64_t in_row, int64_t rows, int64_t step,
                             int64_t n);

// A function of one element that ends a convolution, with its two numbers a and b: max(a, min(x, b)); x, or a x where
// that is negative; or a f(x) + b, for f(x) = x clip(x + 3, 0, 6) / 6, sigmoid(x), x sigmoid(x), or x times the
// probability that a normal number is less than x. Sigmoid and GELU of float32 have errors of a few units in the last
// place (math/nearly.h).
enum class EndFunction : uint8_t { none, bounds, leaky_relu, hard_swish, sigmoid, silu, gelu };
inline constexpr std::string_view end_function_names[] = {"",        "bounds", "leaky_relu", "hard_swish",
                                                          "sigmoid", "silu",   "gelu"};

// Rows of sums, to which rows of other elements are added unless null, and to which a function is then applied.
struct EndRows {
  void* sums;
  int64_t sums_row;
  const void* added;
  int64_t added_row;
  int64_t rows, columns;
  EndFunction function;
  double first, second;  // the numbers of the activation
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
  PatchKernel patches[move_sizes] = {};  // by the logarithm of an element's size
  DirectKernels float32, float64;
};

}  // namespace suanzi
