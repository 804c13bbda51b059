// Shares memory with other libraries by the buffer protocol. Other libraries read and write a tensor's memory, and
// tensors use the memory of other libraries.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "python/errors.h"
#include "python/interpreter.h"
#include "python/tensor_object.h"

namespace suanzi::python {
namespace {

// Returns the code of an element type in a buffer's format (PEP 3118). bfloat16 has no code, and strings are never
// exported. C has two integer types of 64 bits, long and long long, and NumPy has a type number for each of these
// types. NumPy's int64 is long if long has 64 bits, so C code that requests int64 by its type number would not
// recognise long long.
const char* format_of(DType t) {
  constexpr bool is_long = sizeof(long) == 8;
  constexpr const char* formats[dtype_count] = {
      "?", "B", "H", "I", is_long ? "L" : "Q", "b", "h", "i", is_long ? "l" : "q", "e", "", "f", "d", "Zf", "Zd", ""};
  return formats[static_cast<int>(t)];
}

// The data of a buffer during its export. The export holds the storage, so that destroy() cannot free the memory.
struct Export {
  StoragePtr storage;
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

bool fortran_contiguous(const Tensor& x) {
  if (x.size == 0) return true;
  int64_t step = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape[i] != 1 && x.strides[i] != step) return false;
    step *= x.shape[i];
  }
  return true;
}

bool layout_fits(const Tensor& x, int flags) {
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS) return x.contiguous;
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) return fortran_contiguous(x);
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS) return x.contiguous || fortran_contiguous(x);
  return (flags & PyBUF_STRIDES) == PyBUF_STRIDES || x.contiguous;
}

// Releases the Python object that owns referenced memory. Any thread may call this function.
void release_object(void* owner) {
  // If Python has ended, no thread can take the lock, and the memory is freed with the process.
  (void)locked([&] { Py_DECREF(static_cast<PyObject*>(owner)); });
}
void release_storage(void* owner) { const std::unique_ptr<StoragePtr> held(static_cast<StoragePtr*>(owner)); }

// Returns the element type that a buffer's format names, or nothing if no type has this format.
std::optional<DType> type_of(const Py_buffer& view) {
  const std::string_view format = view.format ? view.format : "B";
  const char letter = format.size() == 1 ? format[0] : ' ';
  // The platform decides which letter means 64 bits.
  const bool is_signed = letter == 'l' || letter == 'q', is_unsigned = letter == 'L' || letter == 'Q';
  for (int i = 0; i < dtype_count; ++i) {
    const auto t = static_cast<DType>(i);
    const bool same = is_signed     ? kind(t) == Kind::signed_integer
                      : is_unsigned ? kind(t) == Kind::unsigned_integer
                                    : !format.empty() && format == format_of(t);
    if (same && view.itemsize == size_of(t)) return t;
  }
  return std::nullopt;
}

