// The environment's settings of threads. Other parts of the runtime read their own settings.
#pragma once

namespace suanzi {

// The number of threads that the environment variable SUANZI_NUM_THREADS holds; 0 where it is unset or empty.
// StatusError invalid_argument where it holds anything but a whole number from 1 to max_threads.
int threads_of_environment();

}  // namespace suanzi
