// Expects that something throws mercer::Error, and hands the error over to look at.
#pragma once

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace mercer::test {

template <class F>
Error error_of(F&& action) {
  try {
    action();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorCode::internal, "no error");
}

inline bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

}  // namespace mercer::test
