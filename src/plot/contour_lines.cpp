// Each crossing of a grid edge is a node with at most two neighbours (one a cell), so the lines are
// chains and rings; they are walked from the lowest edge number, in the same order each time.
#include "plot/contour_lines.hpp"

#include "plot/ticks.hpp"

#include <array>
#include <cmath>

namespace mercer::plot {
namespace {

constexpr Index none = -1;

class Tracer {
 public:
  Tracer(const Matrix<double>& values, double level)
      : values_(values), level_(level), links_(static_cast<std::size_t>(2 * values.size()), {none, none}) {
    for (Index r = 0; r + 1 < values.rows(); ++r)
      for (Index c = 0; c + 1 < values.cols(); ++c) visit_cell(r, c);
  }

  std::vector<ContourLine> lines() {
    std::vector<ContourLine> out;
    const auto edges = static_cast<Index>(links_.size());
    for (Index e = 0; e < edges; ++e)  // open lines start at an edge with one neighbour
      if (neighbours(e) == 1) out.push_back({walk(e), false});
    for (Index e = 0; e < edges; ++e)
      if (neighbours(e) == 2) out.push_back({walk(e), true});
    return out;
  }

 private:
  // Edge numbers: even ones go right from (r, c), odd ones go down.
  [[nodiscard]] Index across(Index r, Index c) const { return 2 * (r * values_.cols() + c); }
  [[nodiscard]] Index down(Index r, Index c) const { return across(r, c) + 1; }
  [[nodiscard]] bool above(Index r, Index c) const { return values_(r, c) >= level_; }

  void visit_cell(Index r, Index c) {
    const bool a = above(r, c), b = above(r, c + 1), d = above(r + 1, c), e = above(r + 1, c + 1);
    const Index top = across(r, c), bottom = across(r + 1, c), left = down(r, c), right = down(r, c + 1);
    std::array<Index, 4> crossed{};
    std::size_t count = 0;
    if (a != b) crossed[count++] = top;
    if (b != e) crossed[count++] = right;
    if (d != e) crossed[count++] = bottom;
    if (a != d) crossed[count++] = left;
    if (count == 2) join(crossed[0], crossed[1]);
    if (count < 4) return;
    const double middle = (values_(r, c) + values_(r, c + 1) + values_(r + 1, c) + values_(r + 1, c + 1)) / 4;
    const bool corner_a_is_connected = (middle >= level_) == a;
    join(top, corner_a_is_connected ? right : left);
    join(bottom, corner_a_is_connected ? left : right);
  }

  void join(Index p, Index q) {
    for (const auto& [from, to] : {std::pair(p, q), std::pair(q, p)}) {
      auto& link = links_[static_cast<std::size_t>(from)];
      (link[0] == none ? link[0] : link[1]) = to;
    }
  }

  [[nodiscard]] int neighbours(Index e) const {
    const auto& link = links_[static_cast<std::size_t>(e)];
    return (link[0] != none) + (link[1] != none);
  }

  /// Follows the line from e and takes it out of the links.
  std::vector<Point> walk(Index e) {
    std::vector<Point> points;
    while (e != none) {
      points.push_back(crossing(e));
      auto& link = links_[static_cast<std::size_t>(e)];
      const Index next = link[0] != none ? link[0] : link[1];
      link = {none, none};
      if (next != none)
        for (Index& back : links_[static_cast<std::size_t>(next)])
          if (back == e) {
            back = none;
            break;
          }
      e = next;
    }
    return points;
  }

  [[nodiscard]] Point crossing(Index edge) const {
    const Index r = edge / 2 / values_.cols(), c = edge / 2 % values_.cols();
    const bool goes_down = edge % 2;
    const double from = values_(r, c), to = goes_down ? values_(r + 1, c) : values_(r, c + 1);
    const double t = (level_ - from) / (to - from), x = static_cast<double>(c), y = static_cast<double>(r);
    return goes_down ? Point{x, y + t} : Point{x + t, y};
  }

  const Matrix<double>& values_;
  double level_;
  std::vector<std::array<Index, 2>> links_;
};

}  // namespace

std::vector<ContourLine> contour_lines(const Matrix<double>& values, double level) {
  return Tracer(values, level).lines();
}

std::vector<double> contour_levels(double low, double high, int about) {
  if (!(high > low)) return {};
  const double step = nice_step((high - low) / about);
  std::vector<double> levels;
  for (double k = std::ceil(low / step); k * step <= high; ++k) levels.push_back(k * step);
  return levels;
}

}  // namespace mercer::plot
