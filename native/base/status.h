// The eight status codes of the standard (5.5, Table 1), and the exception that carries a status through the core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace suanzi {

enum class Status : int32_t {
  success = 0,
  type_mismatch = 1,
  dimensions_mismatch = 2,
  uninitialized_object = 3,
  invalid_argument = 4,
  alloc_failed = 5,
  out_of_range = 6,
  internal_error = 7,
};
inline constexpr int status_count = 8;

class StatusError : public std::exception {
 public:
  StatusError(Status status, std::string message) : status_(status), message_(std::move(message)) {}
  Status status() const noexcept { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Status status_;
  std::string message_;
};

// Throws a StatusError whose message is the concatenation of the parts. The parts are the operator, then the values,
// then the rule.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(Status status, const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw StatusError(status, std::move(message).str());
}

// Throws a copy of `error` in which `op` replaces the operator at the start of the message. An operator that calls a
// function with another name reports errors under its own name in this way.
[[noreturn, gnu::cold]] inline void fail_as(const char* op, const StatusError& error) {
  const std::string message = error.what();
  throw StatusError(error.status(), op + message.substr(std::min(message.find(": "), message.size())));
}

}  // namespace suanzi
