// What a mutex of the process needs so that the child of a fork finds it free: the thread that forks holds it
// meanwhile.
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
