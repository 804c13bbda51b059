#include "ops/search/search.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/search/search.kernels.h"
#include "runtime/costs.h"
#include "walk/reduction_walk.h"
#include "walk/scalar.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

using walk::ReductionWalk;

// Returns the type in which elements are compared. This type is float32 for float16 and bfloat16, and the elements' own
// type otherwise.
DType input_type(DType t) { return is_half(t) ? DType::float32 : t; }

// Searches one tensor. The best element is the greatest element for argmax, and the least element for argmin.
// ReductionWalk divides the tensor into chunks. The search of a chunk returns the place and the value of its best
// element. The same kernels then find the best of these elements.
class Searcher {
 public:
  Searcher(Search search, const Tensor& x, uint64_t axes, const Tensor& result)
      : name_(search_names[static_cast<int>(search)]),
        input_(input_type(x.dtype)),
        kernels_(kernels().search->of[static_cast<int>(search)][static_cast<int>(input_)]),
        result_(result),
        walk_(x, axes, input_, converter(x.dtype, input_), result, costs::whole_search, true) {}

  void run() { walk_.along() && !many_short() ? search_along() : search_across(); }

 private:
  using Scratch = ReductionWalk::Scratch;
  static constexpr int index_size = sizeof(int64_t), largest_element = sizeof(Text);
  static constexpr int64_t most_tiles = costs::whole_search / (walk::register_bytes / largest_element);

  // Returns true if runs are so short that separate searches of the runs would cost more than a search of many runs
  // side by side. A search side by side gathers the first elements of many runs, then their second elements, and so on.
  bool many_short() const { return walk_.reduced() <= 16 && walk_.columns() >= 64; }
  const std::byte* element(const void* elements, int64_t i) const {
    return static_cast<const std::byte*>(elements) + i * size_of(input_);
  }
  int64_t find(Scratch& scratch, const ReductionWalk::Run& run, std::byte* best) const;
  void search_along();
  void search_across();

  const char* name_;
  DType input_;  // the type that the kernels read
  const SearchKernels& kernels_;
  const Tensor& result_;  // the result with only the kept dimensions
  ReductionWalk walk_;
};

// Returns the place of a run's best element, and copies the element to `best`.
int64_t Searcher::find(Scratch& scratch, const ReductionWalk::Run& run, std::byte* best) const {
  const int size = size_of(input_);
  if (const void* elements = walk_.lying(run)) {
    const int64_t at = kernels_.along(elements, run.count);
    std::memcpy(best, element(elements, at), static_cast<size_t>(size));
    return run.start + at;
  }
  alignas(64) std::byte bests[most_tiles * largest_element];
  int64_t places[most_tiles];
  int64_t tiles = 0;
  walk_.for_tiles(scratch, run, [&](const void* elements, int64_t start, int64_t n) {
    const int64_t at = kernels_.along(elements, n);
    std::copy_n(element(elements, at), size, bests + tiles * size);
    places[tiles++] = start + at;
  });
  const int64_t winner = tiles == 1 ? 0 : kernels_.along(bests, tiles);
  std::copy_n(bests + winner * size, size, best);
  return places[winner];
}

void Searcher::search_along() {
  const int size = size_of(input_);
  const int64_t chunks = walk_.chunks_along(), kept = walk_.kept();
  const bool whole = chunks == 1;
  const Tensor bests = whole ? Tensor{} : make_empty(name_, {kept, chunks}, input_);
  const Tensor places = whole ? Tensor{} : make_empty(name_, {kept, chunks}, DType::int64);
  const int64_t counting =
      walk_.for_runs(ReductionWalk::Settles::those_behind, [&](Scratch& scratch, const ReductionWalk::Run& run) {
        const int64_t unit = run.kept * chunks + run.chunk;
        ElementBuffer best;
        const int64_t place = find(scratch, run, whole ? best.bytes : bests.data + unit * size);
        std::memcpy(whole ? result_.data + run.target : places.data + unit * index_size, &place, index_size);
        return !whole && kernels_.settled(bests.data + unit * size);
      });
  if (whole) return;
  walk::Cursor target(walk_.result_path(), 0);
  for (int64_t k = 0; k < kept; ++k, target.advance(1)) {
    const int64_t winner = kernels_.along(bests.data + k * chunks * size, counting);
    std::copy_n(places.data + (k * chunks + winner) * index_size, index_size, result_.data + target.offset());
  }
}

