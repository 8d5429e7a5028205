// Eigenpairs of the geodesic kernel, which is kept as a triangle of tiles, and the maps they make.
#include "manifold/geodesic_map.hpp"

#include "base/linalg.hpp"
#include "base/parallel.hpp"
#include "operator/centered.hpp"
#include "operator/dense_operator.hpp"
#include "operator/tile_product.hpp"
#include "operator/triangle_operator.hpp"

#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

[[noreturn]] void no_path() { throw Error(ErrorCode::bad_data, "the graph is not in one piece"); }

double kernel_of(double length) { return -0.5 * length * length; }

SolveRequest solve_request(const GeodesicRequest& request) {
  SolveRequest out;
  out.components = request.components;
  out.residual = request.residual;
  out.strict = request.strict;
  // Negative eigenvalues are the rule here: a short look shows how large they are.
  out.bottom_count = 1;
  out.bottom_passes = 8;
  return out;
}

/// Drops what rounding could have made, centres the vectors and adds up what is known of the positive part.
void keep(GeodesicMap& out, const GeodesicRequest& request, double scale, Report& report) {
  keep_components(out.solved, Components(request.components),
                  rounding_threshold(out.solved, scale, epsilon, request.route), report);
  subtract_column_means<double>(out.solved.spectrum.vectors);
  // P − N = tr, and N/(P + N) is at least the negative share.
  const double share = std::min(out.solved.negative_share.value_or(0), 0.499);
  out.positive = std::max(out.solved.spectrum.values.sum(), out.solved.trace * (1 - share) / (1 - 2 * share));
}

/// Sums over pairs of a path's length d and a distance m in the map.
struct DistanceSums {
  double count = 0, d = 0, m = 0, dd = 0, mm = 0, dm = 0;

  template <class A, class B>
  void add(const A& lengths, const B& distances) {
    count += double(lengths.size());
    d += lengths.sum();
    m += distances.sum();
    dd += lengths.square().sum();
    mm += distances.square().sum();
    dm += (lengths * distances).sum();
  }
  void add(const DistanceSums& other) {
    count += other.count;
    d += other.d;
    m += other.m;
    dd += other.dd;
    mm += other.mm;
    dm += other.dm;
  }
  /// 1 − R²
  [[nodiscard]] double residual_variance() const {
    if (count == 0) return 0;
    const double together = dm - d * m / count, lengths = dd - d * d / count, distances = mm - m * m / count;
    if (!(lengths > 0) || !(distances > 0)) return 0;
    return std::max(0.0, 1 - together * together / (lengths * distances));
  }
};

/// Parts are summed by several threads and added in order.
template <class F>
double residual_variance(Index parts, const Run& run, const F& sums_of_part) {
  std::vector<DistanceSums> sums(static_cast<std::size_t>(parts));
  parallel_for(parts, run, [&](Index p) { sums[static_cast<std::size_t>(p)] = sums_of_part(p); });
  DistanceSums total;
  for (const DistanceSums& s : sums) total.add(s);
  return total.residual_variance();
}

using Row = Eigen::Array<double, Eigen::Dynamic, 1>;

/// Distances in the map (a column a coordinate) from one point to those from `first` on.
void map_distances(const Block<double>& map, Index from, Index first, Eigen::Ref<Row> out) {
  out.setZero();
  for (Index c = 0; c < map.cols(); ++c)
    out += (map.col(c).segment(first, out.size()).array() - map(from, c)).square();
  out = out.sqrt();
}

