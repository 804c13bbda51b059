#include "ops/trees/trees.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/share.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

// The number of paths from a root to a leaf that the code follows together. While the processor loads the next node of
// one path, the processor requests the next nodes of the other paths.
constexpr int together = 8;

int64_t length_of(const char* op, const char* what, const Tensor& x, DType dtype) {
  if (x.dtype != dtype || x.rank() != 1 || !x.contiguous)
    fail(Status::invalid_argument, op, ": ", what, " are not a contiguous vector of ", name(dtype));
  return x.size;
}

int32_t number(const char* op, const char* what, int64_t value, int64_t least, int64_t end) {
  if (value < least || value >= end)
    fail(Status::invalid_argument, op, ": ", what, " ", value, " is outside [", least, ", ", end, ")");
  return static_cast<int32_t>(value);
}

void check_count(const char* op, const char* what, int64_t count, int64_t wanted) {
  if (count != wanted)
    fail(Status::invalid_argument, op, ": ", count, " ", what, " are given, but the number needed is ", wanted);
}

}  // namespace

template <class T>
TypedTrees<T>::TypedTrees(const char* op, const TreeTables& tables, TreeFold fold)
    : trees_(length_of(op, "roots", tables.roots, DType::int64)),
      nodes_(length_of(op, "features", tables.features, DType::int64)),
      leaves_(length_of(op, "starts", tables.starts, DType::int64) - 1),
      votes_(length_of(op, "targets", tables.targets, DType::int64)),
      targets_(number(op, "number of targets", tables.count, 1, std::numeric_limits<int32_t>::max())),
      fold_(fold),
      node_(children_of(nodes_)),
      rule_(children_of(nodes_)),
      leaf_(children_of(nodes_)),
      start_(leaves_ + 1),
      vote_(votes_),
      base_(length_of(op, "base values", tables.base, tables.splits.dtype)) {
  if (leaves_ < 0) fail(Status::invalid_argument, op, ": the starts of the leaves are empty");
  if (std::max({children_of(nodes_), leaves_, votes_}) >= std::numeric_limits<int32_t>::max())
    fail(Status::invalid_argument, op, ": an ensemble has 2**31 or more trees, children of nodes, leaves or votes");
  read_leaves(op, tables);
  read_nodes(op, tables);
  check_ends(op);
}

template <class T>
void TypedTrees<T>::read_leaves(const char* op, const TreeTables& tables) {
  check_count(op, "weights", length_of(op, "weights", tables.weights, tables.splits.dtype), votes_);
  const int64_t* const starts = tables.starts.as<int64_t>();
  int64_t last = 0;
  for (int64_t i = 0; i <= leaves_; ++i) last = start_.data()[i] = number(op, "a start", starts[i], last, votes_ + 1);
  const int64_t* const targets = tables.targets.as<int64_t>();
  const T* const weights = tables.weights.as<T>();
  for (int64_t i = 0; i < votes_; ++i) vote_.data()[i] = {number(op, "target", targets[i], 0, targets_), weights[i]};
  has_one_vote_ = targets_ == 1 && votes_ == leaves_ && (fold_ == TreeFold::sum || fold_ == TreeFold::average);
  for (int64_t i = 0; i < leaves_; ++i) has_one_vote_ = has_one_vote_ && start_.data()[i] == i;
  has_base_ = tables.base.size > 0;
  if (has_base_) check_count(op, "base values", tables.base.size, targets_);
  std::copy_n(tables.base.as<T>(), tables.base.size, base_.data());
}

template <class T>
void TypedTrees<T>::read_nodes(const char* op, const TreeTables& tables) {
  const Tensor* const columns[] = {&tables.modes, &tables.missing, &tables.yes, &tables.no};
  for (const Tensor* x : columns) check_count(op, "entries of nodes", length_of(op, "nodes", *x, DType::int64), nodes_);
  check_count(op, "thresholds", length_of(op, "thresholds", tables.splits, tables.splits.dtype), nodes_);
  const int64_t* const features = tables.features.as<int64_t>();
  const int64_t* const modes = tables.modes.as<int64_t>();
  const auto read = [&](int64_t place, int64_t given) {
    const int32_t id = number(op, "child or root", given, -leaves_, nodes_);
    leaf_.data()[place] = id < 0 ? -1 - id : -1;
    if (id < 0) {
      node_.data()[place] = {std::numeric_limits<T>::quiet_NaN(), 0, static_cast<int32_t>(place)};
      rule_.data()[place] = {TreeMode::less_equal, false};
      return;
    }
    const int32_t feature = number(op, "feature", features[id], 0, std::numeric_limits<int32_t>::max());
    const auto mode = static_cast<TreeMode>(number(op, "mode", modes[id], 0, tree_mode_count));
    const bool missing = tables.missing.as<int64_t>()[id] != 0;
    node_.data()[place] = {tables.splits.as<T>()[id], feature, static_cast<int32_t>(children_of(id))};
    rule_.data()[place] = {mode, missing};
    features_ = std::max<int64_t>(features_, feature + int64_t{1});
    only_less_equal_ = only_less_equal_ && mode == TreeMode::less_equal;
    has_missing_ = has_missing_ || missing;
  };
  for (int64_t i = 0; i < trees_; ++i) read(i, tables.roots.as<int64_t>()[i]);
  for (int64_t i = 0; i < nodes_; ++i) {
    read(children_of(i), tables.no.as<int64_t>()[i]);
    read(children_of(i) + 1, tables.yes.as<int64_t>()[i]);
  }
}

