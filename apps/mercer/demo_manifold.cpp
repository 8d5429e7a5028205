// The demo's rolled-up sheet (mission row M11): what each method makes of it, side by side.
#include "comparison.hpp"
#include "demo.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace mercer::app {
namespace {

/// The place on the sheet: the length of the spiral up to t, and the height.
Scores sheet_of(const Data& roll) {
  const Scores x = roll.samples.to_dense();
  Scores out(x.rows(), 2);
  for (Index i = 0; i < x.rows(); ++i) {
    const double t = roll.label->values[static_cast<std::size_t>(i)];
    out.row(i) << (t * std::sqrt(1 + t * t) + std::asinh(t)) / 2, x(i, 1);
  }
  return out;
}

/// The share of a sheet's variance that a linear function of the map explains, the worse of both directions.
double recovered(const Scores& map, const Scores& sheet) {
  Scores with_one(map.rows(), map.cols() + 1);
  with_one << map, Vector<double>::Ones(map.rows());
  const Scores wanted = sheet.rowwise() - sheet.colwise().mean();
  const Scores left = wanted - with_one * with_one.colPivHouseholderQr().solve(wanted).eval();
  return 1 - (left.colwise().squaredNorm().array() / wanted.colwise().squaredNorm().array()).maxCoeff();
}

Scores rows_of(const Scores& all, const std::vector<Index>& rows) {
  if (rows.empty()) return all;
  Scores out(static_cast<Index>(rows.size()), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<Index>(i)) = all.row(rows[i]);
  return out;
}

}  // namespace

void unrolled(Demo& demo) {
  const auto roll = generate("swiss-roll", 2000, 1);
  demo.title("A rolled-up sheet: who unrolls it?");
  const auto maps = compare<double>(
      roll, {.methods = {"pca", "kpca", "isomap", "lle", "mlle", "hlle", "laplacian", "mvu", "tsne"}},
      demo.run);
  const Scores sheet = sheet_of(roll);
  std::vector<std::string> shares;
  for (const auto& map : maps)
    shares.push_back(map.failure
                         ? fmt::format("{} failed", map.title)
                         : fmt::format("{} {:.0f} %", map.title,
                                       100 * std::max(0.0, recovered(map.points, rows_of(sheet, map.rows)))));
  demo.line(
      fmt::format("of the flat sheet, a linear function of the map recovers: {}", fmt::join(shares, ", ")));
  plot::maps(demo.path("swiss-roll.svg"), compared_maps(roll, maps), roll.label,
             styled("A rolled-up sheet of 2,000 points, coloured along the roll"));
  demo.fit<Isomap<double>>("swiss-roll-isomap", roll, IsomapOptions{});
  demo.list_written();
}

}  // namespace mercer::app
