// Landmarks by uniform choice and by k-means++.
#include "kernel/landmarks.hpp"

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/weighted_draw.hpp"
#include "kernel/primitives.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace mercer {
namespace {

constexpr Index rows_a_centre = 20;
constexpr int lloyd_steps = 3;
constexpr Index chunk_rows = 256;

/// For each row the nearest of the centres and the squared distance to it.
template <class T>
struct Nearest {
  std::vector<Index> centre;
  Vector<double> distance;

  Nearest(const Matrix<T>& rows, const Matrix<T>& centres, const Run& run)
      : centre(static_cast<std::size_t>(rows.rows())), distance(rows.rows()) {
    const RowSet<T> x = make_row_set<T>(rows, Primitive::sqdist, {}),
                    y = make_row_set<T>(centres, Primitive::sqdist, {});
    parallel_for((rows.rows() + chunk_rows - 1) / chunk_rows, run, [&](Index chunk) {
      const Index i0 = chunk * chunk_rows, count = std::min(chunk_rows, rows.rows() - i0);
      Matrix<T> tile(count, centres.rows());
      primitive_tile(Primitive::sqdist, x, i0, count, y, 0, centres.rows(), tile.data());
      for (Index i = 0; i < count; ++i)
        distance[i0 + i] = double(tile.row(i).minCoeff(&centre[static_cast<std::size_t>(i0 + i)]));
    });
  }
};

/// D² sampling: each centre is drawn in proportion to its squared distance from those before it.
template <class T>
Matrix<T> spread_centres(const Matrix<T>& rows, Index count, Random& random, const Run& run) {
  const Index n = rows.rows();
  Matrix<T> centres(count, rows.cols());
  Vector<double> distance = Vector<double>::Constant(n, std::numeric_limits<double>::infinity());
  Index next = static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
  for (Index c = 0; c < count; ++c) {
    run.check();
    centres.row(c) = rows.row(next);
    parallel_for((n + 4095) / 4096, run, [&](Index chunk) {
      const Index i0 = chunk * 4096, size = std::min<Index>(4096, n - i0);
      distance.segment(i0, size) =
          distance.segment(i0, size).cwiseMin((rows.middleRows(i0, size).rowwise() - centres.row(c))
                                                  .rowwise()
                                                  .squaredNorm()
                                                  .template cast<double>());
    });
    const WeightedDraw draw(distance);
    if (!(draw.total() > 0)) return centres.topRows(c + 1);  // no other point is left
    next = draw(random.uniform());
    run.report("landmarks", double(c + 1) / double(count));
  }
  return centres;
}

}  // namespace

std::vector<Index> uniform_rows(Index n, Index count, std::uint64_t seed, std::uint64_t stream) {
  count = std::min(n, count);
  // Fisher and Yates, remembering only the places that were changed.
  Random random(seed, 0x756e69666f726dULL + stream);
  std::unordered_map<Index, Index> moved;
  const auto at = [&](Index i) {
    const auto found = moved.find(i);
    return found == moved.end() ? i : found->second;
  };
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) {
    const Index j = i + static_cast<Index>(random.below(static_cast<std::uint64_t>(n - i)));
    out.push_back(at(j));
    moved[j] = at(i);
  }
  std::sort(out.begin(), out.end());
  return out;
}

template <class T>
std::vector<Index> kmeans_rows(const Samples<T>& samples, Index count, const Run& run) {
  if (samples.is_sparse())
    throw Error(ErrorCode::usage, "k-means landmarks need dense data",
                "choose --landmarks pivoted or uniform for sparse data");
  const Index n = samples.rows();
  count = std::min(count, n);
  const std::vector<Index> subset = uniform_rows(n, rows_a_centre * count, run.seed, 1);
  const Matrix<T> rows = samples.select_rows(subset).to_dense();
  Random random(run.seed, 0x6b6d65616e73ULL);
  Matrix<T> centres = spread_centres<T>(rows, count, random, run);
  for (int step = 0; step < lloyd_steps; ++step) {
    run.check();
    const Nearest<T> nearest(rows, centres, run);
    Matrix<double> sums = Matrix<double>::Zero(centres.rows(), centres.cols());
    Vector<double> members = Vector<double>::Zero(centres.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      const Index c = nearest.centre[static_cast<std::size_t>(i)];
      sums.row(c) += rows.row(i).template cast<double>();
      members[c] += 1;
    }
    for (Index c = 0; c < centres.rows(); ++c)
      if (members[c] > 0) centres.row(c) = (sums.row(c) / members[c]).template cast<T>();
  }
  // The row nearest to each centre, of all rows looked at.
  const Nearest<T> nearest(rows, centres, run);
  std::vector<Index> best(static_cast<std::size_t>(centres.rows()), -1);
  for (Index i = 0; i < rows.rows(); ++i) {
    Index& b = best[static_cast<std::size_t>(nearest.centre[static_cast<std::size_t>(i)])];
    if (b < 0 || nearest.distance[i] < nearest.distance[b]) b = i;
  }
  std::vector<Index> out;
  for (const Index b : best)
    if (b >= 0) out.push_back(subset[static_cast<std::size_t>(b)]);
  std::sort(out.begin(), out.end());
  return out;
}

template std::vector<Index> kmeans_rows(const Samples<float>&, Index, const Run&);
template std::vector<Index> kmeans_rows(const Samples<double>&, Index, const Run&);

}  // namespace mercer
