#include "runtime/environment.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "base/status.h"
#include "runtime/threads.h"

namespace suanzi {

int threads_of_environment() {
  const char* const variable = std::getenv("SUANZI_NUM_THREADS");
  const std::string_view text = variable == nullptr ? "" : variable;
  if (text.empty()) return 0;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > max_threads) {
    fail(Status::invalid_argument, "SUANZI_NUM_THREADS: '", text,
         "' is not a number of threads, which is a whole number from 1 to ", max_threads);
  }
  return count;
}

}  // namespace suanzi
