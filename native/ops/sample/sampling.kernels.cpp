// The kernels of sampling, which sampling.kernels.h describes.
#include "ops/sample/sampling.kernels.h"

#include <cstring>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// --- places along one axis ---

// Returns coordinates, reflected at the two ends of an axis until the coordinates are between the ends. The axis begins
// at `low` and has the length `span`.
template <class V>
SUANZI_INLINE V reflected(V x, typename V::element low, typename V::element span) {
  using T = typename V::element;
  if (span == 0) return V(T(0));
  const V distance = abs(x - V(low)), times = floor(distance / V(span));
  const V rest = distance - times * V(span), half = times * V(T(0.5));
  return select(half == floor(half), rest + V(low), V(span) - rest + V(low));
}

// Maps coordinates from -1 to 1 to places among the elements of an axis, and decides which elements contribute to
// results.
template <class T>
struct GridAxis {
  static constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  T size, low, span;
  bool align, is_cubic;
  Outside outside;

  GridAxis(const GridPoints& points, int64_t elements)
      : size(static_cast<T>(elements)),
        low(points.align_corners ? T(0) : T(-0.5)),
        span(points.align_corners ? size - 1 : size),
        align(points.align_corners),
        is_cubic(points.sampling == Sampling::cubic),
        outside(points.outside) {}

  // Limits x to the elements of the axis. NaN becomes the first element.
  SUANZI_INLINE V held(V x) const { return min(max(x, V(T(0))), V(size - 1)); }
  SUANZI_INLINE V brought_inside(V x) const {
    if (outside == Outside::zeros) return x;
    return held(outside == Outside::reflection ? reflected(x, low, span) : x);
  }
  SUANZI_INLINE V position(V x) const {
    // `far` is outside of any plane, and its place is finite.
    const V one(T(1)), half(T(0.5)), far(T(0x1p60));
    x = select(abs(x) < V(static_cast<T>(__builtin_inf())), min(far, max(-far, x)), x);
    const V at = align ? (x + one) * half * V(size - 1) : ((x + one) * V(size) - one) * half;
    return is_cubic ? at : brought_inside(at);
  }

  // Stores an element's place and weight. The place is 0 if the element is outside of the axis. The weight is 0 if the
  // element is outside of the axis and `is_kept` is false.
  template <class Keep>
  SUANZI_INLINE void store(V element, V weight, Keep is_kept, int64_t step, int64_t* place, T* to) const {
    if (is_cubic) element = brought_inside(element);
    const auto is_inside = (element >= V(T(0))) & (element <= V(size - 1));
    const V index = select(is_inside, element, V(T(0)));
    select(is_inside | is_kept, weight, V(T(0))).store(to);
    (convert<int64_t>(convert<int32_t>(index)) * Vec<int64_t, N>(step)).store(place);
  }
};

// Computes the weights of cubic convolution at distances 1 + x, x, 1 - x, 2 - x, with a = -0.75.
template <class V>
SUANZI_INLINE void cubic_weights(V x, V (&weights)[4]) {
  using T = typename V::element;
  const V a(T(-0.75)), one(T(1)), two(T(2)), three(T(3));
  const auto near = [&](V d) __attribute__((always_inline)) { return ((a + two) * d - (a + three)) * d * d + one; };
  const auto far = [&](V d) __attribute__((always_inline)) {
    return ((a * d - V(T(5)) * a) * d + V(T(8)) * a) * d - V(T(4)) * a;
  };
  weights[0] = far(x + one);
  weights[1] = near(x);
  weights[2] = near(one - x);
  weights[3] = far(two - x);
}

// Computes the taps of an axis for n points, where n is a multiple of the number of lanes. Tap t of point i is at [t *
// n + i].
template <class T>
void locate_axis(int64_t* places, T* weights, const T* coordinates, int64_t n, const GridAxis<T>& axis,
                 Sampling sampling, int64_t step) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const V one(T(1)), zero(T(0));
  for (int64_t i = 0; i < n; i += N) {
    const V at = axis.position(V::load(coordinates + i));
    const auto never = one != one;
    if (sampling == Sampling::nearest) {
      axis.store(rint(at), one, never, step, places + i, weights + i);
      continue;
    }
    // The results are NaN if `at` is not finite.
    const V before = floor(at), beyond = at - before;
    const auto is_nan = beyond != beyond;
    if (sampling == Sampling::linear) {
      axis.store(before, one - beyond, is_nan, step, places + i, weights + i);
      axis.store(before + one, select(is_nan, zero, beyond), never, step, places + n + i, weights + n + i);
      continue;
    }
    V of[4];
    cubic_weights(beyond, of);
    for (int t = 0; t < 4; ++t)
      axis.store(before + V(T(t - 1)), of[t], is_nan, step, places + t * n + i, weights + t * n + i);
  }
}