// Checks that every path ends in a leaf. A depth-first walk must not visit a node twice on one path.
template <class T>
void TypedTrees<T>::check_ends(const char* op) const {
  enum : uint8_t { unseen, one_child, both_children, done };
  const ScratchArray<uint8_t> state(nodes_);
  const ScratchArray<int32_t> path(nodes_);
  std::fill_n(state.data(), nodes_, unseen);
  for (int64_t i = 0; i < nodes_; ++i) {
    int64_t depth = 0;
    if (state.data()[i] == unseen) path.data()[depth++] = static_cast<int32_t>(i);
    while (depth > 0) {
      const int32_t at = path.data()[depth - 1];
      uint8_t& seen = state.data()[at];
      if (seen == both_children) {
        seen = done;
        --depth;
        continue;
      }
      const int64_t place = children_of(at) + seen++;
      if (leaf_.data()[place] >= 0) continue;
      const int64_t child = (node_.data()[place].child - children_of(0)) / 2;
      if (state.data()[child] == done) continue;
      if (state.data()[child] != unseen)
        fail(Status::invalid_argument, op, ": node ", child, " of a tree is below itself");
      path.data()[depth++] = static_cast<int32_t>(child);
    }
  }
}

template <class T>
template <class Goes>
void TypedTrees<T>::descend(const T* x, int64_t rows, int64_t columns, int64_t first, int64_t last, int32_t* leaves,
                            Goes goes) const {
  const Node* const nodes = node_.data();
  int64_t tree = first, row = 0;
  for (int64_t i = first * rows; i < last * rows; i += together) {
    const int64_t count = std::min<int64_t>(together, last * rows - i);
    int32_t at[together];
    const T* from[together];
    for (int64_t k = 0; k < together; ++k) {
      at[k] = static_cast<int32_t>(tree);
      from[k] = x + row * columns;
      // The code follows the last path again to fill the group.
      if (k + 1 < count && ++row == rows) row = 0, ++tree;
    }
    int32_t moved = 0;
    do {
      moved = 0;
      for (int k = 0; k < together; ++k) {
        const Node& node = nodes[at[k]];
        const int32_t next = node.child + int32_t{goes(node, at[k], from[k][node.feature])};
        moved |= next ^ at[k];
        at[k] = next;
      }
    } while (moved != 0);
    for (int64_t k = 0; k < count; ++k) *leaves++ = leaf_.data()[at[k]];
    if (++row == rows) row = 0, ++tree;
  }
}

template <class T>
void TypedTrees<T>::descend(Comparison how, const T* x, int64_t rows, int64_t columns, int64_t first, int64_t last,
                            int32_t* leaves) const {
  if (how == Comparison::less_equal)
    return descend(x, rows, columns, first, last, leaves,
                   [](const Node& node, int32_t, T value) { return value <= node.split; });
  const Rule* const rules = rule_.data();
  // This loop has no branch for the comparison.
  if (how == Comparison::less_equal_or_missing)
    return descend(x, rows, columns, first, last, leaves, [rules](const Node& node, int32_t at, T value) {
      return (int{value <= node.split} | (int{value != value} & int{rules[at].missing})) != 0;
    });
  descend(x, rows, columns, first, last, leaves, [rules](const Node& node, int32_t at, T value) {
    if (std::isnan(value) && rules[at].missing) return true;
    switch (rules[at].mode) {
      case TreeMode::less_equal:
        return value <= node.split;
      case TreeMode::less:
        return value < node.split;
      case TreeMode::greater_equal:
        return value >= node.split;
      case TreeMode::greater:
        return value > node.split;
      case TreeMode::equal:
        return value == node.split;
      default:
        return value != node.split;
    }
  });
}

template <class T>
void TypedTrees<T>::add(int32_t leaf, T* scores, uint8_t* voted) const {
  const int64_t* const start = start_.data() + leaf;
  for (int64_t i = start[0]; i < start[1]; ++i) {
    const auto [target, weight] = vote_.data()[i];
    T& score = scores[target];
    if (fold_ == TreeFold::min)
      score = !voted[target] || weight < score ? weight : score;
    else if (fold_ == TreeFold::max)
      score = !voted[target] || weight > score ? weight : score;
    else
      score += weight;
    voted[target] = 1;
  }
}

template <class T>
void TypedTrees<T>::add_tree(const int32_t* leaves, int64_t rows, T* scores, uint8_t* voted) const {
  if (!has_one_vote_) {
    for (int64_t i = 0; i < rows; ++i) add(leaves[i], scores + i * targets_, voted + i * targets_);
    return;
  }
  const Vote* const votes = vote_.data();
  for (int64_t i = 0; i < rows; ++i) scores[i] += votes[leaves[i]].weight;
}

