// This file releases the interpreter's lock for long work, and takes the lock in threads that do not hold the lock.
// While Python ends, other threads cannot take the lock. Up to Python 3.13, Python then ends a thread that requests the
// lock. pthread_exit ends the thread, and the unwinding of the thread's stack calls std::terminate in a noexcept
// function. This file makes the thread sleep for the short time until the process ends. Python 3.14 and later versions
// also make the thread sleep. No other code of the module takes the lock.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>

namespace suanzi::python {

bool is_ending();
[[noreturn]] void rest_for_good() noexcept;

// Guards a scope in which Python may end the thread, in Python's code or while the thread waits for the lock. The guard
// makes the thread sleep until the process ends. Python is ending the thread if the thread leaves the scope without a
// call of pass() while no more C++ exceptions are in flight than at the start of the scope. A destructor detects the
// end, because an exception from outside C++ must not be caught within the handler of another exception.
class ThreadEndGuard {
 public:
  explicit ThreadEndGuard(int exceptions = 0) : exceptions_(exceptions) {}
  ThreadEndGuard(const ThreadEndGuard&) = delete;
  ThreadEndGuard& operator=(const ThreadEndGuard&) = delete;
  ~ThreadEndGuard() {
    if (!passed_ && std::uncaught_exceptions() <= exceptions_) [[unlikely]]
      rest_for_good();
  }
  void pass() { passed_ = true; }

 private:
  int exceptions_;
  bool passed_ = false;
};

// Runs a body that may run Python code, for a function that is noexcept, and returns the body's result. This function
// is not noexcept and not inlined. In a noexcept function, the compiler would leave out the guard, because no exception
// could reach the guard.
template <class Body>
[[gnu::noinline]] auto in_python(Body&& body) -> decltype(body()) {
  ThreadEndGuard end(std::uncaught_exceptions());
  const auto result = body();
  end.pass();
  return result;
}

// While this object lives, the thread does not hold the lock.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() { take_back(state_); }

 private:
  static void take_back(PyThreadState* state);

  PyThreadState* state_;
};

// Runs the body, which may run Python code, while the thread holds the lock. Any thread may call this function. If the
// thread cannot take the lock because Python ends, the function returns false and does not run the body.
template <class Body>
bool locked(Body&& body) {
  if (PyGILState_Check()) {
    body();
    return true;
  }
  if (is_ending()) return false;
  // The first guard covers the wait for the lock. The second guard makes the thread sleep before the lock is released,
  // because a thread that Python ends does not hold the lock.
  ThreadEndGuard end(std::uncaught_exceptions());
  struct State {
    PyGILState_STATE state = PyGILState_Ensure();
    ~State() { PyGILState_Release(state); }
  };
  {
    const State state;
    ThreadEndGuard inside(std::uncaught_exceptions());
    body();
    inside.pass();
  }
  end.pass();
  return true;
}

}  // namespace suanzi::python