GeodesicMap dense_map(const PathFinder& paths, const GeodesicRequest& request, Report& report, const Lap& lap,
                      const Run& run) {
  const Index n = paths.size();
  Block<double> k(n, n);
  paths.from_all(
      [&](const PathBatch& batch) {
        for (Index l = 0; l < batch.count(); ++l) {
          const Index source = batch.sources[static_cast<std::size_t>(l)];
          for (Index p = 0; p < n; ++p)
            if (const Index v = paths.order()[static_cast<std::size_t>(p)]; v <= source)
              k(source, v) = k(v, source) = kernel_of(batch(l, p));
        }
      },
      run);
  if (!k.allFinite()) no_path();
  lap("paths");

  GeodesicMap out;
  const Vector<double> sums = row_sums(k), means = sums / double(n);
  const double scale = std::abs(sums.sum()) / double(n);
  out.row_means = -2 * means;
  Block<double> centered = k;
  centered.colwise() -= means;
  centered.rowwise() -= means.transpose();
  centered.array() += means.mean();
  out.solved = solve_dense<double>(std::move(centered), solve_request(request), run);
  lap("solve");
  keep(out, request, scale, report);
  const Spectrum<double>& s = out.solved.spectrum;
  const Block<double> map = s.vectors * s.values.cwiseSqrt().asDiagonal();
  out.residual_variance = residual_variance(n, run, [&](Index i) {
    DistanceSums sum;
    Row distances(i);
    map_distances(map, i, 0, distances);
    sum.add((-2 * k.col(i).head(i).array()).sqrt().eval(), distances);
    return sum;
  });
  out.points = map;
  lap("map");
  return out;
}

/// All pairs, by the tiles: as exact as float's digits, which is far more than anybody reads of it.
double residual_variance_of(const TriangleOperator& kernel, const Block<double>& map, const Run& run) {
  const Index n = kernel.size();
  return residual_variance(kernel.tile_rows(), run, [&](Index i) {
    DistanceSums sum;
    std::vector<float> values(static_cast<std::size_t>(tile::plane));
    Row lengths(tile::size), distances(tile::size);
    for (Index j = 0; j <= i; ++j) {
      run.check();
      kernel.read(i, j, values.data());
      for (Index r = 0; r < std::min(tile::size, n - i * tile::size); ++r) {
        const Index count = i == j ? r : tile::size;
        const Eigen::Map<const Eigen::ArrayXf> k(values.data() + r * tile::size, count);
        lengths.head(count) = (k * static_cast<float>(-2)).sqrt().cast<double>() / std::sqrt(kernel.scale());
        map_distances(map, i * tile::size + r, j * tile::size, distances.head(count));
        sum.add(lengths.head(count), distances.head(count));
      }
    }
    return sum;
  });
}

GeodesicMap tiled_map(const PathFinder& paths, const GeodesicRequest& request, Report& report, const Lap& lap,
                      const Run& run) {
  const Index n = paths.size();
  const double longest = paths.longest_link();
  TriangleOperator kernel(n, longest * longest);
  Vector<double> sums(n), squares(n);
  paths.from_all(
      [&](const PathBatch& batch) {
        using Eight = Eigen::Array<double, path_batch, 1>;
        const auto kernel_column = [&](Index p) -> Eight {
          return -0.5 * Eigen::Map<const Eight>(batch.lengths + p * path_batch).square();
        };
        Eight sum = Eight::Zero(), square = Eight::Zero();
        for (Index p = 0; p < n; ++p) {
          const Eight k = kernel_column(p);
          sum += k;
          square += k.square();
        }
        sums.segment(batch.first, batch.count()) = sum.head(batch.count());
        squares.segment(batch.first, batch.count()) = square.head(batch.count());
        if (!sum.head(batch.count()).isFinite().all()) no_path();
        kernel.put(batch.first, [&](Index c, double* out) { Eigen::Map<Eight>{out} = kernel_column(c); });
      },
      run);
  GeodesicMap out;
  const double scale = std::abs(sums.sum()) / double(n);
  out.row_means.resize(n);
  for (Index p = 0; p < n; ++p)
    out.row_means[paths.order()[static_cast<std::size_t>(p)]] = -2 * sums[p] / double(n);
  kernel.set_sums(0, squares.sum(), std::move(sums));
  lap("paths");

  out.solved = solve_iteratively<double>(CenteredOperator<double>(kernel), solve_request(request), run);
  lap("solve");
  keep(out, request, scale, report);
  const Spectrum<double>& s = out.solved.spectrum;
  const Block<double> map = s.vectors * s.values.cwiseSqrt().asDiagonal();
  out.residual_variance = residual_variance_of(kernel, map, run);
  out.points.resize(n, map.cols());
  for (Index p = 0; p < n; ++p) out.points.row(paths.order()[static_cast<std::size_t>(p)]) = map.row(p);
  lap("map");
  return out;
}

}  // namespace

