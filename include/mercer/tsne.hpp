// t-SNE (van der Maaten, Hinton 2008): a map whose Student-t neighbourhoods q match the Gaussian ones p of
// the data, KL(P‖Q) least. Gradients exactly for few points, by Barnes-Hut (2014) or by interpolation on a
// grid and the FFT (Linderman et al. 2019) for many. New points join a finished map, which stays as it is.
//
//     auto model = mercer::Tsne<float>::fit(samples, {.perplexity = 30});
#pragma once

#include <mercer/manifold.hpp>

namespace mercer {

enum class TsneGradient { automatic, exact, barnes_hut, interpolation };
enum class TsneStart { pca, laplacian, random };
[[nodiscard]] std::string_view name_of(TsneGradient gradient);
[[nodiscard]] std::string_view name_of(TsneStart start);
[[nodiscard]] TsneGradient parse_tsne_gradient(std::string_view name);
[[nodiscard]] TsneStart parse_tsne_start(std::string_view name);

struct TsneOptions {
  Index components = 2;  ///< 1, 2 or 3 (interpolation: 1 or 2)
  double perplexity = 30;
  Index iterations = 1000;
  Index exaggerated = 250;  ///< of these, the first with early exaggeration
  double exaggeration = 12;
  /// Of a quarter of KL's gradient, as van der Maaten's code has it; 0: n / exaggeration, at least 50
  /// (Belkina et al. 2019).
  double learning_rate = 0;
  TsneGradient gradient = TsneGradient::automatic;
  double angle = 0.5;  ///< Barnes-Hut's θ
  TsneStart start = TsneStart::pca;
  /// A map to begin with instead, n x components, not scaled: one of before, say, with its new points, and
  /// then without exaggeration.
  Matrix<double> initial = {};
  NeighborSearch search = NeighborSearch::automatic;
  Scale scale = Scale::none;
};

template <class T>
class Tsne final : public ManifoldModel<T> {
 public:
  static Tsne fit(const Samples<T>& samples, const TsneOptions& options = {}, const Run& run = {});
  static Tsne fit(const Dataset<T>& data, const TsneOptions& options = {}, const Run& run = {});
  static Plan plan(const Samples<T>& samples, const TsneOptions& options = {}, const Run& run = {});

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  double perplexity_ = 30;
};

}  // namespace mercer
