// Ensembles of decision trees find the leaves that each row of a matrix reaches, and compute scores from the votes of
// these leaves.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "tensor/scratch.h"
#include "tensor/tensor.h"

namespace suanzi {

// The comparison of an element with a node's threshold.
enum class TreeMode : uint8_t { less_equal, less, greater_equal, greater, equal, not_equal };
inline constexpr int tree_mode_count = 6;

// The fold that computes a target's score from its votes.
enum class TreeFold : uint8_t { sum, average, min, max };
inline constexpr std::string_view tree_fold_names[] = {"sum", "average", "min", "max"};

// A caller's description of an ensemble by contiguous vectors. A child or root that is not negative is a node. A child
// or root of -1 - i is leaf i.
struct TreeTables {
  Tensor roots;     // one root for each tree (int64)
  Tensor features;  // the column that each node compares (int64)
  Tensor modes;     // the TreeMode of each node (int64)
  Tensor missing;   // 1 if NaN takes the path of a true comparison (int64)
  Tensor splits;    // the thresholds, whose type (float32 or float64) is the type of all computations
  Tensor yes, no;   // the children for a true and for a false comparison (int64)
  Tensor starts;    // the first vote of each leaf, and the end of the last vote (int64)
  Tensor targets;   // the target of each vote (int64)
  Tensor weights;   // the weight of each vote, in the type of `splits`
  Tensor base;      // empty, or a value for each target that is added to its scores at the end, in the type of `splits`
  int64_t count;    // the number of targets
};

template <class T>
class TypedTrees {
 public:
  TypedTrees(const char* op, const TreeTables& tables, TreeFold fold);

  // Computes the scores of a contiguous matrix's rows. `voted` holds a byte for each score. The byte is 1 if a leaf
  // voted for the score.
  void run(const T* x, int64_t rows, int64_t columns, T* out, uint8_t* voted) const;

  int64_t trees() const { return trees_; }
  int64_t targets() const { return targets_; }
  int64_t features() const { return features_; }

 private:
  // The two children of a node are neighbours, so a path continues with `child` or, if the comparison is true, with the
  // node after `child`. A leaf's threshold is NaN, so its comparison is false, and its child is the leaf itself. A path
  // therefore need not test for leaves at each step.
  struct Node {
    T split;
    int32_t feature;
    int32_t child;
  };
  // The properties of a node that runs of most ensembles do not read.
  struct Rule {
    TreeMode mode;
    bool missing;
  };
  struct Vote {
    int32_t target;
    T weight;
  };
  // The comparisons that a run needs. A run needs `value <= split`, `value <= split` with nodes for which the
  // comparison with NaN is true, or any comparison.
  enum class Comparison { less_equal, less_equal_or_missing, any };

  // Returns the first node of the children of the caller's node `id`. The roots come before all children.
  int64_t children_of(int64_t id) const { return trees_ + 2 * id; }
  void read_leaves(const char* op, const TreeTables& tables);
  void read_nodes(const char* op, const TreeTables& tables);
  void check_ends(const char* op) const;
  // Finds the leaves of all rows in the trees from `first` to `last`, tree by tree.
  template <class Goes>
  void descend(const T* x, int64_t rows, int64_t columns, int64_t first, int64_t last, int32_t* leaves,
               Goes goes) const;
  void descend(Comparison how, const T* x, int64_t rows, int64_t columns, int64_t first, int64_t last,
               int32_t* leaves) const;
  // Adds the votes of a leaf to the scores of a row, and marks the scores in `voted`.
  void add(int32_t leaf, T* scores, uint8_t* voted) const;
  // Adds the votes of one tree to the scores of all rows. leaves[i] is the leaf that row i reaches.
  void add_tree(const int32_t* leaves, int64_t rows, T* scores, uint8_t* voted) const;
  void finish(int64_t rows, T* scores, uint8_t* voted) const;
  void run_rows(Comparison how, const T* x, int64_t rows, int64_t columns, T* out, uint8_t* voted) const;
  void run_trees(Comparison how, const T* x, int64_t rows, int64_t columns, T* out, uint8_t* voted) const;

  int64_t trees_, nodes_, leaves_, votes_, targets_, features_ = 0;
  TreeFold fold_;
  bool only_less_equal_ = true, has_missing_ = false, has_base_ = false;
  // If `has_one_vote_` is true, each leaf has one vote, for the only target, and the fold is `sum` or `average`.
  bool has_one_vote_;
  ScratchArray<Node> node_;  // the roots, then the pairs of children
  ScratchArray<Rule> rule_;
  ScratchArray<int32_t> leaf_;  // the number of the leaf that a node is, or -1
  ScratchArray<int64_t> start_;
  ScratchArray<Vote> vote_;
  ScratchArray<T> base_;
};

class Trees {
 public:
  // Makes an ensemble from a caller's tables. Fails with INVALID_ARGUMENT if a number is out of its range, or if nodes
  // form a cycle.
  Trees(const char* op, const TreeTables& tables, TreeFold fold);

  // Returns the scores of a vector or of a matrix's rows. The scores have the shape (rows, targets) and the type of the
  // thresholds, which is also the type of x. The function adds votes in the order of trees, so the bits do not depend
  // on the number of threads. If `voted` is not null, `voted` becomes a tensor of bool.
  Tensor run(const char* op, const Tensor& x, Tensor* voted) const;

  // Returns the number of paths, one for each row of x and each tree, that the rows of x follow.
  int64_t visits(const Tensor& x) const;

 private:
  std::variant<TypedTrees<float>, TypedTrees<double>> trees_;
};

}  // namespace suanzi
