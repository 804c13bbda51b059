#include "ops/product/einsum.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "ops/elementwise/elementwise.h"
#include "ops/product/matmul.h"
#include "ops/reduce/reduce.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

constexpr const char* op = "einsum";

// A label is the number of a letter, or of an axis of the ellipsis. The axes of the ellipsis are counted from the last
// axis.
constexpr int letters = 52;
constexpr int label_count = letters + max_rank;
using Labels = std::vector<int>;
using Sizes = std::array<int64_t, label_count>;
constexpr int ellipsis = -1;  // the label of an ellipsis in a term

struct Term {
  Tensor x;
  Labels labels;  // the distinct labels of the axes
};

// Returns the label of a letter, or -1 for any other character. Upper case comes first, as in numpy.einsum's implicit
// output.
int label_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return 26 + c - 'a';
  return -1;
}
char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int position(const Labels& labels, int label) {
  return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

template <class Keep>
Labels filter(const Labels& labels, Keep keep) {
  Labels result;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(result), keep);
  return result;
}

Labels joined(const Labels& a, const Labels& b) {
  Labels result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

Labels parse_term(std::string_view text) {
  Labels result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "...") {
      if (contains(result, ellipsis)) fail(Status::invalid_argument, op, ": '", text, "' has more than one ellipsis");
      result.push_back(ellipsis);
      i += 2;
    } else if (const int label = label_of(text[i]); label >= 0) {
      result.push_back(label);
    } else {
      fail(Status::invalid_argument, op, ": subscripts '", text, "' are not letters, '...', ',' and '->'");
    }
  }
  return result;
}

struct Subscripts {
  std::vector<Labels> inputs;
  Labels output;
  bool implicit = true;
};

