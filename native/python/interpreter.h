// The interpreter's lock: given up for long work and taken back, or taken by whoever comes without it. Also while
// Python ends: up to 3.13 it then ends every other thread that wants the lock, by pthread_exit, whose unwinding no
// noexcept function lets pass (std::terminate). Such a thread rests here for the little time that the process has left,
// as all do from 3.14 on. Nothing else in the module takes the lock.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>

namespace suanzi::python {

bool is_ending();
[[noreturn]] void rest_for_good() noexcept;

// Stands where a thread may be ended, in Python's code or waiting for it, and lets it rest: so it is where the guard is
// left without pass() and without one more exception of C++ than there were. A destructor, because a handler would not
// do: something that is not a C++ exception must not be caught within the handler of one.
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

// An object during whose life the thread is without the lock.
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

// Runs the body, which may run Python code, with the lock, from whatever thread; false, and nothing is run, where the
// lock can no longer be had because Python ends.
template <class Body>
bool locked(Body&& body) {
  if (PyGILState_Check()) {
    body();
    return true;
  }
  if (is_ending()) return false;
  // One guard for the wait, and one that rests before the lock is given back, which a thread that is ended has not got.
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
