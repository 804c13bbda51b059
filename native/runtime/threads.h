// One pool of threads and the loop that runs on it. Results never depend on which thread runs a task: the tasks of one
// loop write to disjoint places.
#pragma once

#include <cstdint>
#include <memory>

namespace suanzi {

inline constexpr int max_threads = 1024;

// Throws StatusError invalid_argument outside [1, max_threads].
void set_num_threads(int count);

// Returns cpu_count(), which is read once because the system reports it in files.
int machine_cpus();

// Returns the number that was set. Until a number is set, returns the number in the environment variable
// SUANZI_NUM_THREADS if that number is valid, else cpu_count().
int num_threads();

// The expected length of a loop. A brief loop may well end before a sleeping thread has woken, and waking a thread
// costs the caller 10 us. A brief loop is therefore shared with threads that are awake, as threads are soon after
// another loop, and wakes other threads only if it lasts.
enum class Length { any, brief };

namespace detail {
using Task = void (*)(void* context, int64_t task);
void run_parallel(int64_t tasks, int threads, Length length, Task task, void* context);
}  // namespace detail

// Calls body(task) once for each task in [0, tasks), on at most `threads` threads including the caller. The caller runs
// all tasks itself if it is already inside a task, or while another thread's loop uses the pool. The first exception of
// a body is rethrown once all running tasks have ended; tasks that have not begun by then are skipped.
template <class Body>
void parallel_for(int64_t tasks, int threads, Length length, Body&& body) {
  auto* const context = std::addressof(body);
  detail::run_parallel(
      tasks, threads, length, [](void* pointer, int64_t task) { (*static_cast<decltype(context)>(pointer))(task); },
      const_cast<void*>(static_cast<const void*>(context)));
}

template <class Body>
void parallel_for(int64_t tasks, int threads, Body&& body) {
  parallel_for(tasks, threads, Length::any, body);
}

template <class Body>
void parallel_for(int64_t tasks, Length length, Body&& body) {
  parallel_for(tasks, max_threads, length, body);
}

template <class Body>
void parallel_for(int64_t tasks, Body&& body) {
  parallel_for(tasks, max_threads, Length::any, body);
}

}  // namespace suanzi
