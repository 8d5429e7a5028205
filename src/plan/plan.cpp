// Plans and counts of components in words.
#include <mercer/plan.hpp>

#include "base/memory.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cmath>

namespace mercer {

std::string_view name_of(Route route) {
  switch (route) {
    case Route::dense:
      return "dense";
    case Route::stored:
      return "stored";
    case Route::tiled:
      return "tiled";
    case Route::lowrank:
      return "lowrank";
    default:
      return "auto";
  }
}

Route parse_route(std::string_view name) {
  for (Route route : {Route::automatic, Route::dense, Route::stored, Route::tiled, Route::lowrank})
    if (name == name_of(route)) return route;
  throw Error(ErrorCode::usage, fmt::format("there is no route '{}'", name),
              "routes: auto, dense, stored, tiled, lowrank");
}

Components Components::parse(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = fast_float::from_chars(text.data(), end, value);
  const auto fail = [&]() -> Components {
    throw Error(ErrorCode::usage, fmt::format("'{}' is no number of components", text),
                "give a count (10) or the share of variance to reach, between 0 and 1 (0.95)");
  };
  if (code != std::errc{} || rest != end || !(value > 0)) return fail();
  if (value < 1) return variance_share(value);
  if (value != std::floor(value) || value > 1e9) return fail();
  return Components(static_cast<Index>(value));
}

std::string Plan::to_string() const {
  std::string out = route == Route::automatic ? fmt::format("way      {}\n", reason)
                                              : fmt::format("route    {} ({})\n", name_of(route), reason);
  out += fmt::format("problem  {}\n", problem);
  out += fmt::format("memory   {} of a budget of {}\n", format_bytes(bytes), format_bytes(double(budget)));
  out += fmt::format("work     {:.3g} Gflop", flops / 1e9);
  if (seconds > 0) out += fmt::format(", about {:.2g} s", seconds);
  out += "\n";
  for (const std::string& other : rejected) out += "not      " + other + "\n";
  return out;
}

}  // namespace mercer
