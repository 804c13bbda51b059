// Attention as a Python function for suanzi.nn, which reads and checks the arguments of users.
#include "ops/attention/attention.h"

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

std::vector<int64_t> read_numbers(const char* op, const char* what, nb::handle given) {
  std::vector<int64_t> numbers;
  if (given.is_none()) return numbers;
  const Py_ssize_t count = PySequence_Size(given.ptr());
  if (count < 0) throw PythonErrorSet{};
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(given.ptr(), i));
    if (!item.is_valid()) throw PythonErrorSet{};
    numbers.push_back(require_integer(op, what, item.ptr()));
  }
  return numbers;
}

}  // namespace

void bind_attention(nb::module_& m) {
  define(
      m, "attention",
      "(operator: str, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scale: float, softcap: float, "
      "offsets: Sequence[int] | None, before: int | None, after: int | None, lengths: Sequence[int] | None, out: "
      "Tensor, /) -> None",
      [](const char* op, nb::handle query, nb::handle key, nb::handle value, nb::handle mask, nb::handle scale,
         nb::handle softcap, nb::handle offsets, nb::handle before, nb::handle after, nb::handle lengths,
         nb::handle out) {
        attention::Operands operands{require_tensor(op, query.ptr()), require_tensor(op, key.ptr()),
                                     require_tensor(op, value.ptr())};
        operands.mask = optional_tensor(op, mask);
        const attention::Options options{
            require_real(op, "scale", scale.ptr()),     require_real(op, "softcap", softcap.ptr()),
            read_numbers(op, "offset", offsets),        optional_integer(op, "before", before.ptr()),
            optional_integer(op, "after", after.ptr()), read_numbers(op, "length", lengths)};
        const Tensor target = require_out(op, out.ptr());
        unlocked_if_long(8 * (operands.query.size + operands.key.size),
                         [&] { attention::run(op, operands, options, target); });
      });
}

}  // namespace suanzi::python
