#include "python/interpreter.h"

#include <unistd.h>

namespace suanzi::python {

bool is_ending() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}

void rest_for_good() noexcept {
  for (;;) pause();
}

// This function is not noexcept and not inlined, so that the exception by which Python ends a thread reaches the guard.
[[gnu::noinline]] void Unlocked::take_back(PyThreadState* state) {
  ThreadEndGuard end(std::uncaught_exceptions());
  PyEval_RestoreThread(state);
  end.pass();
}

}  // namespace suanzi::python
