// The workers: how they are woken, how they join a job and leave it, and what fork leaves of them.
#include "runtime/threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/machine.h"
#include "tensor/status.h"

namespace suanzi {
namespace {

// A worker that has just worked is likely to be needed again at once: it watches this long before it sleeps.
constexpr auto watch_time = std::chrono::microseconds(30);

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

thread_local bool inside_task = false;

class Pool {
 public:
  void run(int64_t tasks, int threads, detail::Task body, void* context);

 private:
  static constexpr uint64_t closed = uint64_t{1} << 63;

  void work() noexcept;
  void worker(int number) noexcept;
  void start_workers(int count);
  uint64_t next_round(uint64_t seen) const noexcept;
  bool enter() noexcept;
  void leave() noexcept { visitors_.fetch_sub(1, std::memory_order_release); }

  std::mutex one_job_;
  int workers_ = 0;  // guarded by one_job_

  // Raised with every job; workers sleep on it.
  std::atomic<uint64_t> round_{0};
  // How many workers are inside the job; `closed` while there is none to enter. A worker that comes late touches this
  // alone, so the job's other fields may be written while it is closed and empty.
  std::atomic<uint64_t> visitors_{closed};
  detail::Task body_ = nullptr;
  void* context_ = nullptr;
  int64_t tasks_ = 0;
  std::atomic<int> wanted_{0};  // workers with a smaller number take part
  std::atomic<int64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

bool Pool::enter() noexcept {
  if (visitors_.fetch_add(1, std::memory_order_acquire) & closed) {
    leave();
    return false;
  }
  return true;
}

void Pool::work() noexcept {
  inside_task = true;
  for (int64_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) {
    try {
      body_(context_, task);
    } catch (...) {
      next_.store(tasks_, std::memory_order_relaxed);
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }
  inside_task = false;
}

uint64_t Pool::next_round(uint64_t seen) const noexcept {
  static const bool watches = cpu_count() > 1;
  if (watches) {
    const auto end = std::chrono::steady_clock::now() + watch_time;
    do {
      for (int i = 0; i < 32; ++i) {
        if (const uint64_t now = round_.load(std::memory_order_acquire); now != seen) return now;
        pause_cpu();
      }
    } while (std::chrono::steady_clock::now() < end);
  }
  round_.wait(seen, std::memory_order_acquire);
  return round_.load(std::memory_order_acquire);
}

void Pool::worker(int number) noexcept {
  for (uint64_t seen = 0;; seen = next_round(seen)) {
    if (number >= wanted_.load(std::memory_order_relaxed) || !enter()) continue;
    work();
    leave();
  }
}

void Pool::start_workers(int count) {
  for (; workers_ < count; ++workers_) {
    try {
      // Detached: a worker asleep must not hold up the end of the process, and the pool is never destroyed.
      std::thread(&Pool::worker, this, workers_).detach();
    } catch (const std::system_error&) {
      return;  // the system has no more threads to give; those that there are do the work
    }
  }
}

void Pool::run(int64_t tasks, int threads, detail::Task body, void* context) {
  const std::unique_lock only(one_job_, std::try_to_lock);
  if (!only) {
    for (int64_t task = 0; task < tasks; ++task) body(context, task);
    return;
  }
  const int helpers = static_cast<int>(std::min<int64_t>(threads, tasks)) - 1;
  start_workers(helpers);
  body_ = body;
  context_ = context;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  wanted_.store(helpers, std::memory_order_relaxed);
  visitors_.fetch_and(~closed, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work();
  visitors_.fetch_or(closed, std::memory_order_relaxed);
  while (visitors_.load(std::memory_order_acquire) != closed) pause_cpu();
  if (failed_.load(std::memory_order_relaxed)) std::rethrow_exception(std::exchange(error_, nullptr));
}

int default_threads() {
  if (const char* text = std::getenv("SUANZI_NUM_THREADS")) {
    char* end = nullptr;
    const long count = std::strtol(text, &end, 10);
    if (*text && !*end && count >= 1 && count <= max_threads) return static_cast<int>(count);
  }
  return std::min(cpu_count(), max_threads);
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{default_threads()};
  return count;
}

// Workers do not survive a fork: the child starts anew with a pool of its own. No pool is ever destroyed, since
// sleeping workers refer to it.
std::atomic<Pool*>& pool() {
  static std::atomic<Pool*> instance{[] {
    pthread_atfork(nullptr, nullptr, [] {
      pool().store(new Pool);
      inside_task = false;
    });
    return new Pool;
  }()};
  return instance;
}

}  // namespace

void set_num_threads(int count) {
  if (count < 1 || count > max_threads)
    fail(Status::invalid_argument, "set_num_threads: ", count, " is outside [1, ", max_threads, "]");
  thread_count().store(count);
}

int num_threads() { return thread_count().load(std::memory_order_relaxed); }

void detail::run_parallel(int64_t tasks, int threads, Task body, void* context) {
  threads = std::min(threads, num_threads());
  if (tasks > 1 && threads > 1 && !inside_task) return pool().load()->run(tasks, threads, body, context);
  for (int64_t task = 0; task < tasks; ++task) body(context, task);
}

}  // namespace suanzi
