// Drawing indices with probability proportional to a weight, by prefix sums and binary search.
#pragma once

#include <mercer/matrix.hpp>

#include <algorithm>
#include <vector>

namespace mercer {

class WeightedDraw {
 public:
  explicit WeightedDraw(const Vector<double>& weights) : sums_(static_cast<std::size_t>(weights.size())) {
    double sum = 0;
    for (Index i = 0; i < weights.size(); ++i) sums_[static_cast<std::size_t>(i)] = sum += weights[i];
  }

  [[nodiscard]] double total() const { return sums_.empty() ? 0 : sums_.back(); }
  /// The index whose stretch of [0, total) holds uniform · total; one of weight 0 is never drawn.
  [[nodiscard]] Index operator()(double uniform) const {
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), uniform * total());
    if (found != sums_.end()) return found - sums_.begin();
    return std::lower_bound(sums_.begin(), sums_.end(), total()) - sums_.begin();  // rounded up to total
  }

 private:
  std::vector<double> sums_;
};

}  // namespace mercer
