#include "ops/interpolate/lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bisection.h"
#include "runtime/costs.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t together = 16;  // the number of elements whose lines the code finds at a time

// The line from one point to the next. The slope is NaN if a distance between the two points is too large, or if the
// quotient of the distances overflows or underflows.
struct Line {
  double x, y, slope;
};

Line line_between(double x0, double y0, double x1, double y1) {
  const double rise = y1 - y0, run = x1 - x0, slope = rise / run;
  const bool is_plain = std::isfinite(run) && std::abs(rise) <= std::numeric_limits<double>::max() / 2 &&
                        (std::isnormal(slope) || rise == 0);
  return {x0, y0, is_plain ? slope : nan};
}

// Returns the value at x between the points (x0, y0) and (x1, y1), for which line_between returns the slope NaN.
double between(double x, double x0, double y0, double x1, double y1) {
  if (x == x0 || y0 == y1) return y0;
  const bool is_open = std::isinf(x0) || std::isinf(x1);
  if (!std::isfinite(y0) || !std::isfinite(y1)) return is_open ? nan : y0 + y1;
  if (is_open) return std::isinf(x0) ? (std::isinf(x1) ? nan : y1) : y0;
  const double run = x1 - x0, rise = y1 - y0;
  const double share = std::isinf(run) ? (x / 2 - x0 / 2) / (x1 / 2 - x0 / 2) : (x - x0) / run;
  return std::isinf(rise) ? y0 * (1 - share) + y1 * share : y0 + rise * share;
}

class Lines {
 public:
  Lines(const double* xp, const double* fp, int64_t n, double left, double right, int64_t lookups)
      : xp_(xp), fp_(fp), n_(n), first_(xp[0]), first_value_(fp[0]), left_(left), right_(right) {
    if (lookups < n) return;
    auto* const lines = memory_.take<Line>(n);
    for (int64_t i = 0; i < n; ++i) lines[i] = made(i);
    lines_ = lines;
  }

  void values(double* out, const double* x, int64_t count) const {
    int64_t places[together], near = 0, wait = 0, waited = 0;
    for (int64_t i = 0; i < count; i += together) {
      const int64_t some = std::min(together, count - i);
      double wanted[together];
      std::copy_n(x + i, some, wanted);
      if (waited >= wait && follows(places, wanted, some, near)) {
        wait = 0;
      } else {
        // If the elements of a group are not in order, the code uses only bisection for the next `wait` groups.
        if (waited++ >= wait) wait = std::min(2 * wait + 1, costs::groups_per_walk), waited = 0;
        bisect<true>(places, wanted, some, xp_, n_);
        near = places[some - 1];
      }
      for (int64_t j = 0; j < some; ++j) out[i + j] = value(wanted[j], places[j]);
    }
  }

 private:
  Line made(int64_t i) const {
    return i + 1 < n_ ? line_between(xp_[i], fp_[i], xp_[i + 1], fp_[i + 1]) : Line{xp_[i], fp_[i], 0};
  }

  // Finds the lines of ascending elements, most of which are on the line of the previous element or a few lines further
  // on. For ascending elements, this search is faster than bisection for each element. Returns false if an element is
  // less than the previous element. `near` is the number of points that are not beyond the previous element.
  bool follows(int64_t* places, const double* x, int64_t count, int64_t& near) const {
    int64_t place = near;
    for (int64_t i = 0; i < count; ++i) {
      if (place > 0 && !(xp_[place - 1] <= x[i])) return false;
      const int64_t end = std::min(n_, place + costs::lines_ahead);
      while (place < end && xp_[place] <= x[i]) ++place;
      if (place == end && place < n_) place = std::upper_bound(xp_ + place, xp_ + n_, x[i]) - xp_;
      places[i] = place;
    }
    near = place;
    return true;
  }

  // Returns the value at x, where `place` is the number of points that are not beyond x.
  double value(double x, int64_t place) const {
    if (!(x > first_)) return std::isnan(x) ? x : x == first_ ? first_value_ : left_;
    // If `place` is 0, another thread has written to the points during the search.
    if (place == 0) return nan;
    const Line line = lines_ ? lines_[place - 1] : made(place - 1);
    if (place == n_ && x > line.x) return right_;
    const double distance = x - line.x;
    const double found = distance == 0 ? line.y : line.slope * distance + line.y;
    return std::isnan(found) ? settled(x, place) : found;
  }

  double settled(double x, int64_t place) const {
    if (std::isnan(x)) return x;
    if (place == n_) return fp_[n_ - 1];
    return between(x, xp_[place - 1], fp_[place - 1], xp_[place], fp_[place]);
  }

  const double *xp_, *fp_;
  int64_t n_;
  double first_, first_value_, left_, right_;
  const Line* lines_ = nullptr;
  Scratch memory_;
};

Tensor in_double(const char* op, const Tensor& x) {
  return to_contiguous(op, x.dtype == DType::float64 ? x : cast(op, x, DType::float64));
}

}  // namespace

Tensor on_lines(const char* op, const Tensor& x, const Tensor& xp, const Tensor& fp, std::optional<double> left,
                std::optional<double> right) {
  for (const Tensor* operand : {&x, &xp, &fp}) {
    check_alive(op, *operand);
    if (is_complex(operand->dtype) || operand->dtype == DType::string)
      fail(Status::type_mismatch, op, ": element type ", name(operand->dtype), " is not real");
  }
  if (xp.rank() != 1 || fp.rank() != 1 || xp.size != fp.size || xp.size == 0)
    fail(Status::dimensions_mismatch, op, ": points of shapes ", xp.shape, " and ", fp.shape,
         " are not two vectors of one length, at least 1");
  const Tensor wanted = in_double(op, x), at = in_double(op, xp), of = in_double(op, fp);
  const Tensor result = make_empty(op, x.shape, DType::float64);
  const auto* const ends = of.as<double>();
  const Lines lines(at.as<double>(), ends, at.size, left.value_or(ends[0]), right.value_or(ends[at.size - 1]), x.size);
  share(costs::bytes_per_line * x.size, x.size, [&](int64_t first, int64_t last) {
    lines.values(result.as<double>() + first, wanted.as<double>() + first, last - first);
  });
  return result;
}

}  // namespace suanzi
