// One pool of threads and the loop that runs on it. Results never depend on which thread runs a task: the tasks of one
// loop write to disjoint places.
#pragma once

#include <cstdint>
#include <memory>

namespace suanzi {

inline constexpr int max_threads = 1024;

// StatusError invalid_argument outside [1, max_threads].
void set_num_threads(int count);

// cpu_count(), asked once: the system says it in files.
int machine_cpus();

// Until set: the environment variable SUANZI_NUM_THREADS if it holds a valid number, else cpu_count().
int num_threads();

// A brief loop may well be over before a sleeping thread has woken, and waking it costs the caller 10 us: it is shared
// with the threads that are awake, as they are soon after another loop, and others are woken once it lasts.
enum class Length { any, brief };

namespace detail {
using Task = void (*)(void* context, int64_t task);
void run_parallel(int64_t tasks, int threads, Length length, Task task, void* context);
}  // namespace detail

// Calls body(task) once for each task in [0, tasks), on at most `threads` threads, the caller among them. Runs in the
// caller alone when it is itself inside a task, or while another thread's loop has the pool. The first exception of a
// body is rethrown once all running tasks have ended; tasks not begun by then are skipped.
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
