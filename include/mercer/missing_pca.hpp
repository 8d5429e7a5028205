// PCA of a table with gaps (mission row M10: movies x users, where most ratings are missing): X ≈ Z Uᵀ + μ
// fitted to the known entries alone, by alternating least squares with a ridge. Unknown is NaN in dense data
// and whatever is not stored in sparse data, which is never filled in. The ridge is chosen by, and the
// report says, the error on known entries that were hidden from a first fit.
//
//     auto ratings = mercer::read_dataset<double>("ratings.libsvm", {.missing = mercer::Missing::fit});
//     auto model = mercer::MissingPca<double>::fit(ratings, {.components = 5});
//     model.report().gaps->held_out_error;
//     mercer::Matrix<double> filled = model.inverse(model.scores());
#pragma once

#include <mercer/model.hpp>
#include <mercer/plan.hpp>
#include <mercer/scaling.hpp>

#include <optional>

namespace mercer {

struct MissingPcaOptions {
  Components components = 2;  ///< a count
  bool center = true;         ///< with a mean that is fitted along
  Scale scale = Scale::none;  ///< by the known entries
  /// In units of singular values; none: the best of several on held-out entries.
  std::optional<double> ridge = std::nullopt;
  double held_out = 0.1;    ///< share of the known entries hidden from the first fit; 0: none
  double tolerance = 1e-6;  ///< stop when a sweep lowers the objective by less, relatively
  Index max_sweeps = 2000;
};

template <class T>
class MissingPca final : public Model<T> {
 public:
  /// Without gaps and without a ridge this is PCA. Throws Error{bad_data} for a row or a column of which
  /// nothing is known.
  static MissingPca fit(const Samples<T>& samples, const MissingPcaOptions& options = {},
                        const Run& run = {});
  static MissingPca fit(const Dataset<T>& data, const MissingPcaOptions& options = {}, const Run& run = {});
  static Plan plan(const Samples<T>& samples, const MissingPcaOptions& options = {}, const Run& run = {});

  [[nodiscard]] Index features() const override { return directions_.rows(); }
  [[nodiscard]] Matrix<T> scores() const override { return scores_; }
  [[nodiscard]] const Block<T>& directions() const { return directions_; }  ///< d x k, orthonormal
  [[nodiscard]] std::optional<Block<T>> loadings() const override { return directions_; }
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }  ///< zeros if not centred
  /// New points may have gaps, as in the fit; one of which nothing is known lies at the mean.
  [[nodiscard]] bool takes_gaps() const override { return true; }

  static std::unique_ptr<Model<T>> read(ModelReader<T>& reader);  ///< used by load_model

 private:
  Matrix<T> do_transform(const Samples<T>& points, const Run& run) const override;
  Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const override;
  void write(ModelWriter& writer) const override;

  Block<T> directions_;
  Vector<double> mean_;
  Vector<double> penalty_;  ///< of each squared score: ridge over the component's singular value
  Scaling<T> scaling_;
  Matrix<T> scores_;
};

}  // namespace mercer