Subscripts parse(std::string_view given) {
  std::string text;
  std::copy_if(given.begin(), given.end(), std::back_inserter(text), [](char c) { return c != ' '; });
  Subscripts result;
  const std::string_view all = text;
  const size_t arrow = all.find("->");
  result.implicit = arrow == std::string_view::npos;
  std::string_view inputs = all.substr(0, arrow);
  for (;;) {
    const size_t comma = inputs.find(',');
    result.inputs.push_back(parse_term(inputs.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    inputs.remove_prefix(comma + 1);
  }
  if (!result.implicit) result.output = parse_term(all.substr(arrow + 2));
  return result;
}

// Returns the labels of a term, in which the labels of `axes` dimensions replace the ellipsis.
Labels spell_out(const Labels& written, int axes) {
  Labels result;
  for (int label : written) {
    if (label != ellipsis) result.push_back(label);
    for (int i = axes - 1; label == ellipsis && i >= 0; --i) result.push_back(letters + i);
  }
  return result;
}

Labels label_axes(const Labels& written, const Tensor& x) {
  const int named = static_cast<int>(std::count_if(written.begin(), written.end(), [](int l) { return l >= 0; }));
  const bool open = contains(written, ellipsis);
  if (open ? x.rank() < named : x.rank() != named)
    fail(Status::dimensions_mismatch, op, ": an operand of shape ", x.shape, " does not fit its ", named,
         " subscripts");
  return spell_out(written, x.rank() - named);
}

void note_sizes(const Term& term, Sizes& sizes) {
  for (int i = 0; i < term.x.rank(); ++i) {
    const int label = term.labels[static_cast<size_t>(i)];
    int64_t& size = sizes[static_cast<size_t>(label)];
    const int first = position(term.labels, label);
    if (term.x.shape[first] != term.x.shape[i])
      fail(Status::dimensions_mismatch, op, ": one subscript stands for axes of different sizes in an operand, ",
           term.x.shape[first], " and ", term.x.shape[i]);
    if (size >= 0 && size != 1 && term.x.shape[i] != 1 && size != term.x.shape[i])
      fail(Status::dimensions_mismatch, op, ": one subscript stands for axes of different sizes, ", size, " and ",
           term.x.shape[i]);
    if (size < 0 || size == 1) size = term.x.shape[i];
  }
}

// Reduces a term to one axis for each label. Axes with equal labels become one axis along their diagonal. The function
// drops an axis of size 1 if the label has another size in another operand.
Term simplify(const Term& term, const Sizes& sizes) {
  Term result{term.x, {}};
  Dims shape, strides;
  for (int i = 0; i < term.x.rank(); ++i) {
    const int label = term.labels[static_cast<size_t>(i)];
    if (term.x.shape[i] == 1 && sizes[static_cast<size_t>(label)] != 1) continue;
    if (contains(result.labels, label)) {
      strides[position(result.labels, label)] += term.x.strides[i];
    } else {
      result.labels.push_back(label);
      shape.push_back(term.x.shape[i]);
      strides.push_back(term.x.strides[i]);
    }
  }
  result.x = make_view(term.x, std::move(shape), std::move(strides));
  return result;
}

// Sums a term over the labels that are not in `kept`. The sums have the type `sums`.
Term sum_out(const Term& term, const Labels& kept, DType sums) {
  uint64_t axes = 0;
  for (size_t i = 0; i < term.labels.size(); ++i)
    if (!contains(kept, term.labels[i])) axes |= uint64_t{1} << i;
  if (!axes) return term;
  const Reduction reduction = sums == DType::boolean ? Reduction::any : Reduction::sum;
  return {reduce(op, reduction, as_type(op, term.x, sums), axes, false, sums),
          filter(term.labels, [&](int l) { return contains(kept, l); })};
}

Tensor arrange(const Term& term, const Labels& order) {
  Dims axes;
  for (int label : order) axes.push_back(position(term.labels, label));
  return permute(op, term.x, axes);
}

Dims sizes_of(const Labels& labels, const Sizes& sizes) {
  Dims result;
  for (int label : labels) result.push_back(sizes[static_cast<size_t>(label)]);
  return result;
}

void check_rank(const Labels& labels) {
  if (static_cast<int>(labels.size()) > max_rank)
    fail(Status::dimensions_mismatch, op, ": a product would have ", labels.size(), " dimensions, more than the ",
         max_rank, " supported");
}

// Returns a view of a term. The axes of the view have the labels in `labels`, in the order of `labels`. If the term
// lacks a label, the axis of this label has size 1.
Tensor spread(const Term& term, const Labels& labels) {
  Dims shape, strides;
  for (int label : labels) {
    const bool has = contains(term.labels, label);
    const int axis = position(term.labels, label);
    shape.push_back(has ? term.x.shape[axis] : 1);
    strides.push_back(has ? term.x.strides[axis] : 0);
  }
  return make_view(term.x, std::move(shape), std::move(strides));
}

// Returns true if the kernels of products read the operands faster in their own types than in the type of the sums.
bool read_as_given(const Tensor& x, const Tensor& y) {
  return (is_byte(x.dtype) && is_byte(y.dtype)) || (is_half(x.dtype) && x.dtype == y.dtype);
}

// Returns the product of two terms, summed over the labels that are not in `kept`. The sums have the type `sums`.
Term contract(const Term& left, const Term& right, const Labels& kept, const Sizes& sizes, DType sums) {
  Term a = sum_out(left, joined(kept, right.labels), sums), b = sum_out(right, joined(kept, left.labels), sums);
  const auto in = [](const Labels& labels, bool wanted) {
    return [&labels, wanted](int l) { return contains(labels, l) == wanted; };
  };
  const Labels shared = filter(a.labels, in(b.labels, true));
  const Labels batch = filter(shared, in(kept, true)), summed = filter(shared, in(kept, false));
  const Labels rows = filter(a.labels, in(b.labels, false)), columns = filter(b.labels, in(a.labels, false));
  const Labels labels = joined(batch, joined(rows, columns));
  check_rank(labels);
  if (summed.empty() || !read_as_given(a.x, b.x)) {
    a.x = as_type(op, a.x, sums);
    b.x = as_type(op, b.x, sums);
  }
  if (summed.empty()) {
    const Tensor x = spread(a, labels), y = spread(b, labels);
    const Operand operands[] = {{&x, {}}, {&y, {}}};
    return {elementwise(Operation::multiply, operands), labels};
  }
  const Dims shape = sizes_of(labels, sizes);
  checked_size(op, shape, sums);
  const int64_t stack = product(sizes_of(batch, sizes)), k = product(sizes_of(summed, sizes));
  const int64_t m = product(sizes_of(rows, sizes)), n = product(sizes_of(columns, sizes));
  const Tensor x = arrange(a, joined(batch, joined(rows, summed))),
               y = arrange(b, joined(batch, joined(summed, columns)));
  const Dims left_shape = batch.empty() ? Dims{m, k} : Dims{stack, m, k};
  const Dims right_shape = batch.empty() ? Dims{k, n} : Dims{stack, k, n};
  const Tensor products = matmul_as(op, reshape(op, x, left_shape), reshape(op, y, right_shape), sums);
  return {*reshape_view(products, shape), labels};
}

// Returns the labels of the output and of all terms except the terms with the indices a and b.
Labels needed(const std::vector<Term>& terms, size_t a, size_t b, const Labels& output) {
  Labels result = output;
  for (size_t i = 0; i < terms.size(); ++i)
    if (i != a && i != b) result = joined(result, terms[i].labels);
  return result;
}

double elements(const Labels& labels, const Sizes& sizes) {
  double result = 1;
  for (int label : labels) result *= static_cast<double>(sizes[static_cast<size_t>(label)]);
  return result;
}

// Contracts the pair of terms for which the size of the product, less the sizes of the two terms, is least.
void contract_best(std::vector<Term>& terms, const Labels& output, const Sizes& sizes, DType sums) {
  size_t best_a = 0, best_b = 1;
  double least = std::numeric_limits<double>::infinity();
  for (size_t a = 0; terms.size() > 2 && a < terms.size(); ++a)
    for (size_t b = a + 1; b < terms.size(); ++b) {
      const Labels kept = needed(terms, a, b, output);
      const auto stays = [&](int l) { return contains(kept, l); };
      const Labels fresh = filter(terms[b].labels, [&](int l) { return stays(l) && !contains(terms[a].labels, l); });
      const double growth = elements(joined(filter(terms[a].labels, stays), fresh), sizes) -
                            elements(terms[a].labels, sizes) - elements(terms[b].labels, sizes);
      if (growth < least) least = growth, best_a = a, best_b = b;
    }
  terms[best_a] = contract(terms[best_a], terms[best_b], needed(terms, best_a, best_b, output), sizes, sums);
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best_b));
}

