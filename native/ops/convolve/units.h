// The division of a convolution among threads. Threads share the pairs of an image and a group if each thread has at
// least two pairs, or if each pair needs little work. Otherwise, threads share the work of each pair.
#pragma once

#include <algorithm>

#include "ops/convolve/convolve.h"
#include "ops/product/matrix.h"
#include "runtime/costs.h"
#include "runtime/threads.h"

namespace suanzi::convolve {

// Returns the number of multiply-adds of a pair.
inline double work_of_unit(const Geometry& g) {
  return static_cast<double>(g.out_channels) * static_cast<double>(g.places()) * static_cast<double>(g.in_channels) *
         static_cast<double>(g.taps());
}

// Returns the number of threads that share the work of each pair.
inline int threads_of_unit(const Geometry& g) {
  const int threads = num_threads();
  const bool has_few_units = static_cast<double>(g.images * g.groups) < 2 * static_cast<double>(threads);
  return has_few_units && work_of_unit(g) >= static_cast<double>(costs::shared_convolution) ? threads : 1;
}

// Calls method.run(x, result, first, last, threads) for ranges of pairs of an image and a group.
template <class Method>
void for_units(const Geometry& g, const Method& method, const Tensor& x, const Tensor& result) {
  const int64_t units = g.images * g.groups;
  if (threads_of_unit(g) > 1) return method.run(x, result, 0, units, max_threads);
  const double work = work_of_unit(g);
  const auto together = static_cast<int64_t>(std::max(1.0, static_cast<double>(costs::convolution_task) / work));
  const bool is_brief = work * static_cast<double>(units) < static_cast<double>(costs::brief_product);
  parallel_for(products::ceiling(units, together), is_brief ? Length::brief : Length::any, [&](int64_t task) {
    method.run(x, result, task * together, std::min(units, (task + 1) * together), 1);
  });
}

}  // namespace suanzi::convolve
