// Reads the number of threads from the environment. Other parts of the runtime read their own environment variables.
#pragma once

namespace suanzi {

// Returns the number of threads that the environment variable SUANZI_NUM_THREADS holds, or 0 if the variable is unset
// or empty. Throws StatusError invalid_argument if the variable holds anything but a whole number from 1 to
// max_threads.
int threads_of_environment();

}  // namespace suanzi
