// The guard of a mutex of the process for forks: the thread that forks holds it meanwhile, so that the child finds it
// free.
#pragma once

#include <pthread.h>

#include <mutex>

namespace suanzi {

// `mutex` returns the mutex. No thread may fork while it holds it.
template <std::mutex& (*mutex)()>
int hold_across_fork() {
  return pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
}

}  // namespace suanzi
