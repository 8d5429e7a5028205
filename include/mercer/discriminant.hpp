// Linear and kernel discriminants (mission row M9): directions along which classes lie far apart while each
// stays close together, and the class of new points.
//
//     auto iris = mercer::read_dataset<double>("iris.csv", {.label = "species"});
//     auto model = mercer::KernelDiscriminant<double>::fit(iris, {.ridge = 1e-3});
//     mercer::Label found = model.predict(new_points);      // found.names[found.codes[i]]
//     auto z = model.transform(new_points);                 // at most c − 1 scores each
//
// Linear: S_W = Σ_j Σ_{x in j}(x − m_j)(x − m_j)ᵀ, S_B = Σ_j N_j(m_j − m)(m_j − m)ᵀ, the leading w of
// (S_W + μI)⁻¹S_B. Kernel (Mika et al. 1999; Baudat and Anouar 2000): w = Σ_i α_i φ(x_i),
// (M_j)_i = mean over class j of k(x_i, ·), N = Σ_j K_j(I − 11ᵀ/N_j)K_jᵀ, M = Σ_j N_j(M_j − M̄)(M_j − M̄)ᵀ, the
// leading α of (N + μI)⁻¹M; score of x: Σ_i α_i k(x_i, x). N is singular, so μ > 0.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

/// How a score becomes a class.
enum class Decision {
  automatic,  ///< threshold where there are two classes, centroid otherwise
  threshold,  ///< two classes: where two Gaussians of one variance, weighted by their sizes, are equally high
  centroid,   ///< the class whose mean score is nearest
};
[[nodiscard]] Decision parse_decision(std::string_view name);

/// What linear and kernel discriminants share: classes, and the prediction of them.
template <class T>
class Discriminant : public Model<T> {
 public:
  [[nodiscard]] const std::vector<std::string>& classes() const {
    return this->report_.discrimination->classes;
  }
  /// Mean score of each class, a row each.
  [[nodiscard]] const Block<double>& centroids() const { return centroids_; }
  [[nodiscard]] std::optional<double> threshold() const { return this->report_.discrimination->threshold; }
  /// Classes of new points: codes into classes().
  [[nodiscard]] Label predict(const Samples<T>& points, Decision decision = Decision::automatic,
                              const Run& run = {}) const;
  /// Classes of points whose scores are known.
  [[nodiscard]] Label classify(const MatrixView<T>& scores, Decision decision = Decision::automatic) const;
  [[nodiscard]] Matrix<T> scores() const override { return scores_; }

 protected:
  Discriminant() = default;
  /// Scores of the training points, centroids, threshold, training errors.
  void learn_classes(const Label& label, Matrix<T> scores);
  void write_classes(ModelWriter& writer) const;
  void read_classes(ModelReader<T>& reader);

 private:
  Matrix<T> scores_;
  Block<double> centroids_;
};

struct LinearDiscriminantOptions {
  Index components = 0;  ///< 0: all, classes − 1 at most
  double ridge = 0;      ///< μ, absolute; 0 where S_W has full rank
  Scale scale = Scale::none;
};

template <class T>
class LinearDiscriminant final : public Discriminant<T> {
 public:
  static LinearDiscriminant fit(const Samples<T>& samples, const Label& label,
                                const LinearDiscriminantOptions& options = {}, const Run& run = {});
  static LinearDiscriminant fit(const Dataset<T>& data, const LinearDiscriminantOptions& options = {},
                                const Run& run = {});
  static Plan plan(const Samples<T>& samples, const LinearDiscriminantOptions& options = {},
                   const Run& run = {});

  [[nodiscard]] Index features() const override { return directions_.rows(); }
  /// d x k; the scores within a class have variance 1, pooled over classes (with a ridge: at most).
  [[nodiscard]] const Block<T>& directions() const { return directions_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Block<T> directions_;
  Vector<double> mean_;
  Scaling<T> scaling_;
};

struct KernelDiscriminantOptions {
  Index components = 0;  ///< 0: all, classes − 1 at most
  Kernel kernel = {};    ///< default rbf(gamma=median)
  double ridge = 1e-3;   ///< μ, absolute
  Scale scale = Scale::none;
  Route route = Route::automatic;  ///< dense, or lowrank when asked for
  LowRank lowrank = {};
};

/// What cross-validation tries. What is fixed stays fixed: widths vary where gamma is median or auto.
struct DiscriminantSearch {
  Index folds = 5;
  /// Factors for gamma; empty: 4^-3 … 4^4.
  std::vector<double> widths = {};
  /// Empty: ten powers of ten up to the size of N's mean eigenvalue.
  std::vector<double> ridges = {};
  Decision decision = Decision::automatic;
};

template <class T>
class KernelDiscriminant final : public Discriminant<T> {
 public:
  static KernelDiscriminant fit(const Samples<T>& samples, const Label& label,
                                const KernelDiscriminantOptions& options = {}, const Run& run = {});
  static KernelDiscriminant fit(const Dataset<T>& data, const KernelDiscriminantOptions& options = {},
                                const Run& run = {});
  /// Chooses kernel width and ridge by cross-validation, then fits; the trials are in the report.
  static KernelDiscriminant search(const Samples<T>& samples, const Label& label,
                                   const KernelDiscriminantOptions& options,
                                   const DiscriminantSearch& search = {}, const Run& run = {});
  static KernelDiscriminant search(const Dataset<T>& data, const KernelDiscriminantOptions& options,
                                   const DiscriminantSearch& search = {}, const Run& run = {});
  static Plan plan(const Samples<T>& samples, const KernelDiscriminantOptions& options = {},
                   const Run& run = {});

  [[nodiscard]] Index features() const override {
    return kernel_.is_precomputed() ? alpha_.rows() : points_.cols();
  }
  [[nodiscard]] std::optional<Matrix<T>> training_points() const override;
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Block<T>& alpha() const { return alpha_; }      ///< a row for each of points()
  [[nodiscard]] const Samples<T>& points() const { return points_; }  ///< scaled: all, or the landmarks

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  void fit_dense(const Samples<T>& samples, const Label& label, const KernelDiscriminantOptions& options,
                 const Run& run);
  void fit_low_rank(const Samples<T>& samples, const Label& label, const KernelDiscriminantOptions& options,
                    const Run& run);
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Kernel kernel_;
  Samples<T> points_;
  Block<T> alpha_;
  Scaling<T> scaling_;
};

extern template class Discriminant<float>;
extern template class Discriminant<double>;

}  // namespace mercer
