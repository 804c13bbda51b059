// The interpreter's lock: given up for long work and taken back, or taken by whoever comes without it. Also while
// Python ends: up to 3.13 it then ends every other thread that wants the lock, by pthread_exit, whose unwinding no
// noexcept function lets pass (std::terminate). Such a thread rests here for the little time that the process has left,
// as all do from 3.14 on. Nothing else in the module takes the lock.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>

namespace suanzi::python {

[[noreturn]] void rest_for_good() noexcept;

// Stands where a thread may be ended, in Python's code or waiting for it, and lets it rest: so it is where the guard is
// left without pass() and without one more exception of C++ than there were. A destructor, as no handler would do: what
// is no exception of C++ must not be caught within the handler of one.
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

// Without the lock for its lifetime.
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

// With the lock, from whatever thread, unless it can no longer be had because Python ends.
class Locked {
 public:
  Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (taken_) PyGILState_Release(state_);
  }
  explicit operator bool() const { return held_; }

 private:
  bool held_, taken_ = false;
  PyGILState_STATE state_{};
};

}  // namespace suanzi::python
