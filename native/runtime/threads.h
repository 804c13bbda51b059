// One pool of threads and the loop that runs on the pool. No result depends on the thread that runs a task, because the
// tasks of one loop write to disjoint places.
#pragma once

#include <cstdint>
#include <memory>

namespace suanzi {

inline constexpr int max_threads = 1024;

// Sets the number of threads. Throws StatusError invalid_argument for a number outside [1, max_threads].
void set_num_threads(int count);

// Returns cpu_count(). The function calls cpu_count() only once, because the system reports this number in files.
int machine_cpus();

// Returns the number of threads that a caller has set. If no caller has set a number, the function returns the number
// in the environment variable SUANZI_NUM_THREADS. Without this variable, the function returns cpu_count(), but at most
// max_threads. Throws StatusError invalid_argument if the variable holds an invalid number.
int num_threads();

// The expected length of a loop. A brief loop may well end before a sleeping thread has woken, and waking a thread
// costs the caller 10 us. Threads are awake for a short time after a loop. The caller therefore shares a brief loop
// with threads that are awake. The caller wakes other threads only if the loop lasts longer than expected, or begins
// soon after a loop for which threads slept.
enum class Length { any, brief };

namespace detail {
using Task = void (*)(void* context, int64_t task);
void run_parallel(int64_t tasks, int threads, Length length, Task task, void* context);
}  // namespace detail

// Calls body(task) once for each task in [0, tasks), on at most `threads` threads including the caller. The caller runs
// all tasks if the caller is already inside a task, or while another thread's loop uses the pool. After an exception,
// no further task begins. The function rethrows the first exception of a body after all running tasks have ended.
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
