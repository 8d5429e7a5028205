// Model<T>: what every fitted method can do: transform new points, go back where that is possible,
// say what it is, be saved and loaded. Models are immutable.
//
//     auto model = mercer::load_model<double>("digits.mercer");
//     mercer::Matrix<double> scores = model->transform(new_points);
#pragma once

#include <mercer/basis.hpp>
#include <mercer/dataset.hpp>
#include <mercer/kernel.hpp>
#include <mercer/report.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>

#include <map>
#include <memory>
#include <string>

namespace mercer {

class ModelWriter;  // src/model/model_file.hpp
template <class T>
class ModelReader;  // src/model/model_file.hpp

template <class T>
class Model {
 public:
  virtual ~Model() = default;

  /// Scores of new points, one row each; the points have features() columns.
  [[nodiscard]] Matrix<T> transform(const Samples<T>& points, const Run& run = {}) const;
  /// Back to the input space; throws Error{usage} where the method has no inverse.
  [[nodiscard]] Matrix<T> inverse(const MatrixView<T>& scores, const Run& run = {}) const;

  [[nodiscard]] virtual Index features() const = 0;  ///< columns of the points it takes
  [[nodiscard]] Index components() const { return report().components; }
  [[nodiscard]] const std::string& method() const { return report().method; }
  [[nodiscard]] const Report& report() const { return report_; }
  /// Scores of the training points.
  [[nodiscard]] virtual Matrix<T> scores() const = 0;
  /// The training points as they were given (before scaling), where the model keeps them.
  [[nodiscard]] virtual std::optional<Matrix<T>> training_points() const { return std::nullopt; }
  /// What each component is made of, features x components, where it is a direction of the (scaled) input
  /// space.
  [[nodiscard]] virtual std::optional<Block<T>> loadings() const { return std::nullopt; }
  /// May points have gaps (NaN, or entries that a sparse row does not store)?
  [[nodiscard]] virtual bool takes_gaps() const { return false; }
  /// The label column of the training data, if there was one (perhaps its name alone).
  [[nodiscard]] const std::optional<Label>& label() const { return label_; }
  /// Names of the input columns, if there were any.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  void save(const std::string& path) const;

 protected:
  Model() = default;
  Report report_;
  std::optional<Label> label_;
  std::vector<std::string> columns_;

 private:
  [[nodiscard]] virtual Matrix<T> do_transform(const Samples<T>& points, const Run& run) const = 0;
  [[nodiscard]] virtual Matrix<T> do_inverse(const MatrixView<T>& scores, const Run& run) const;
  virtual void write(ModelWriter& writer) const = 0;

  friend class ModelReader<T>;
  friend class ModelWriter;
};

struct LoadOptions {
  /// The C++ functions behind kernels made by Kernel::from_tiles or from_pairs, by name.
  std::map<std::string, Kernel> kernels = {};
  /// The C++ functions behind bases made by Basis::from_functions, by name.
  std::map<std::string, Basis> bases = {};
};

/// float or double? Reads only the header.
[[nodiscard]] Precision model_precision(const std::string& path);
template <class T>
[[nodiscard]] std::unique_ptr<Model<T>> load_model(const std::string& path, const LoadOptions& options = {});

extern template class Model<float>;
extern template class Model<double>;

}  // namespace mercer
