#include "ops/sample/boxes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/share.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

struct Box {
  double x0, y0, x1, y1, area;
};

// Returns the box that the four numbers at p define. The numbers are the centre and the sizes of the box if `centred`
// is true. Otherwise, the numbers are any two opposite corners.
Box box_of(const double* p, bool centred) {
  Box b{};
  if (centred) {
    b = {p[0] - p[2] / 2, p[1] - p[3] / 2, p[0] + p[2] / 2, p[1] + p[3] / 2, 0};
  } else {
    b = {std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3]), 0};
  }
  b.area = (b.x1 - b.x0) * (b.y1 - b.y0);
  return b;
}

// Returns true if the common part of two boxes is more than `most` of the boxes' union. Boxes without an area have no
// common part. If `in_float32` is true, the quotient of the two areas is rounded to float32, like the limit `most`, so
// that 7 / 10 is not more than 0.7.
bool overlap(const Box& a, const Box& b, double most, bool in_float32) {
  const double width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  if (!(width > 0)) return false;
  const double height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(height > 0) || !(a.area > 0) || !(b.area > 0)) return false;
  const double shared = width * height, part = shared / (a.area + b.area - shared);
  return in_float32 ? static_cast<double>(static_cast<float>(part)) > most : part > most;
}

// Returns the indices of the kept boxes of one class, in descending order of their scores.
std::vector<int64_t> kept(const std::vector<Box>& boxes, const double* scores, const Suppression& how,
                          bool in_float32) {
  std::vector<int64_t> order;
  const auto count = static_cast<int64_t>(boxes.size());
  for (int64_t i = 0; i < count; ++i)
    if (how.score ? scores[i] > *how.score : scores[i] == scores[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  const auto most = static_cast<size_t>(std::clamp<int64_t>(how.most.value_or(count), 0, count));
  std::vector<int64_t> found;
  std::vector<Box> chosen;
  for (const int64_t candidate : order) {
    if (found.size() >= most) break;
    const Box& box = boxes[static_cast<size_t>(candidate)];
    if (std::ranges::any_of(chosen, [&](const Box& other) { return overlap(box, other, how.overlap, in_float32); }))
      continue;
    found.push_back(candidate);
    chosen.push_back(box);
  }
  return found;
}

void check(const char* op, const Tensor& boxes, const Tensor& scores, const Suppression& how) {
  for (const Tensor* each : {&boxes, &scores}) {
    check_alive(op, *each);
    if (!is_floating(each->dtype))
      fail(Status::type_mismatch, op, ": element type ", name(each->dtype), " is not floating");
  }
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.shape[2] != 4 || boxes.shape[0] != scores.shape[0] ||
      boxes.shape[1] != scores.shape[2])
    fail(Status::dimensions_mismatch, op, ": boxes of shape ", boxes.shape, " and scores of shape ", scores.shape,
         " are not (N, B, 4) and (N, C, B)");
  if (!(how.overlap >= 0 && how.overlap <= 1))
    fail(Status::invalid_argument, op, ": iou_threshold ", how.overlap, " is not in [0, 1]");
}

Tensor as_float64(const char* op, const Tensor& x) {
  // The code copies x, because no other thread writes to the copy.
  const Tensor copy = make_empty(op, x.shape, DType::float64);
  copy_into(op, copy, x);
  return copy;
}

}  // namespace

Tensor suppress_boxes(const char* op, const Tensor& boxes, const Tensor& scores, const Suppression& how) {
  check(op, boxes, scores, how);
  const int64_t images = scores.shape[0], classes = scores.shape[1], count = scores.shape[2];
  const Tensor at = as_float64(op, boxes), score = as_float64(op, scores);
  const bool in_float32 = boxes.dtype != DType::float64;
  Suppression rounded = how;
  if (in_float32) rounded.overlap = static_cast<float>(how.overlap);
  if (how.score && scores.dtype != DType::float64) rounded.score = static_cast<float>(*how.score);
  std::vector<std::vector<Box>> all(static_cast<size_t>(images));
  for (int64_t n = 0; n < images; ++n)
    for (int64_t i = 0; i < count; ++i)
      all[static_cast<size_t>(n)].push_back(box_of(at.as<double>() + 4 * (n * count + i), how.centred));
  std::vector<std::vector<int64_t>> found(static_cast<size_t>(images * classes));
  share(score.size * costs::bytes_per_box * 16, images * classes, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k)
      found[static_cast<size_t>(k)] =
          kept(all[static_cast<size_t>(k / classes)], score.as<double>() + k * count, rounded, in_float32);
  });
  int64_t total = 0;
  for (const auto& some : found) total += static_cast<int64_t>(some.size());
  const Tensor result = make_empty(op, {total, 3}, DType::int64);
  auto* to = result.as<int64_t>();
  for (int64_t k = 0; k < images * classes; ++k)
    for (const int64_t box : found[static_cast<size_t>(k)]) {
      *to++ = k / classes;
      *to++ = k % classes;
      *to++ = box;
    }
  return result;
}

}  // namespace suanzi