GeodesicMap geodesic_map(const PathFinder& paths, const GeodesicRequest& request, Report& report,
                         const Lap& lap, const Run& run) {
  return request.route == Route::dense ? dense_map(paths, request, report, lap, run)
                                       : tiled_map(paths, request, report, lap, run);
}

GeodesicMap landmark_map(const PathFinder& paths, const std::vector<Index>& landmarks,
                         const GeodesicRequest& request, Report& report, const Lap& lap, const Run& run) {
  const Index n = paths.size(), m = static_cast<Index>(landmarks.size());
  Block<double> squared(n, m);  // of paths to vertices, a column a landmark
  paths.from(
      landmarks,
      [&](const PathBatch& batch) {
        for (Index l = 0; l < batch.count(); ++l)
          for (Index p = 0; p < n; ++p)
            squared(paths.order()[static_cast<std::size_t>(p)], batch.sources[static_cast<std::size_t>(l)]) =
                batch(l, p) * batch(l, p);
      },
      run);
  if (!squared.allFinite()) no_path();
  lap("paths");

  GeodesicMap out;
  Block<double> kernel(m, m);
  for (Index j = 0; j < m; ++j)
    for (Index i = j; i < m; ++i)
      kernel(i, j) = kernel(j, i) = -0.5 * squared(landmarks[static_cast<std::size_t>(i)], j);
  const Vector<double> means = kernel.rowwise().mean();
  const double scale = std::abs(means.sum());
  out.row_means = -2 * means;
  kernel.colwise() -= means;
  kernel.rowwise() -= means.transpose();
  kernel.array() += means.mean();
  out.solved =
      request.route == Route::dense
          ? solve_dense<double>(std::move(kernel), solve_request(request), run)
          : solve_iteratively<double>(DenseOperator<double>(std::move(kernel)), solve_request(request), run);
  lap("solve");
  keep(out, request, scale, report);

  // y = −½ Λ^−½ Vᵀ(d² − mean)
  const Spectrum<double>& s = out.solved.spectrum;
  const Block<double> weights = -0.5 * s.vectors * s.values.cwiseSqrt().cwiseInverse().asDiagonal();
  Block<double> map(n, weights.cols());
  map.rowwise() = -(out.row_means.transpose() * weights);
  linalg::add_product<double>(1, squared, weights, map);
  out.points = map;
  out.residual_variance = residual_variance(m, run, [&](Index j) {
    DistanceSums sum;
    Row distances(n);
    const Index landmark = landmarks[static_cast<std::size_t>(j)];
    map_distances(map, landmark, 0, distances);
    const Row lengths = squared.col(j).array().sqrt();
    sum.add(lengths.head(landmark), distances.head(landmark));
    sum.add(lengths.tail(n - landmark - 1), distances.tail(n - landmark - 1));
    return sum;
  });
  lap("map");
  return out;
}

double geodesic_bytes(Index n, Index components, Route route, int threads) {
  const double points = double(n), square = points * points * sizeof(double);
  if (route == Route::dense) return 4 * square;
  // The basis and its images, some vectors beside.
  const double basis = points * sizeof(double) * 2 * (4 * double(components) + 300);
  return TriangleOperator::bytes(n, 8, threads) + basis;
}

double landmark_bytes(Index n, Index landmarks, Index components, Route route) {
  const double m = double(landmarks), square = m * m * sizeof(double);
  const double solve =
      route == Route::dense ? 4 * square : square + m * sizeof(double) * 2 * (4 * double(components) + 300);
  return double(n) * m * sizeof(double) + solve;
}

}  // namespace mercer