// Returns the labels of the result, which are the labels of an explicit output. Without an explicit output, the labels
// are the ellipsis and the letters that occur once.
Labels output_labels(const Subscripts& subscripts, const std::vector<Term>& terms) {
  std::array<int, label_count> times{};
  int axes = 0;  // the axes of the longest ellipsis
  for (const Term& term : terms)
    for (int label : term.labels) {
      ++times[static_cast<size_t>(label)];
      axes = std::max(axes, label - letters + 1);
    }
  if (subscripts.implicit) {
    Labels result = spell_out({ellipsis}, axes);
    for (int label = 0; label < letters; ++label)
      if (times[static_cast<size_t>(label)] == 1) result.push_back(label);
    return result;
  }
  const Labels result = spell_out(subscripts.output, axes);
  for (size_t i = 0; i < result.size(); ++i) {
    if (!times[static_cast<size_t>(result[i])])
      fail(Status::invalid_argument, op, ": no operand has the subscript '", letter_of(result[i]), "' of the output");
    if (contains(Labels(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(i)), result[i]))
      fail(Status::invalid_argument, op, ": the output has the subscript '", letter_of(result[i]), "' twice");
  }
  return result;
}

}  // namespace

Tensor einsum(std::string_view text, std::span<const Tensor> operands, std::optional<DType> dtype) {
  const Subscripts subscripts = parse(text);
  if (operands.empty() || subscripts.inputs.size() != operands.size())
    fail(Status::invalid_argument, op, ": the subscripts have ", subscripts.inputs.size(), " terms, but ",
         operands.size(), " operands are given");
  Sizes sizes;
  sizes.fill(-1);
  std::vector<Term> terms;
  DType common = operands[0].dtype;
  for (size_t i = 0; i < operands.size(); ++i) {
    check_alive(op, operands[i]);
    if (const DType before = common; !promote(before, operands[i].dtype, common))
      fail(Status::type_mismatch, op, ": ", name(before), " and ", name(operands[i].dtype), " have no common type");
    terms.push_back({operands[i], label_axes(subscripts.inputs[i], operands[i])});
    note_sizes(terms[i], sizes);
  }
  const Labels output = output_labels(subscripts, terms);
  check_rank(output);
  const DType result_type = dtype.value_or(common);
  const DType sums = working_type(result_type == common ? common : sums_type(op, common, result_type));
  checked_size(op, sizes_of(output, sizes), result_type);
  for (Term& term : terms) term = simplify(term, sizes);
  while (terms.size() > 1) contract_best(terms, output, sizes, sums);
  const Term sum = sum_out(terms[0], output, sums);
  const Tensor result = arrange(sum, output);
  const bool view = std::any_of(operands.begin(), operands.end(),
                                [&](const Tensor& x) { return x.storage.get() == result.storage.get(); });
  if (view) return cast(op, result, result_type);
  return as_type(op, result, result_type);
}

}  // namespace suanzi::products