template <class T>
void TypedTrees<T>::finish(int64_t rows, T* scores, uint8_t* voted) const {
  const T count = static_cast<T>(trees_);
  const int64_t results = rows * targets_;
  if (fold_ == TreeFold::average)
    for (int64_t i = 0; i < results; ++i) scores[i] /= count;
  if (has_base_)
    for (int64_t i = 0; i < results; ++i) scores[i] += base_.data()[i % targets_];
  if (has_one_vote_ && trees_ > 0) std::fill_n(voted, results, uint8_t{1});
}

template <class T>
void TypedTrees<T>::run_rows(Comparison how, const T* x, int64_t rows, int64_t columns, T* out, uint8_t* voted) const {
  int32_t leaves[costs::tree_rows];
  for (int64_t first = 0; first < rows; first += costs::tree_rows) {
    const int64_t count = std::min(costs::tree_rows, rows - first);
    for (int64_t tree = 0; tree < trees_; ++tree) {
      descend(how, x + first * columns, count, columns, tree, tree + 1, leaves);
      add_tree(leaves, count, out + first * targets_, voted + first * targets_);
    }
  }
  finish(rows, out, voted);
}

template <class T>
void TypedTrees<T>::run_trees(Comparison how, const T* x, int64_t rows, int64_t columns, T* out, uint8_t* voted) const {
  const ScratchArray<int32_t> leaves(rows * trees_);
  share(rows * trees_ * costs::tree_visit, trees_, [&](int64_t first, int64_t last) {
    descend(how, x, rows, columns, first, last, leaves.data() + first * rows);
  });
  for (int64_t tree = 0; tree < trees_; ++tree) add_tree(leaves.data() + tree * rows, rows, out, voted);
  finish(rows, out, voted);
}

template <class T>
void TypedTrees<T>::run(const T* x, int64_t rows, int64_t columns, T* out, uint8_t* voted) const {
  const int64_t results = rows * targets_;
  std::fill_n(out, results, T{});
  std::fill_n(voted, results, uint8_t{});
  const bool is_missing = has_missing_ && std::any_of(x, x + rows * columns, [](T value) { return std::isnan(value); });
  const Comparison how = !only_less_equal_ ? Comparison::any
                         : is_missing      ? Comparison::less_equal_or_missing
                                           : Comparison::less_equal;
  if (rows <= costs::tree_rows) return run_trees(how, x, rows, columns, out, voted);
  // The code limits the number of trees, so that the product does not overflow. Trees up to the limit take about a
  // second.
  const int64_t work = std::min(trees_, INT64_MAX / costs::tree_visit / rows) * rows * costs::tree_visit;
  share(work, rows, [&](int64_t first, int64_t last) {
    run_rows(how, x + first * columns, last - first, columns, out + first * targets_, voted + first * targets_);
  });
}

template class TypedTrees<float>;
template class TypedTrees<double>;

namespace {

std::variant<TypedTrees<float>, TypedTrees<double>> typed(const char* op, const TreeTables& tables, TreeFold fold) {
  if (tables.splits.dtype == DType::float32) return TypedTrees<float>(op, tables, fold);
  if (tables.splits.dtype == DType::float64) return TypedTrees<double>(op, tables, fold);
  fail(Status::type_mismatch, op, ": thresholds are ", name(tables.splits.dtype), ", not float32 or float64");
}

}  // namespace

Trees::Trees(const char* op, const TreeTables& tables, TreeFold fold) : trees_(typed(op, tables, fold)) {}

int64_t Trees::visits(const Tensor& x) const {
  const int64_t rows = x.rank() == 2 ? x.shape[0] : 1;
  const int64_t trees = std::visit([](const auto& typed) { return typed.trees(); }, trees_);
  return rows > INT64_MAX / std::max<int64_t>(trees, 1) ? INT64_MAX : rows * trees;
}

Tensor Trees::run(const char* op, const Tensor& x, Tensor* voted) const {
  check_alive(op, x);
  return std::visit(
      [&]<class T>(const TypedTrees<T>& trees) {
        constexpr DType dtype = sizeof(T) == 4 ? DType::float32 : DType::float64;
        if (x.dtype != dtype)
          fail(Status::type_mismatch, op, ": X is ", name(x.dtype), ", but thresholds are ", name(dtype));
        if (x.rank() != 1 && x.rank() != 2)
          fail(Status::dimensions_mismatch, op, ": X of shape ", x.shape, " is not a vector or a matrix");
        const int64_t columns = x.shape[x.rank() - 1], rows = x.rank() == 1 ? 1 : x.shape[0];
        if (columns < trees.features())
          fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has too few features: the trees read feature ",
               trees.features() - 1);
        const Tensor from = x.contiguous ? x : to_contiguous(op, x);
        Tensor out = make_empty(op, {rows, trees.targets()}, dtype);
        const Tensor marks = make_empty(op, {rows, trees.targets()}, DType::boolean);
        trees.run(from.as<T>(), rows, columns, out.as<T>(), marks.as<uint8_t>());
        if (voted) *voted = marks;
        return out;
      },
      trees_);
}

}  // namespace suanzi
