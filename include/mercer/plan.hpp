// Plan: which route a fit will take, what it will cost, and why; made before anything is allocated.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// How the kernel matrix is handled.
enum class Route {
  automatic,  ///< let the plan choose
  dense,      ///< all of K̃, LAPACK
  stored,     ///< the lower triangle of K in tiles, block Krylov
  tiled,      ///< nothing stored: tiles are computed again in each pass
  lowrank,    ///< K ≈ F Fᵀ with few columns, bounds on the error; never chosen unasked
};

[[nodiscard]] std::string_view name_of(Route route);
[[nodiscard]] Route parse_route(std::string_view name);

/// How many components: a count, or the share of variance to reach.
struct Components {
  Index count = 2;
  double share = 0;  ///< 0 < share < 1: as many as needed; 0: use count

  Components(Index n) : count(n) {}  // NOLINT(google-explicit-constructor)
  Components(int n) : count(n) {}    // NOLINT(google-explicit-constructor)
  static Components variance_share(double f) {
    Components c(0);
    c.share = f;
    return c;
  }
  /// "10" or "0.95".
  static Components parse(std::string_view text);
};

struct Plan {
  Route route = Route::automatic;
  bool rounded = false;  ///< stored route: tiles are kept in float, exact products evaluate them anew
  std::string problem;   ///< the matrix in words: "kernel 1797x1797", "covariance 64x64"
  std::string reason;    ///< why this route
  double bytes = 0;      ///< expected peak beyond the data itself
  double flops = 0;
  double seconds = 0;  ///< expected, from a short calibration; 0 if not calibrated
  std::size_t budget = 0;
  std::vector<std::string> rejected;  ///< the other routes and why not

  [[nodiscard]] std::string to_string() const;  ///< a few lines for people
};

}  // namespace mercer
