// Seconds of searches, by constants that were measured.
#include "graph/search_cost.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

double kdtree_core_seconds(double n, double d) { return 130e-9 * d * n * std::log2(n + 1); }

double hnsw_core_seconds(double n, double d) { return 1e-9 * n * std::log2(n + 1) * (105 * d + 2000); }

double brute_row_seconds(Index n, double terms) { return 1e-9 * double(n) * (0.0145 * terms + 0.25); }

double axes_seconds(Index d) {
  const double size = double(std::min<Index>(d, 1000));  // of the eigenproblem; twice as many points make it
  return 25e-12 * (2 * double(d) * 2 * size * size + 4 * size * size * size);
}

double shadow_seconds(Index n, Index d, Index m) { return 60e-12 * double(n) * double(d) * double(m); }

double look_seconds(double bytes) { return 1e-9 * (0.12 * bytes + 30); }

template <class T>
double brute_core_seconds(const Samples<T>& points) {
  const double n = double(points.rows());
  const double terms = points.is_sparse() ? 20 * double(points.stored()) / n : double(points.cols());
  return n * brute_row_seconds(points.rows(), terms);
}

template double brute_core_seconds(const Samples<float>&);
template double brute_core_seconds(const Samples<double>&);

}  // namespace mercer
