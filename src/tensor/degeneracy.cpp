// Components that cancel each other, and swamps.
#include "tensor/degeneracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr double opposite = -0.9;
constexpr Index many_slow_sweeps = 200;

}  // namespace

template <class T>
std::vector<CancellingPair> cancelling_pairs(const Kruskal<T>& model, const Run& run) {
  Block<double> cosines = Block<double>::Ones(model.rank, model.rank);
  for (const Matrix<T>& f : model.factors) cosines = cosines.cwiseProduct(gram_of_rows(f, model.rank, run));
  const double whole = std::sqrt(std::max(0.0, model.weights.dot(cosines * model.weights)));
  std::vector<CancellingPair> out;
  for (Index r = 0; r < model.rank; ++r)
    for (Index s = r + 1; s < model.rank; ++s)
      if (cosines(r, s) < opposite && std::min(model.weights[r], model.weights[s]) > whole)
        out.push_back({r, s, cosines(r, s)});
  return out;
}

template <class T>
std::vector<std::string> degeneracy_warnings(const CpFit<T>& fit, double norm, const Run& run) {
  std::vector<std::string> out;
  for (const CancellingPair& pair : cancelling_pairs(fit.model, run))
    out.push_back(fmt::format(
        "components {} and {} almost cancel each other (cosine {:.4f}, weights {:.3g} and {:.3g} for "
        "an array of norm {:.3g}): at this rank there may be no best approximation, and single "
        "components mean little; try a smaller rank, or nonnegative factors",
        pair.first + 1, pair.second + 1, pair.cosine, fit.model.weights[pair.first],
        fit.model.weights[pair.second], norm));
  const auto sweeps = static_cast<Index>(fit.errors.size());
  if (fit.slow_sweeps > many_slow_sweeps)
    out.push_back(
        fmt::format("a swamp: {} of {} sweeps lowered the error by less than 0.01 % of itself; another "
                    "start or a smaller rank may do better",
                    fit.slow_sweeps, sweeps));
  return out;
}

#define MERCER_INSTANTIATE(T)                                                              \
  template std::vector<CancellingPair> cancelling_pairs<T>(const Kruskal<T>&, const Run&); \
  template std::vector<std::string> degeneracy_warnings<T>(const CpFit<T>&, double, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
