// The division of a convolution among threads. Threads share the pairs of an image and a group if each thread has at
// least two pairs, or if each pair needs little work. Otherwise, threads share the work of each pair.
#pragma once

#include <algorithm>

#include "ops/convolve/convolve.h"
#include "ops/product/matrix.h"
#include "runtime/costs.h"
#include "runtime/threads.h"

namespace suanzi::convolve {

// Calls method.run(x, result, first, last, threads) for ranges of pairs of an image and a group.
template <class Method>
void for_units(const Geometry& g, const Method& method, const Tensor& x, const Tensor& result) {
  const int64_t units = g.images * g.groups;
  const double work = static_cast<double>(g.out_channels) * static_cast<double>(g.places()) *
                      static_cast<double>(g.in_channels) * static_cast<double>(g.taps());
  const auto threads = static_cast<double>(num_threads());
  if (threads > 1 && work >= static_cast<double>(costs::shared_convolution) && static_cast<double>(units) < 2 * threads)
    return method.run(x, result, 0, units, max_threads);
  const auto together = static_cast<int64_t>(std::max(1.0, static_cast<double>(costs::convolution_task) / work));
  const bool is_brief = work * static_cast<double>(units) < static_cast<double>(costs::brief_product);
  parallel_for(products::ceiling(units, together), is_brief ? Length::brief : Length::any, [&](int64_t task) {
    method.run(x, result, task * together, std::min(units, (task + 1) * together), 1);
  });
}

}  // namespace suanzi::convolve
