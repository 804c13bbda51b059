// The functions in this file start workers, wake workers, put workers to sleep, and forget all workers after a fork.
// The functions use no locks, and workers are detached, so neither a fork nor the end of the process waits for a
// thread.
#include "runtime/threads.h"

#include <pthread.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <type_traits>

#include "base/status.h"
#include "runtime/environment.h"
#include "runtime/machine.h"

namespace suanzi {
namespace {

using Clock = std::chrono::steady_clock;

// Waking a sleeping thread costs the caller 10 us, and the thread runs 30 us later. A waiting thread therefore stays
// awake for about 40 us before it sleeps. A brief loop runs for 40 us before the caller wakes sleeping threads, unless
// loops follow one another closely.
constexpr std::chrono::microseconds spin_time{40};

// The states change in these ways:
// - The caller posts work (idle or asleep -> posted), and the worker runs the work (posted -> running -> idle).
// - The caller takes back work that its worker has not begun (posted -> idle).
// - The worker announces that it is about to sleep (idle -> asleep), and the caller wakes the worker.
// - The caller announces that it is about to sleep (running -> watched), and the worker wakes the caller.
enum State : uint32_t { idle, posted, running, asleep, watched };

// A participant's share of a loop is in one cache line with the participant's state, because a line moves from one core
// to another in a tenth of a microsecond. The alignment is two lines, because processors fetch neighbouring lines in
// pairs.
struct alignas(128) Participant {
  std::atomic<uint32_t> state{idle};
  std::atomic<int> thread_id{0};  // the system's number of the worker
  detail::Task task = nullptr;
  std::atomic<void*> context{nullptr};
  // The participant's share of the tasks. Participants that have finished their own shares take tasks from this share.
  // Loops of equal size have equal shares, so the data of a thread stays in its cache.
  std::atomic<int64_t> next{0};
  int64_t end = 0;
  // `alone` is true if only one task of the loop is not in this share, and the caller begins with that task.
  bool alone = false;
};
static_assert(offsetof(Participant, alone) < 64);

// The threads of the process, which run one loop at a time. The caller of this loop owns `busy` and all other members
// except the states.
struct Pool {
  std::array<Participant, max_threads> participants;  // the participants, of which the first is the caller
  int started = 0;                                    // the number of workers that exist
  std::atomic<bool> busy{false};
  std::atomic<int> threads{0};  // the number of threads, which is 0 until the number is set or first read
  Clock::time_point ended;      // the end of the last loop for which a thread slept
  std::exception_ptr* error = nullptr;
  // Workers read the members below. The caller writes a member only if its value changes, so that the member stays in
  // the workers' caches.
  alignas(128) std::atomic<int> count{0};  // the number of participants in the loop
  std::atomic<bool> spin{false};
  std::atomic<bool> failed{false};
};
// Workers use the pool until the process ends.
static_assert(std::is_trivially_destructible_v<Pool>);
constinit Pool pool;

constinit thread_local bool inside_task = false;

// Resets the pool in a forked child. The child has no workers, and the thread whose loop may have been running does not
// exist in the child.
void forget_workers() {
  for (int i = 1; i <= pool.started; ++i) pool.participants[i].state.store(idle, std::memory_order_relaxed);
  pool.started = 0;
  pool.busy.store(false, std::memory_order_relaxed);
}
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, forget_workers);

void spin_while(const std::atomic<uint32_t>& state, uint32_t value) {
  if (!pool.spin.load(std::memory_order_relaxed)) return;
  const auto changes_soon = [&] {
    for (int i = 0; i < 32; ++i) {
      if (state.load(std::memory_order_relaxed) != value) return true;
      relax();
    }
    return false;
  };
  // The code first checks the state without the clock, because a read of the clock takes as long as a brief task.
  if (changes_soon()) return;
  const auto until = Clock::now() + spin_time;
  while (!changes_soon() && Clock::now() < until) {
  }
}

// Runs tasks, beginning with the participant's own share, until no task is left or a task has failed.
template <class AfterTask>
void work(int self, AfterTask after_task) {
  const Participant& own = pool.participants[self];
  void* const context = own.context.load(std::memory_order_relaxed);
  const int count = pool.count.load(std::memory_order_relaxed), shares = own.alone ? 1 : count;
  try {
    for (int i = 0; i < shares; ++i) {
      Participant& share = pool.participants[(self + i) % count];
      while (!pool.failed.load(std::memory_order_relaxed)) {
        const int64_t task = share.next.fetch_add(1, std::memory_order_relaxed);
        if (task >= share.end) break;
        own.task(context, task);
        after_task();
      }
    }
  } catch (...) {
    if (!pool.failed.exchange(true)) *pool.error = std::current_exception();
  }
}

#ifdef __linux__
// Linux tends to run a woken thread on the CPU of the thread that woke it. The caller is at work on this CPU. On a
// machine whose other CPUs sleep, the worker then waits for milliseconds, as long as the whole loop. The worker's
// affinity therefore excludes the caller's CPU.
void keep_off_this_cpu(const Participant& worker) {
  cpu_set_t cpus;
  if (!pool.spin.load(std::memory_order_relaxed) || sched_getaffinity(0, sizeof(cpus), &cpus) != 0) return;
  CPU_CLR(sched_getcpu(), &cpus);
  const int id = worker.thread_id.load(std::memory_order_relaxed);
  if (id != 0 && CPU_COUNT(&cpus) > 0) sched_setaffinity(id, sizeof(cpus), &cpus);
}
// The C library's gettid (glibc 2.30) is newer than the systems that wheels support.
int current_thread_id() { return static_cast<int>(syscall(SYS_gettid)); }
#else
void keep_off_this_cpu(const Participant&) {}
int current_thread_id() { return 0; }
#endif

// Prefetches the first cache lines of a body's captures while the worker begins the loop.
void fetch_ahead(const void* context) {
  for (int line = 0; line < 4; ++line) __builtin_prefetch(static_cast<const char*>(context) + 64 * line);
}

void run_worker(int self) {
  inside_task = true;
  pool.participants[self].thread_id.store(current_thread_id(), std::memory_order_relaxed);
  const Participant& own = pool.participants[self];
  std::atomic<uint32_t>& state = pool.participants[self].state;
  for (;;) {
    spin_while(state, idle);
    if (state.load(std::memory_order_acquire) == posted) fetch_ahead(own.context.load(std::memory_order_relaxed));
    uint32_t expected = posted;
    if (!state.compare_exchange_strong(expected, running)) {
      expected = idle;
      if (state.compare_exchange_strong(expected, asleep)) state.wait(asleep);
      continue;
    }
    work(self, [] {});
    if (state.exchange(idle) == watched) state.notify_one();
  }
}

// Starts workers until `count` workers exist, or as many as the system allows. Returns the number of workers that a
// loop may use, which is at most `count`.
int start_workers(int count) {
  try {
    for (; pool.started < count; ++pool.started) std::thread(run_worker, pool.started + 1).detach();
  } catch (const std::system_error&) {
    // The loop runs on the workers that exist.
  }
  return std::min(count, pool.started);
}

void share_out(int64_t tasks, int count, detail::Task task, void* context) {
  const int64_t each = tasks / count;
  const int64_t extra = tasks % count;
  int64_t begin = 0;
  for (int i = 0; i < count; ++i) {
    Participant& share = pool.participants[i];
    share.task = task;
    share.context.store(context, std::memory_order_relaxed);
    share.next.store(begin, std::memory_order_relaxed);
    begin += each + (i < extra ? 1 : 0);
    share.end = begin;
    share.alone = count == 2 && i > 0 && each + extra == 1;
  }
}

template <class T>
void update(std::atomic<T>& variable, T value) {
  if (variable.load(std::memory_order_relaxed) != value) variable.store(value, std::memory_order_relaxed);
}

// Posts the loop to a worker that is awake. Returns false if the worker sleeps.
bool post(Participant& worker) {
  uint32_t expected = idle;
  return worker.state.compare_exchange_strong(expected, posted);
}

// Posts the loop to the workers that sleep, and wakes these workers.
void wake_workers(int count) {
  for (int i = 1; i < count; ++i) {
    uint32_t expected = asleep;
    if (!pool.participants[i].state.compare_exchange_strong(expected, posted)) continue;
    keep_off_this_cpu(pool.participants[i]);
    pool.participants[i].state.notify_one();
  }
}

// Waits until the worker no longer uses the loop.
void collect(Participant& worker) {
  uint32_t expected = posted;
  if (worker.state.compare_exchange_strong(expected, idle)) return;
  spin_while(worker.state, running);
  expected = running;
  if (worker.state.compare_exchange_strong(expected, watched)) worker.state.wait(watched);
}

}  // namespace