template <class T>
void locate(const SampledTable& table, const GridPoints& points, void* scratch) {
  const int64_t n = table.step, taps = taps_along(points.sampling);
  auto* const coordinates = static_cast<T*>(scratch);  // the coordinates of one axis, padded to whole vectors
  auto* const weights = coordinates + n;
  auto* const places = reinterpret_cast<int64_t*>(weights + points.axes * taps * n);
  const auto* const given = static_cast<const T*>(points.coordinates);
  int64_t step = 1;
  for (int a = points.axes - 1; a >= 0; --a) {
    for (int64_t i = 0; i < points.count; ++i) coordinates[i] = given[i * points.axes + points.axes - 1 - a];
    for (int64_t i = points.count; i < n; ++i) coordinates[i] = T(0);
    locate_axis<T>(places + a * taps * n, weights + a * taps * n, coordinates, n, GridAxis<T>(points, points.size[a]),
                   points.sampling, step);
    step *= points.size[a];
  }
  auto* const weight = static_cast<T*>(table.weights);
  for (int64_t t = 0; t < table.taps; ++t) {
    T* const to = weight + t * n;
    int64_t* const place = table.places + t * n;
    int64_t rest = t;
    for (int a = points.axes - 1; a >= 0; --a, rest /= taps) {
      const T* const w = weights + (a * taps + rest % taps) * n;
      const int64_t* const p = places + (a * taps + rest % taps) * n;
      if (a == points.axes - 1) {
        for (int64_t i = 0; i < n; ++i) to[i] = w[i], place[i] = p[i];
      } else {
        for (int64_t i = 0; i < n; ++i) to[i] *= w[i], place[i] += p[i];
      }
    }
  }
}

// --- sums ---

template <class T>
void weigh(void* out, const void* in, const SampledTable& table, int64_t planes, int64_t in_step, int64_t out_step) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const auto* const weights = static_cast<const T*>(table.weights);
  for (int64_t c = 0; c < planes; ++c) {
    const T* const from = static_cast<const T*>(in) + c * in_step;
    T* const to = static_cast<T*>(out) + c * out_step;
    walk<N>(table.results, [&](int64_t i, auto access) __attribute__((always_inline)) {
      V sum(T(0));
      for (int64_t t = 0; t < table.taps; ++t) {
        const V weight = V::load(weights + t * table.step + i);
        const int64_t* const place = table.places + t * table.step + i;
        V x;
        for (int k = 0; k < N; ++k) x.v[k] = from[place[k]];
        sum = select(weight != V(T(0)), mul_add(weight, x, sum), sum);
      }
      access.store(sum, to + i);
    });
  }
}

template <class T>
void weigh_separably(void* out, const void* in, int64_t width, const SampledAxis& rows, const SampledAxis& columns,
                     void* scratch) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const auto* const from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  auto* const sums = static_cast<T*>(scratch);
  const auto *const row_weights = static_cast<const T*>(rows.weights), *const column_weights =
                                                                           static_cast<const T*>(columns.weights);
  int64_t low = width, high = 0;
  for (int64_t j = 0; j < columns.results; ++j) {
    low = columns.first[j] < low ? columns.first[j] : low;
    high = columns.end[j] > high ? columns.end[j] : high;
  }
  for (int64_t i = 0; i < rows.results; ++i) {
    walk<N>(high - low, [&](int64_t k, auto access) __attribute__((always_inline)) {
      V sum(T(0));
      for (int64_t r = rows.first[i]; r < rows.end[i]; ++r) {
        const T weight = row_weights[rows.offset[i] + r - rows.first[i]];
        if (weight != 0) sum = mul_add(V(weight), access.template load<N>(from + r * width + low + k), sum);
      }
      access.store(sum, sums + k);
    });
    for (int64_t j = 0; j < columns.results; ++j) {
      T sum = 0;
      const T* const weight = column_weights + columns.offset[j] - columns.first[j];
      for (int64_t k = columns.first[j]; k < columns.end[j]; ++k)
        if (weight[k] != 0) sum += weight[k] * sums[k - low];
      *to++ = sum;
    }
  }
}

template <class T>
constexpr SamplingOf sampling_of() {
  return {locate<T>, weigh<T>, weigh_separably<T>};
}

// --- moving ---

template <int Size, class W>
void move(void* out, const void* in, const SampledTable& table, int64_t planes, int64_t in_step, int64_t out_step) {
  const auto* const weights = static_cast<const W*>(table.weights);
  for (int64_t c = 0; c < planes; ++c) {
    const auto* const from = static_cast<const std::byte*>(in) + c * in_step * Size;
    auto* const to = static_cast<std::byte*>(out) + c * out_step * Size;
    for (int64_t i = 0; i < table.results; ++i) {
      std::memcpy(to + i * Size, from + table.places[i] * Size, Size);
      if (weights[i] == 0) std::memset(to + i * Size, 0, Size);
    }
  }
}

constexpr SamplingKernels sampling{
    .float32 = sampling_of<float>(),
    .float64 = sampling_of<double>(),
    .move = {{move<1, float>, move<1, double>},
             {move<2, float>, move<2, double>},
             {move<4, float>, move<4, double>},
             {move<8, float>, move<8, double>},
             {move<16, float>, move<16, double>}},
};

}  // namespace

void fill_sampling(KernelTable& table) { table.sampling = &sampling; }

}  // namespace suanzi::SUANZI_LEVEL
