// Everything that is done with a model that somebody sent: info, transform, inverse, scores, pictures, and
// saved again. Whatever loads must stand all of it.
#pragma once

#include "fuzz/attempt.hpp"

#include <mercer/mercer.hpp>
#ifdef MERCER_FUZZ_PLOT
#include <mercer/plot.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace mercer::fuzz {

/// What is done beside the rest, of which the fuzzer does a part for each file.
struct Uses {
  bool growth = true, pictures = true;
};

/// Models that are larger than this are fine, and not what is looked for.
constexpr Index most_numbers = 1 << 16;

template <class T>
Matrix<T> some_rows(Index rows, Index cols) {
  Matrix<T> out(rows, cols);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<T>(std::cos(double(i)));
  return out;
}

/// New points, their scores, and the way back; dense and sparse.
template <class T>
void use_on_points(const Model<T>& model, const Uses& uses, const Run& run) {
  const Index d = model.features(), k = model.components();
  if (d < 1 || d > most_numbers / 4) return;
  const Matrix<T> fresh = some_rows<T>(3, d);
  attempt([&] {
    const Matrix<T> z = model.transform(Samples<T>(fresh), run);
    if (z.rows() != 3 || z.cols() != k) throw std::logic_error("scores of another size");
  });
  attempt([&] { (void)model.transform(Samples<T>(SparseMatrix<T>(fresh.sparseView())), run); });
  attempt([&] { (void)model.transform(Samples<T>(Matrix<T>(fresh.cwiseAbs())), run); });
  attempt([&] { (void)model.inverse(some_rows<T>(2, k), run); });
  attempt([&] {
    const auto points = model.training_points();
    if (points && points->rows() > 0) (void)model.transform(Samples<T>(Matrix<T>(points->topRows(1))), run);
  });
  attempt([&] {
    if (const auto loadings = model.loadings(); loadings && (loadings->rows() != d || loadings->cols() != k))
      throw std::logic_error("loadings of another size");
  });
  if (const auto* rule = dynamic_cast<const Discriminant<T>*>(&model))
    attempt([&] { (void)rule->predict(Samples<T>(fresh), Decision::automatic, run); });
  if (const auto* kernel_pca = dynamic_cast<const KernelPca<T>*>(&model); kernel_pca && uses.growth) {
    attempt([&] { (void)kernel_pca->mean_weights(); });
    attempt([&] { (void)kernel_pca->update(Samples<T>(fresh), {.max_rank = 20}, run).report().to_string(); });
    attempt([&] { (void)KernelPca<T>::merge(*kernel_pca, *kernel_pca, run).report().to_json(); });
  }
  if (const auto* tensor = dynamic_cast<const TensorModel<T>*>(&model)) {
    if (element_count(tensor->shape()) > most_numbers) return;
    attempt([&] { (void)tensor->reconstruction(run); });
    attempt([&] { (void)tensor->inverse_tensor(some_rows<T>(2, k), run); });
    attempt([&] { (void)tensor->factors(); });
  }
}

#ifdef MERCER_FUZZ_PLOT
template <class T>
void draw(const Model<T>& model, const Matrix<double>& scores, const std::string& picture) {
  attempt([&] { plot::scree(picture, model.report(), {}); });
  attempt([&] { (void)plot::captions(model.report()); });
  if (scores.cols() > 0 && scores.rows() < 1000)
    attempt(
        [&] { plot::scatter(picture, scores.leftCols(std::min<Index>(3, scores.cols())), model.label()); });
  if (const auto* tucker = dynamic_cast<const Tucker<T>*>(&model)) {
    Tensor<double> core(tucker->core().shape());
    core.values() = tucker->core().values().template cast<double>();
    attempt([&] { plot::heat_maps(picture, plot::core_maps(core.view()), true); });
  } else if (const auto* tensor = dynamic_cast<const TensorModel<T>*>(&model)) {
    std::vector<Block<double>> factors;
    attempt([&] {
      for (const auto& factor : tensor->factors()) factors.push_back(factor.template cast<double>());
      plot::curve_panels(picture, plot::factor_panels(factors));
    });
  }
}
#endif

template <class T>
void use(const Model<T>& model, const std::string& scratch, const Uses& uses) {
  Run run;
  run.threads = 1;
  run.memory = 64'000'000;
  (void)model.report().to_json();
  (void)model.report().to_string();
  (void)reconstruction_steps(model.report());
  Matrix<double> scores;
  attempt([&] {
    scores = model.scores().template cast<double>();
    if (scores.cols() != model.components()) throw std::logic_error("scores of another width");
  });
  use_on_points(model, uses, run);
#ifdef MERCER_FUZZ_PLOT
  if (uses.pictures) draw(model, scores, scratch + ".svg");
#endif
  model.save(scratch + ".again");
  if (load_model<T>(scratch + ".again")->report().to_json() != model.report().to_json())
    throw std::logic_error("a model changed on its way through a file");
}

/// Loads a file and does all of it; whether it loaded.
inline bool use_model_file(const std::string& path, const Uses& uses = {}) {
  return attempt([&] {
    if (model_precision(path) == Precision::float32)
      use(*load_model<float>(path), path, uses);
    else
      use(*load_model<double>(path), path, uses);
  });
}

}  // namespace mercer::fuzz
