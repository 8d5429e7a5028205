// Seconds of maps.
#include "manifold/map_seconds.hpp"

#include "graph/search_cost.hpp"
#include "graph/search_trial.hpp"
#include "graph/suitable_search.hpp"
#include "plan/calibration.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// The share of the GEMM rate that distances with the nearest kept reach.
constexpr double search_share = 0.5;

template <class T>
double search_seconds(const Samples<T>& samples, NeighborSearch search, const MachineRates& rates,
                      const Run& run) {
  const double n = double(samples.rows()), d = double(samples.cols()), cores = double(run.thread_count());
  switch (search == NeighborSearch::automatic ? suitable_search(samples, run) : search) {
    case NeighborSearch::kdtree:
      return kdtree_core_seconds(n, d) / cores;
    case NeighborSearch::hnsw:
      return hnsw_core_seconds(n, d) / cores;
    default:
      if (samples.is_sparse()) return brute_core_seconds(samples) / cores;
      return tried_share(samples, run) * distance_flops(samples) /
             (search_share * (sizeof(T) == 4 ? rates.gemm_float : rates.gemm_double));
  }
}

}  // namespace

template <class T>
double map_seconds(const Plan& plan, const Samples<T>& samples, NeighborSearch search, double share,
                   const MachineRates& rates, const Run& run) {
  const double rest = std::max(0.0, plan.flops - distance_flops(samples));
  return search_seconds(samples, search, rates, run) + rest / (share * rates.gemm_double);
}

template <class T>
void estimate_map_seconds(Plan& plan, const Samples<T>& samples, NeighborSearch search, double share,
                          const Run& run) {
  plan.seconds = map_seconds(plan, samples, search, share, machine_calibration().rates(run), run);
}

#define MERCER_INSTANTIATE(T)                                                                              \
  template double map_seconds(const Plan&, const Samples<T>&, NeighborSearch, double, const MachineRates&, \
                              const Run&);                                                                 \
  template void estimate_map_seconds(Plan&, const Samples<T>&, NeighborSearch, double, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
