// The connection to the BLAS library. At the first use of the library, Python finds the library's path.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/bindings.h"
#include "python/errors.h"
#include "python/interpreter.h"
#include "runtime/library.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

PyObject* locator = nullptr;

// Calls locator(), which returns (kind, path), and loads the BLAS library from the path. The function holds Python's
// lock, so that Python cannot fork during the call.
void ask_python(blas::Found found) {
  const bool asked = locked([&] {
    const nb::object answer = nb::steal(PyObject_CallNoArgs(locator));
    const char *kind = nullptr, *path = nullptr;
    if (!answer.is_valid() || !PyArg_ParseTuple(answer.ptr(), "ss", &kind, &path)) throw PythonErrorSet{};
    found({kind, path});
  });
  if (!asked) fail(Status::internal_error, "BLAS: Python ended before it could find the library");
}

}  // namespace

void bind_blas(nb::module_& m) {
  define(m, "register_blas", "(locator: Callable[[], tuple[str, str]], /) -> None", [](nb::object function) {
    Py_XSETREF(locator, function.release().ptr());
    blas::set_locator(ask_python);
  });
  define(m, "blas", "() -> dict[str, str]", [] {
    const blas::Library& library = blas::library();
    nb::dict facts;
    facts["name"] = library.name;
    facts["version"] = library.version;
    facts["path"] = library.path;
    return facts;
  });
}

}  // namespace suanzi::python
