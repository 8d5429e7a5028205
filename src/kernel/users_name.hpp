// What a user may call a kernel or functions: printed as user(NAME), it must be read as the same name again.
#pragma once

#include <string_view>

namespace mercer {

[[nodiscard]] inline bool is_users_name(std::string_view name) {
  return !name.empty() && name.find_first_of("()'\",=") == std::string_view::npos && name.front() != ' ' &&
         name.back() != ' ';
}

/// Functions of a basis are called by one word.
[[nodiscard]] inline bool is_users_word(std::string_view name) {
  return is_users_name(name) && name.find(' ') == std::string_view::npos;
}

}  // namespace mercer