int machine_cpus() {
  static const int cpus = cpu_count();
  return cpus;
}

void set_num_threads(int count) {
  if (count < 1 || count > max_threads) {
    fail(Status::invalid_argument, "set_num_threads: ", count, " threads are not between 1 and ", max_threads);
  }
  pool.threads.store(count, std::memory_order_relaxed);
}

int num_threads() {
  int count = pool.threads.load(std::memory_order_relaxed);
  if (count != 0) return count;
  // If another thread calls set_num_threads() before this function stores a number, the number of that call stays.
  const int wanted = threads_of_environment();
  const int chosen = wanted ? wanted : std::min(machine_cpus(), max_threads);
  return pool.threads.compare_exchange_strong(count, chosen) ? chosen : count;
}

void detail::run_parallel(int64_t tasks, int threads, Length length, Task task, void* context) {
  const int limit = static_cast<int>(std::min<int64_t>(tasks, std::min(threads, num_threads())));
  if (limit <= 1 || inside_task || pool.busy.exchange(true, std::memory_order_acquire)) {
    for (int64_t i = 0; i < tasks; ++i) task(context, i);
    return;
  }

  std::exception_ptr error;
  const int count = 1 + start_workers(limit - 1);
  pool.error = &error;
  update(pool.count, count);
  update(pool.failed, false);
  update(pool.spin, count <= machine_cpus());
  share_out(tasks, count, task, context);

  bool sleepers = false;
  for (int i = 1; i < count; ++i) sleepers |= !post(pool.participants[i]);
  const bool slept = sleepers;
  // The time at which the caller wakes sleeping workers. The default value is in the past, so the caller wakes the
  // workers at once.
  Clock::time_point due{};
  if (sleepers && length == Length::brief) {
    // If loops follow one another closely, a thread that wakes for this loop is awake for the next loop.
    const Clock::time_point begun = Clock::now();
    if (begun - pool.ended >= spin_time) due = begun + spin_time;
  }
  const auto wake_when_due = [&] {
    if (!sleepers || Clock::now() < due) return;
    wake_workers(count);
    sleepers = false;
  };
  wake_when_due();
  inside_task = true;
  work(0, wake_when_due);
  inside_task = false;
  for (int i = 1; i < count; ++i) collect(pool.participants[i]);

  if (slept) pool.ended = Clock::now();
  pool.busy.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
}

}  // namespace suanzi
