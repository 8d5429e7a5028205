// The one error type of the library. Every failure carries a code (the process exit code of the
// command line), a message that says where and what, and a hint that says what to do about it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace mercer {

enum class ErrorCode {
  usage = 2,           ///< the request makes no sense: unknown kernel, k = 0, ...
  not_converged = 3,   ///< the solver ran out of passes
  no_memory = 4,       ///< no route fits the memory budget
  not_psd = 5,         ///< the kernel matrix has negative eigenvalues
  bad_data = 65,       ///< the data cannot be used: not a number, wrong width, corrupted file
  no_input = 66,       ///< no such file
  no_backend = 69,     ///< this build lacks the backend
  internal = 70,       ///< a bug of ours
  cannot_create = 73,  ///< an output cannot be created
  io = 74,             ///< reading or writing failed midway
  cancelled = 130,     ///< the caller asked to stop
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, std::string hint = {})
      : std::runtime_error(hint.empty() ? message : message + " (" + hint + ")"),
        code_(code),
        message_(std::move(message)),
        hint_(std::move(hint)) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::string hint_;
};

/// Calls f, which counts rows from 0, on rows of which the first is row `first` of the data. Errors say so.
template <class F>
decltype(auto) counting_rows_from(std::ptrdiff_t first, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const Error& e) {
    if (first == 0 || e.code() != ErrorCode::bad_data) throw;
    throw Error(e.code(), "counted from row " + std::to_string(first) + " on: " + e.message(), e.hint());
  }
}

}  // namespace mercer
