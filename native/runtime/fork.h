// Protects a process-wide mutex at forks. The thread that forks holds the mutex during the fork, so that the child
// finds the mutex free.
#pragma once

#include <pthread.h>

#include <mutex>

namespace suanzi {

// Registers the mutex that the function `mutex` returns. No thread may fork while it holds this mutex.
template <std::mutex& (*mutex)()>
int hold_across_fork() {
  return pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace suanzi
