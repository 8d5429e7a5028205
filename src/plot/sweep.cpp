// sweep(): what tune() found, as curves over the width.
#include "plot/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::plot {
namespace {

/// rbf(gamma=0.5) -> rbf, poly(degree=2, gamma=0.5, coef0=1) -> poly(degree=2, coef0=1): without the width,
/// which tells the trials of a family apart.
std::string without_width(const Kernel& kernel) {
  std::string text = kernel.to_string();
  for (const std::string key : {"gamma=", "length="})
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
      const auto end = text.find_first_of(",)", at);
      const bool first = text[at - 1] == '(', last = text[end] == ')';
      const auto from = last && !first ? at - 2 : at;  // with the comma before it, or else the one behind it
      text.erase(from, (last ? end : end + 2) - from);
    }
  for (auto at = text.find("()"); at != std::string::npos; at = text.find("()", at)) text.erase(at, 2);
  return text;
}

double criterion(const Trial& trial, TuneBy by) {
  if (by == TuneBy::accuracy) return *trial.accuracy;
  return by == TuneBy::alignment ? *trial.alignment : trial.error;
}

std::string name_of_axis(TuneBy by) {
  if (by == TuneBy::accuracy) return "accuracy of held-out neighbours";
  return by == TuneBy::alignment ? "alignment with the classes" : "held-out error of pre-images";
}

/// A curve a family; where nothing was swept, a level line.
std::vector<Curve> curves_of(const Tuning& tuning) {
  std::vector<Trial> trials = tuning.trials;
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.width < b.width; });
  std::size_t families = 0;
  for (const Trial& trial : trials) families = std::max(families, trial.family + 1);
  std::vector<Curve> out(families);
  for (const Trial& trial : trials) {
    Curve& curve = out[trial.family];
    curve.name = without_width(trial.kernel);
    curve.x.push_back(trial.width);
    curve.y.push_back(criterion(trial, tuning.by));
  }
  const double first = trials.front().width, last = trials.back().width;
  for (Curve& curve : out)
    if (curve.x.size() == 1) {
      curve.x = first < last ? std::vector{first, last} : std::vector{0.5, 2.0};
      curve.y.push_back(curve.y.front());
    }
  return out;
}

}  // namespace

void sweep(const std::string& path, const Tuning& tuning, const Style& style) {
  Style own = style;
  if (own.title.empty())
    own.title = fmt::format("Choosing a kernel, with {} component{}", tuning.swept_with,
                            tuning.swept_with == 1 ? "" : "s");
  if (own.axes.empty())
    own.axes = {"gamma, as a multiple of the median heuristic's", name_of_axis(tuning.by)};
  curves(path, curves_of(tuning), true, own);
}

}  // namespace mercer::plot
