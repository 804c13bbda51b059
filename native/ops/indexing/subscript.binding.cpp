// The operators x[key] and x[key] = value. The code converts a key to a selection of elements. Integers, slices,
// ellipsis and None select a view. If the key also contains integer tensors or masks, the key selects an indexed view
// (ops/indexing/indexed_view.h). The operators gather the elements of this view or scatter to these elements.
#include <algorithm>
#include <optional>

#include "ops/elementwise/fits.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/scatter.h"
#include "ops/search/compaction.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace suanzi::python {
namespace {

constexpr const char* op = "index";

// Raises the error for a slice that PySlice_Unpack refuses. The slice has a step of 0, or bounds that are not integers.
[[noreturn]] void fail_slice(PyObject* key) {
  const bool zero_step = PyErr_ExceptionMatches(PyExc_ValueError);
  if (!zero_step && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
  PyErr_Clear();
  fail(zero_step ? Status::invalid_argument : Status::type_mismatch, "index: ", shown(key),
       zero_step ? " has a step of 0" : " has bounds that are not integers");
}

struct Selection {
  const Tensor& x;
  Dims shape{};
  Dims strides{};
  int64_t offset = 0;
  int axis = 0;  // the dimension of x from which the next item selects

  int64_t size_of_axis(PyObject* key) const {
    if (axis >= x.rank()) {
      fail(Status::out_of_range, "index: ", shown(key), " is an index of axis ", axis, ", but a tensor of shape ",
           x.shape, " has ", x.rank(), x.rank() == 1 ? " dimension" : " dimensions");
    }
    return x.shape[axis];
  }

  void take(PyObject* key) {
    const int64_t n = size_of_axis(key), i = require_integer("index", "an index", key);
    if (i < -n || i >= n)
      fail(Status::out_of_range, "index: ", i, " is outside [", -n, ", ", n, ") along axis ", axis, " of shape ",
           x.shape);
    offset += (i < 0 ? i + n : i) * x.strides[axis];
    ++axis;
  }

  void slice(PyObject* key) {
    const int64_t n = size_of_axis(key);
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) fail_slice(key);
    const Py_ssize_t count = PySlice_AdjustIndices(n, &start, &stop, step);
    if (count > 0) offset += start * x.strides[axis];
    shape.push_back(count);
    strides.push_back(count > 1 ? step * x.strides[axis] : x.strides[axis]);
    ++axis;
  }

  void keep(int dimensions) {
    for (; dimensions > 0; --dimensions, ++axis) {
      shape.push_back(x.shape[axis]);
      strides.push_back(x.strides[axis]);
    }
  }

  void insert() {
    shape.push_back(1);
    strides.push_back(1);
  }
};

bool is_integer_key(PyObject* key) {
  if (PyLong_CheckExact(key)) return true;
  if (PyTensor_Check(key)) return tensor_of(key).rank() == 0 && is_integer(tensor_of(key).dtype);
  if (!PyIndex_Check(key) || PyBool_Check(key)) return false;
  if (PyLong_Check(key)) return true;
  // NumPy arrays have the method __index__, which fails unless the array is a single integer.
  PyObject* index = PyNumber_Index(key);
  if (!index && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
  PyErr_Clear();
  Py_XDECREF(index);
  return index != nullptr;
}

// The items of a key. If the key is not a tuple, the key is its only item.
class Items {
 public:
  explicit Items(PyObject* const& key) : items_(&key) {
    if (!PyTuple_Check(key)) return;
    items_ = reinterpret_cast<PyTupleObject*>(key)->ob_item;
    count_ = PyTuple_GET_SIZE(key);
  }
  PyObject* const* begin() const { return items_; }
  PyObject* const* end() const { return items_ + count_; }

 private:
  PyObject* const* items_;
  Py_ssize_t count_ = 1;
};

void check_counts(const Tensor& x, int64_t ellipses, int64_t inserted) {
  if (inserted > max_rank - x.rank())
    fail(Status::invalid_argument, "index: ", inserted, " new dimensions and the ", x.rank(), " of shape ", x.shape,
         " are more than the ", max_rank, " supported");
  if (ellipses > 1) fail(Status::invalid_argument, "index: the key has more than one ellipsis");
}

// --- basic keys ---

bool is_plain_bound(PyObject* bound) { return bound == Py_None || PyLong_CheckExact(bound); }

bool is_plain(PyObject* item) {
  if (!PySlice_Check(item)) return is_plain_bound(item) || item == Py_Ellipsis;
  const auto* slice = reinterpret_cast<PySliceObject*>(item);
  return is_plain_bound(slice->start) && is_plain_bound(slice->stop) && is_plain_bound(slice->step);
}

// Returns the view that a basic key selects. Returns nothing if the key has an item that is not basic.
std::optional<Tensor> basic_view(const Tensor& x, const Items& items) {
  int64_t consumed = 0, ellipses = 0, inserted = 0;
  for (PyObject* item : items) {
    ++(item == Py_Ellipsis ? ellipses : item == Py_None ? inserted : consumed);
    if (item != Py_Ellipsis && item != Py_None && !PySlice_Check(item) && !is_integer_key(item)) return std::nullopt;
  }
  check_counts(x, ellipses, inserted);
  Selection selection{x};
  for (PyObject* item : items) {
    if (item == Py_Ellipsis) {
      selection.keep(x.rank() - static_cast<int>(consumed));
    } else if (item == Py_None) {
      selection.insert();
    } else if (PySlice_Check(item)) {
      selection.slice(item);
    } else {
      selection.take(item);
    }
  }
  selection.keep(x.rank() - selection.axis);
  return make_view(x, std::move(selection.shape), std::move(selection.strides), selection.offset);
}

// --- advanced keys ---

// Returns an item that is not basic as a tensor of integers or bools.
Tensor index_tensor(PyObject* item) {
  Tensor index;
  if (PyTensor_Check(item)) {
    index = require_tensor(op, item);
  } else if (PyBool_Check(item)) {
    index = make_empty(op, {}, DType::boolean);
    fill(op, index, Scalar::of(item == Py_True));
  } else if (const bool untyped = is_sequence(item) || PyRange_Check(item);
             untyped || PyObject_HasAttrString(item, "__array__")) {
    const nanobind::object made = make_tensor(op, item, Py_None);
    index = tensor_of(made.ptr());
    // An empty sequence has no element type.
    if (untyped && index.size == 0 && index.dtype == DType::float64) index = cast(op, index, DType::int64);
  } else {
    fail(Status::type_mismatch, "index: ", class_of(item),
         " is not an integer, slice, ellipsis, None, or tensor of integers or bools", hint("key", item));
  }
  if (!is_integer(index.dtype) && index.dtype != DType::boolean)
    fail(Status::type_mismatch, "index: elements of type ", name(index.dtype), " are not integers or bools",
         hint("index"));
  return index;
}

// The selection by a key with items that are not basic. The selection consists of a view, and of indices for some
// dimensions of the view.
class AdvancedSelection {
 public:
  AdvancedSelection(const Tensor& x, const Items& keys) : x_(x), selection_{x_} {
    int64_t ellipses = 0, inserted = 0;
    for (PyObject* key : keys) {
      const bool basic = key == Py_Ellipsis || key == Py_None || PySlice_Check(key) || is_integer_key(key);
      const Item& item = items_.emplace_back(key, basic ? std::nullopt : std::optional(index_tensor(key)));
      ellipses += key == Py_Ellipsis;
      inserted += key == Py_None || item.is_mask(0);
      consumed_ += item.consumes();
    }
    check_counts(x, ellipses, inserted);
  }

  // Returns the mask if the key is only a mask of the shape of x.
  const Tensor* whole_mask() const {
    const bool whole = x_.rank() > 0 && items_.size() == 1 && items_[0].is_mask(x_.rank());
    return whole && items_[0].index->shape == x_.shape ? &*items_[0].index : nullptr;
  }

  // Returns the selected elements as an indexed view. If `to_write` is true, the indices of the result do not share
  // memory with x. A caller calls this function only once.
  IndexedView view(bool to_write) try {
    for (const Item& item : items_) add(item);
    selection_.keep(x_.rank() - selection_.axis);
    for (AxisIndex& each : indices_)
      if (to_write) each.index = apart(op, each.index, x_);
    const Tensor view = make_view(x_, std::move(selection_.shape), std::move(selection_.strides), selection_.offset);
    return index_axes(op, view, std::move(indices_), run_ == Run::broken ? 0 : place_);
  } catch (const StatusError& error) {
    if (error.status() != Status::dimensions_mismatch) throw;
    throw KeyMismatch(error);
  }

 private:
  struct Item {
    PyObject* key;
    // `index` is set if the item is not basic.
    std::optional<Tensor> index;

    bool is_mask(int rank) const { return index && index->dtype == DType::boolean && index->rank() == rank; }
    int consumes() const {
      if (!index) return key != Py_Ellipsis && key != Py_None;
      return index->dtype == DType::boolean ? index->rank() : 1;
    }
  };

  void add(const Item& item) {
    const bool integer = !item.index && item.consumes() && !PySlice_Check(item.key);
    // This key has index tensors or masks, so the code treats integers in the key as indices. The dimensions of the
    // indices replace a run of adjacent index items. If other items separate the indices, the dimensions of the indices
    // come first.
    if (!item.index && !integer) {
      if (run_ == Run::open) run_ = Run::closed;
    } else if (run_ == Run::none) {
      run_ = Run::open;
      place_ = selection_.shape.size();
    } else if (run_ == Run::closed) {
      run_ = Run::broken;
    }
    if (integer) {
      selection_.take(item.key);
    } else if (item.index) {
      item.index->dtype == DType::boolean ? add_mask(item) : add_index(item.key, *item.index);
    } else if (item.key == Py_Ellipsis) {
      selection_.keep(x_.rank() - consumed_);
    } else if (item.key == Py_None) {
      selection_.insert();
    } else {
      selection_.slice(item.key);
    }
  }

  void add_index(PyObject* key, Tensor index) {
    (void)selection_.size_of_axis(key);
    indices_.push_back({std::move(index), selection_.shape.size(), selection_.axis});
    selection_.keep(1);
  }

  void add_mask(const Item& item) {
    const Tensor& mask = *item.index;
    if (mask.rank() == 0) {
      // A mask without dimensions adds a dimension, whose size is 1 if the mask is true, and 0 otherwise.
      const Tensor index = make_empty(op, {*mask.as<uint8_t>() != 0}, DType::int64);
      fill(op, index, Scalar::of(int64_t{0}));
      indices_.push_back({index, selection_.shape.size(), selection_.axis});
      selection_.insert();
      return;
    }
    for (int i = 0; i < mask.rank(); ++i) {
      const int axis = selection_.axis + i;
      if (axis >= x_.rank()) {
        fail(Status::out_of_range, "index: a tensor of shape ", x_.shape,
             " has too few dimensions for a mask of shape ", mask.shape);
      }
      // A mask dimension of size 0 fits an axis of any size. Such a mask selects no elements.
      if (mask.shape[i] != x_.shape[axis] && mask.shape[i] != 0)
        fail(Status::dimensions_mismatch, "index: a mask of shape ", mask.shape, " does not fit axis ", axis,
             " of shape ", x_.shape, hint_for_axis(mask));
    }
    for (Tensor& index : nonzero_axes(op, mask)) add_index(item.key, std::move(index));
  }

  // Returns a hint for a mask of the size of another axis, such as "; x[:, mask] selects along axis 1".
  std::string hint_for_axis(const Tensor& mask) const {
    if (mask.rank() != 1 || selection_.axis != 0) return "";
    std::string key;
    for (int axis = 1; axis < x_.rank(); ++axis) {
      key += ":, ";
      if (x_.shape[axis] == mask.shape[0]) return "; x[" + key + "mask] selects along axis " + std::to_string(axis);
    }
    return "";
  }

  enum class Run { none, open, closed, broken };

  Tensor x_;
  Selection selection_;
  std::vector<Item> items_;
  int consumed_ = 0;  // the number of dimensions of x that all items use
  std::vector<AxisIndex> indices_;
  Run run_ = Run::none;
  int place_ = 0;
};

// --- values ---

// Calls use(scalar) if the value is a number or a string, and use(tensor) otherwise. If x has an integer type, the
// function fails for a tensor with an element that this type cannot hold. Floating types round the elements of a
// tensor.
template <class Use>
void with_value(const Tensor& x, PyObject* value, Use use) {
  const bool is_tensor = PyTensor_Check(value);
  Scalar scalar;
  if (!is_tensor && read_element(value, scalar)) return use(scalar);
  const Tensor values =
      is_tensor ? require_tensor(op, value) : tensor_of(make_tensor(op, value, dtype_object(x.dtype)).ptr());
  if (values.dtype != x.dtype && is_integer(x.dtype))
    unlocked_if_long(unlocked_work(values), [&, target = x.dtype] { check_fits(op, values, target); });
  use(values);
}

Tensor converted(const Scalar& scalar, DType t) {
  const Tensor one = make_empty(op, {}, t);
  fill(op, one, scalar);
  return one;
}
Tensor converted(const Tensor& values, DType t) { return values.dtype == t ? values : cast(op, values, t); }

// Returns the values of an assignment without leading dimensions of size 1, which the selection of the given rank
// lacks.
Tensor without_leading_ones(const Tensor& values, int rank) {
  int extra = 0;
  while (values.rank() - extra > rank && values.shape[extra] == 1) ++extra;
  if (extra == 0) return values;
  Dims shape, strides;
  for (int i = extra; i < values.rank(); ++i) {
    shape.push_back(values.shape[i]);
    strides.push_back(values.strides[i]);
  }
  return make_view(values, shape, strides);
}

}  // namespace

Tensor index(const Tensor& operand, PyObject* key) {
  // A tensor of rank 0 may be an integer, which selects a view.
  if (PyTensor_Check(key) && tensor_of(key).rank() > 0)
    if (auto taken = take_few(op, operand, tensor_of(key))) return *std::move(taken);
  const Items items(key);
  if (std::ranges::all_of(items, is_plain)) return std::move(*basic_view(operand, items));
  const Tensor x = operand;  // a copy, because the key's own __index__ may destroy the tensor
  if (auto view = basic_view(x, items)) return std::move(*view);
  AdvancedSelection selection(x, items);
  if (const Tensor* mask = selection.whole_mask())
    return unlocked_if_long(unlocked_work(x), [&] { return masked_select(op, x, *mask); });
  const IndexedView view = selection.view(false);
  return unlocked_if_long(unlocked_work(x, product(view.shape)), [&] { return gather(op, view); });
}

void assign(const Tensor& x, PyObject* key, PyObject* value) {
  settle_if_strings(x);
  check_not_traced(op);
  check_target(op, x);
  if (PyTensor_Check(key) && PyTensor_Check(value) && put_few(x, tensor_of(key), tensor_of(value))) return;
  const Items items(key);
  if (const auto target = basic_view(x, items)) {
    with_value(x, value, [&]<class Value>(const Value& source) {
      if constexpr (std::is_same_v<Value, Scalar>) {
        fill(op, *target, source);
      } else {
        copy_into(op, *target, without_leading_ones(source, target->rank()));
      }
    });
    return;
  }
  AdvancedSelection selection(x, items);
  const Tensor* mask = selection.whole_mask();
  with_value(x, value, [&]<class Value>(const Value& source) {
    if constexpr (std::is_same_v<Value, Scalar>) {
      if (mask) return masked_fill(op, x, apart(op, *mask, x), source);
    }
    const IndexedView view = selection.view(true);
    const Tensor values = without_leading_ones(converted(source, x.dtype), static_cast<int>(view.shape.size()));
    if (broadcast(op, view.shape, values.shape) != view.shape)
      fail(Status::dimensions_mismatch, "index: shape ", values.shape, " does not broadcast to ", view.shape);
    unlocked_if_long(unlocked_work(x, product(view.shape)),
                     [&] { scatter_into(op, view, values, ScatterMode::update); });
  });
}

}  // namespace suanzi::python