// The buffer of a Python object, which the constructor requests and the destructor releases.
class Buffer {
 public:
  Buffer(PyObject* object, int flags) {
    if (PyObject_GetBuffer(object, &view_, flags) != 0) throw PythonErrorSet{};
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_;
};

Dims to_dims(const Py_ssize_t* values, int n) {
  Dims dims;
  for (int i = 0; i < n; ++i) dims.push_back(values[i]);
  return dims;
}

void check_buffer(const char* op, const Py_buffer& view, DType dtype) {
  if (view.ndim > max_rank || view.itemsize != size_of(dtype) || dtype == DType::string)
    fail(Status::invalid_argument, op, ": a buffer of ", view.ndim, " dimensions and elements of ", view.itemsize,
         " bytes does not hold ", name(dtype));
}

// Returns a tensor on the memory of `owner`, whose buffer is `view`.
std::optional<Tensor> share(const char* op, PyObject* owner, const Py_buffer& view, DType dtype) {
  check_buffer(op, view, dtype);
  // Complex numbers need only the alignment of their parts.
  if (reinterpret_cast<uintptr_t>(view.buf) % static_cast<uintptr_t>(size_of(real_part(dtype)))) return std::nullopt;
  const Dims shape = to_dims(view.shape, view.ndim);
  Dims strides = to_dims(view.strides, view.ndim);
  for (int64_t& s : strides) {
    if (s % view.itemsize) return std::nullopt;
    s /= view.itemsize;
  }
  Tensor whole;
  whole.dtype = dtype;
  whole.data = static_cast<std::byte*>(view.buf);
  const auto bytes = static_cast<size_t>(checked_size(op, shape, dtype) * view.itemsize);
  if (PyTensor_Check(owner)) {
    // The tensor keeps the storage and not the Python object, because destroy() on this object must not free the
    // memory.
    auto held = std::make_unique<StoragePtr>(tensor_of(owner).storage);
    whole.storage = StoragePtr::reference(whole.data, bytes, !view.readonly, held.get(), release_storage);
    // release_storage deletes the pointer.
    held.release();
  } else {
    whole.storage = StoragePtr::reference(whole.data, bytes, !view.readonly, owner, release_object);
    // release_object drops this reference.
    Py_INCREF(owner);
  }
  return make_view(whole, shape, strides);
}

int refuse(const char* message) {
  PyErr_SetString(PyExc_BufferError, message);
  return -1;
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guard_or(-1, [&]() -> int {
    const Tensor& x = tensor_of(self);
    check_alive("buffer", x);
    // The elements of a string tensor hold addresses. No other library may read or write these addresses.
    if (x.dtype == DType::string) return refuse("buffer: strings have no buffer format; use numpy()");
    const bool writable = x.storage->writable() && !repeats_elements(x);
    if ((flags & PyBUF_WRITABLE) && !writable) return refuse("buffer: the tensor is read-only");
    if (!layout_fits(x, flags)) return refuse("buffer: the tensor is not contiguous as asked");
    const char* format = format_of(x.dtype);
    if ((flags & PyBUF_FORMAT) && !*format) return refuse("buffer: bfloat16 has no buffer format; use numpy()");
    auto held = std::make_unique<Export>();
    held->storage = x.storage;
    held->shape.assign(x.shape.begin(), x.shape.end());
    for (int64_t s : x.strides) held->strides.push_back(s * size_of(x.dtype));
    view->buf = x.data;
    view->len = x.nbytes();
    view->itemsize = size_of(x.dtype);
    view->readonly = !writable;
    // A consumer that does not request a shape receives the memory as one row, so the view has at most one dimension.
    view->ndim = flags & PyBUF_ND ? x.rank() : std::min(x.rank(), 1);
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    view->shape = flags & PyBUF_ND ? held->shape.data() : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? held->strides.data() : nullptr;
    view->suboffsets = nullptr;
    // release_buffer deletes the export.
    view->internal = held.release();
    view->obj = Py_NewRef(self);
    return 0;
  });
}

std::optional<Tensor> share_buffer(const char* op, PyObject* owner, DType dtype) {
  return share(op, owner, Buffer(owner, PyBUF_STRIDED_RO).view(), dtype);
}

std::optional<Tensor> share_buffer(const char* op, PyObject* owner) {
  try {
    const Buffer buffer(owner, PyBUF_RECORDS_RO);
    const std::optional<DType> dtype = type_of(buffer.view());
    return dtype ? share(op, owner, buffer.view(), *dtype) : std::nullopt;
  } catch (const PythonErrorSet&) {
    PyErr_Clear();
    return std::nullopt;
  }
}

Tensor copy_buffer(const char* op, PyObject* object, DType dtype) {
  const Buffer buffer(object, PyBUF_STRIDED_RO);
  const Py_buffer& view = buffer.view();
  check_buffer(op, view, dtype);
  Tensor result = make_empty(op, to_dims(view.shape, view.ndim), dtype);
  if (view.len > 0 && PyBuffer_ToContiguous(result.data, &view, view.len, 'C') != 0) throw PythonErrorSet{};
  return result;
}

void release_buffer(PyObject*, Py_buffer* view) {
  const std::unique_ptr<Export> held(static_cast<Export*>(view->internal));
}

}  // namespace suanzi::python
