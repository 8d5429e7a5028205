// Drawing pairs and averaging what remains between them.
#include "operator/remainder_sample.hpp"

#include "base/parallel.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

RemainderSample::RemainderSample(const Vector<double>& remaining, const Vector<double>& diagonal,
                                 double noise, Index count, std::uint64_t seed)
    : diagonal_(diagonal), noise_(noise), weights_(remaining + noise * diagonal) {
  const WeightedDraw draw(weights_);
  total_ = draw.total();
  if (!(total_ > 0)) return;
  Random random(seed, 0x7061697273ULL);
  pairs_.reserve(static_cast<std::size_t>(count));
  for (Index p = 0; p < count; ++p) {
    const Index i = draw(random.uniform());
    pairs_.emplace_back(i, draw(random.uniform()));
  }
}

double RemainderSample::mean(const std::function<double(Index)>& element, const Run& run) const {
  const auto count = static_cast<Index>(pairs_.size());
  if (count == 0) return 0;
  constexpr Index chunk = 512;
  const Index chunks = (count + chunk - 1) / chunk;
  Vector<double> sums = Vector<double>::Zero(chunks);
  parallel_for(chunks, run, [&](Index c) {
    for (Index p = c * chunk; p < std::min(count, (c + 1) * chunk); ++p) {
      const auto [i, j] = pairs_[static_cast<std::size_t>(p)];
      const double e = std::abs(element(p)) + noise_ * std::sqrt(diagonal_[i] * diagonal_[j]);
      sums[c] += std::min(1.0, e * e / (weights_[i] * weights_[j]));
    }
  });
  return sums.sum() / double(count);
}

}  // namespace mercer
