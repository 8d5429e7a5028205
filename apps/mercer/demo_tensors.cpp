// The demo's N-way arrays (mission rows M15, M16): spectra found in mixtures, digits kept in small cores.
#include "demo.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::app {
namespace {

/// Of two columns, whatever their means and lengths.
double correlation(const Vector<double>& a, const Vector<double>& b) {
  const Vector<double> x = a.array() - a.mean(), y = b.array() - b.mean();
  return x.dot(y) / (x.norm() * y.norm());
}

/// For each planted column, how well the best found one follows it.
double worst_match(const Block<double>& planted, const Block<double>& found) {
  double worst = 1;
  for (Index r = 0; r < planted.cols(); ++r) {
    double best = -1;
    for (Index s = 0; s < found.cols(); ++s) best = std::max(best, correlation(planted.col(r), found.col(s)));
    worst = std::min(worst, best);
  }
  return worst;
}

}  // namespace

void mixtures(Demo& demo) {
  const auto mix = generate_tensor("fluorescence", 20, 1);
  demo.title("Light of 20 mixtures of three substances: what are they made of?");
  const auto model = Cp<double>::fit(mix.values.view(), {.rank = 3, .nonnegative = true}, demo.run);
  model.save(demo.path("mixtures.mercer"));
  write_table<double>(demo.path("mixtures-scores.csv"), model.scores(), component_names(3));
  const Decomposition& d = *model.report().decomposition;
  const auto factors = model.factors();
  demo.line(fmt::format("CP explains {:.2f} % with {} of {} numbers; core consistency {:.0f} %",
                        100 * d.explained, d.kept, d.known, d.core_consistency.value_or(0)));
  demo.line(
      fmt::format("amounts and both spectra come out as they were put in: correlations of at least {:.4f}",
                  std::min({worst_match(mix.factors[0], factors[0]), worst_match(mix.factors[1], factors[1]),
                            worst_match(mix.factors[2], factors[2])})));
  plot::curve_panels(demo.path("mixtures.svg"), plot::factor_panels(factors, mix.modes),
                     styled("What CP finds in the mixtures"));
  demo.list_written();
}

void digit_cores(Demo& demo) {
  const auto data = read_dataset<double>(example_file("digits.csv.gz"), {.label = "64"}, demo.run);
  const Scores rows = data.samples.to_dense();
  const auto stack = TensorView<double>::last_fastest(rows.data(), {rows.rows(), 8, 8});
  demo.title("The digits as pictures: 2D-SVD keeps rows and columns of them");
  constexpr Index shown = 14;
  std::vector<plot::PictureRow> pictures{{"originals", rows.topRows(shown)}};
  std::vector<std::string> errors;
  for (const Index rank : {6, 5, 4, 3, 2}) {
    const auto model = Svd2d<double>::fit(stack, {.ranks = {rank, rank}}, demo.run);
    const double rms = *model.report().decomposition->rms_error;
    pictures.push_back({fmt::format("cores {} x {}: {} numbers a picture instead of 64, {:.1f} % explained",
                                    rank, rank, rank * rank, 100 * model.report().decomposition->explained),
                        model.inverse(model.scores().topRows(shown), demo.run)});
    errors.push_back(fmt::format("{} x {}: {:.1f}", rank, rank, rms));
    if (rank == 4) model.save(demo.path("digits-svd2d.mercer"));
  }
  demo.line(fmt::format("error of a picture (rms) by the size of its core: {}", fmt::join(errors, ", ")));
  plot::gallery(demo.path("digits-svd2d.svg"), pictures, 8, 8, styled("Digits from small cores"));
  demo.list_written();
}

}  // namespace mercer::app