void Searcher::search_across() {
  const int size = size_of(input_);
  const int64_t chunks = walk_.chunks_across(), kept = walk_.kept();
  const bool whole = chunks == 1;
  const Tensor bests = whole ? Tensor{} : make_empty(name_, {chunks, kept}, input_);
  const Tensor places = whole ? Tensor{} : make_empty(name_, {chunks, kept}, DType::int64);
  walk_.for_slabs([&](Scratch& scratch, const ReductionWalk::Slab& slab) {
    alignas(64) std::byte best[walk::piece_elements * largest_element];
    int64_t place[walk::piece_elements];
    walk_.for_rows(scratch, slab, [&](const void* elements, int64_t row, int64_t rows, int64_t step) {
      if (row == slab.first) {
        std::copy_n(element(elements, 0), slab.count * size, best);
        std::fill_n(place, slab.count, row);
      }
      kernels_.across(best, place, elements, slab.count, rows, step, row);
    });
    const auto* const found = reinterpret_cast<const std::byte*>(place);
    if (whole) {
      walk::scatter(result_.data, found, walk_.result_path(), index_size, slab.start, slab.count);
    } else {
      const int64_t at = slab.chunk * kept + slab.start;
      std::copy_n(best, slab.count * size, bests.data + at * size);
      std::copy_n(place, slab.count, places.as<int64_t>() + at);
    }
  });
  if (whole) return;
  // The search for the best of the chunks' best elements begins with the first chunk.
  const Tensor winners = make_empty(name_, {kept}, DType::int64);
  int64_t* const winner = winners.as<int64_t>();
  std::fill_n(winner, kept, 0);
  kernels_.across(bests.data, winner, bests.data, kept, chunks, kept * size, 0);
  for (int64_t k = 0; k < kept; ++k) winner[k] = places.as<int64_t>()[winner[k] * kept + k];
  walk::scatter(result_.data, winners.data, walk_.result_path(), index_size, 0, kept);
}

}  // namespace

Tensor search(Search search, const Tensor& x, std::optional<int> axis, bool keepdims) {
  const char* name = search_names[static_cast<int>(search)];
  check_alive(name, x);
  const SearchKernels& found = kernels().search->of[static_cast<int>(search)][static_cast<int>(input_type(x.dtype))];
  if (!found.along) fail(Status::type_mismatch, name, ": element type ", suanzi::name(x.dtype), " has no order");
  Dims kept, shape;
  for (int i = 0; i < x.rank(); ++i) {
    const bool searched = !axis || i == *axis;
    if (!searched) kept.push_back(x.shape[i]);
    if (!searched || keepdims) shape.push_back(searched ? 1 : x.shape[i]);
  }
  const Tensor result = make_empty(name, kept, DType::int64);
  if (result.size == 0) return *reshape_view(result, shape);
  if (x.size == 0) fail(Status::invalid_argument, name, ": shape ", x.shape, " has no elements to choose from");
  if (result.size == 1 && x.contiguous && !is_half(x.dtype) && x.size <= costs::whole_search) {
    *result.as<int64_t>() = found.along(x.data, x.size);
  } else {
    const uint64_t all = x.rank() == 0 ? 0 : ~uint64_t{0} >> (64 - x.rank());
    Searcher(search, x, axis ? uint64_t{1} << *axis : all, result).run();
  }
  return *reshape_view(result, shape);
}

}  // namespace suanzi
