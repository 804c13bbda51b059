// Converts Python's strings to tensors.
#include <span>

#include "python/arguments.h"
#include "python/bindings.h"
#include "tensor/text.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Returns a copy of a Python string's UTF-8. Python would compute the UTF-8 of some strings once and keep this UTF-8 as
// long as the string lives. This function therefore encodes the string.
Text copy_of(const char* op, const Tensor& target, PyObject* string) {
  if (PyUnicode_IS_COMPACT_ASCII(string)) {
    return adopt(target,
                 {static_cast<const char*>(PyUnicode_DATA(string)), static_cast<size_t>(PyUnicode_GET_LENGTH(string))});
  }
  // NumPy makes Python strings of any bytes in its memory, even if the bytes are not valid characters.
  if (PyUnicode_KIND(string) == PyUnicode_4BYTE_KIND) {
    const std::span characters(PyUnicode_4BYTE_DATA(string), static_cast<size_t>(PyUnicode_GET_LENGTH(string)));
    for (const Py_UCS4 c : characters)
      if (c > 0x10ffff)
        fail(Status::invalid_argument, op, ": a string has a character past U+10FFFF, which UTF-8 cannot encode");
  }
  const nb::object encoded = nb::steal(PyUnicode_AsUTF8String(string));
  if (encoded.is_valid())
    return adopt(target, {PyBytes_AS_STRING(encoded.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(encoded.ptr()))});
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw PythonErrorSet{};
  PyErr_Clear();
  fail(Status::invalid_argument, op, ": a string has a lone surrogate, which UTF-8 cannot encode");
}

// Writes the strings of the nested lists `data` to the elements at `next`, and advances `next`. The lists must have the
// sizes of the target's axes from `axis` to the last axis.
void fill_nested(const char* op, const Tensor& target, PyObject* data, int axis, Text*& next) {
  if (is_sequence(data) != (axis < target.rank()) ||
      (is_sequence(data) && PySequence_Fast_GET_SIZE(data) != target.shape[axis]))
    fail(Status::dimensions_mismatch, op, ": the sequences in data differ in length or depth");
  if (is_sequence(data)) {
    for (int64_t i = 0; i < target.shape[axis]; ++i)
      fill_nested(op, target, PySequence_Fast_GET_ITEM(data, i), axis + 1, next);
  } else if (PyUnicode_Check(data)) {
    *next++ = copy_of(op, target, data);
  } else {
    fail(Status::type_mismatch, op, ": data mixes strings with ", Py_TYPE(data)->tp_name);
  }
}

}  // namespace

void bind_text(nb::module_& m) {
  define(m, "text", "(operator: str, data: Any, /) -> Tensor", [](const char* op, nb::handle data) {
    Tensor result = make_empty(op, nested_shape(op, data.ptr()), DType::string);
    Text* next = result.as<Text>();
    fill_nested(op, result, data.ptr(), 0, next);
    return result;
  });
}

}  // namespace suanzi::python
