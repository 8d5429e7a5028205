// Discriminant<T>: what linear and kernel discriminants know of their classes.
#include <mercer/discriminant.hpp>

#include "model/class_rule.hpp"
#include "model/model_file.hpp"

#include <fmt/format.h>

namespace mercer {

template <class T>
Label Discriminant<T>::predict(const Samples<T>& points, Decision decision, const Run& run) const {
  return classify(this->transform(points, run), decision);
}

template <class T>
Label Discriminant<T>::classify(const MatrixView<T>& scores, Decision decision) const {
  if (scores.cols() != this->components())
    throw Error(ErrorCode::bad_data, fmt::format("the scores have {} columns, and the {} model has {}",
                                                 scores.cols(), this->method(), this->components()));
  const ClassRule rule{centroids_, threshold()};
  const Label& known = *this->label_;
  Label out{known.column, classes(), rule.classify(scores.template cast<double>(), decision), {}};
  if (known.values.empty()) return out;
  std::vector<double> value_of(classes().size());
  for (std::size_t i = 0; i < known.codes.size(); ++i)
    value_of[static_cast<std::size_t>(known.codes[i])] = known.values[i];
  for (const std::int32_t code : out.codes) out.values.push_back(value_of[static_cast<std::size_t>(code)]);
  return out;
}

template <class T>
void Discriminant<T>::learn_classes(const Label& label, Matrix<T> scores) {
  scores_ = std::move(scores);
  this->label_ = label;
  const Matrix<double> z = scores_.template cast<double>();
  ClassRule rule = ClassRule::learn(z, label.codes, static_cast<Index>(label.names.size()));
  Discrimination& found = *this->report_.discrimination;
  found.classes = label.names;
  found.threshold = rule.threshold;
  const auto predicted = rule.classify(z, Decision::automatic);
  found.training_errors = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) found.training_errors += predicted[i] != label.codes[i];
  centroids_ = std::move(rule.centroids);
}

template <class T>
void Discriminant<T>::write_classes(ModelWriter& writer) const {
  const Discrimination& d = *this->report_.discrimination;
  writer.set("classes", d.classes);
  writer.array("class_sizes", std::vector<std::int64_t>(d.sizes.begin(), d.sizes.end()));
  writer.set("ridge", d.ridge);
  if (d.threshold) writer.set("threshold", *d.threshold);
  writer.set("training_errors", d.training_errors);
  writer.set("folds", d.folds);
  if (d.folds > 0) {
    std::vector<std::string> kernels;
    Matrix<double> numbers(static_cast<Index>(d.trials.size()), 3);
    for (std::size_t i = 0; i < d.trials.size(); ++i) {
      kernels.push_back(d.trials[i].kernel);
      numbers.row(static_cast<Index>(i)) << d.trials[i].ridge, d.trials[i].error, d.trials[i].deviation;
    }
    writer.set("trials.kernels", kernels);
    writer.matrix("trials", std::move(numbers));
    writer.set("trials.chosen", d.chosen);
  }
  writer.block("centroids", centroids_);
  writer.matrix("scores", scores_);
}

template <class T>
void Discriminant<T>::read_classes(ModelReader<T>& reader) {
  Discrimination d;
  d.classes = reader.texts("classes");
  const auto sizes = reader.template array<std::int64_t>("class_sizes");
  d.sizes.assign(sizes.begin(), sizes.end());
  d.ridge = reader.number("ridge");
  if (reader.has("threshold")) d.threshold = reader.number("threshold");
  d.training_errors = reader.count("training_errors");
  d.folds = reader.count("folds");
  const auto c = static_cast<Index>(d.classes.size()), k = this->report_.components;
  if (!this->label_ || this->label_->codes.empty() || this->label_->names != d.classes || c < 2 ||
      sizes.size() != d.classes.size())
    reader.damaged("its classes are not those of its label");
  std::vector<std::int64_t> counted(d.classes.size(), 0);
  for (const std::int32_t code : this->label_->codes) ++counted[static_cast<std::size_t>(code)];
  reader.require(counted == sizes && d.training_errors <= this->report_.n,
                 "its classes are not of the sizes that it says");
  if (d.threshold && (c != 2 || k != 1))
    reader.damaged("it has a threshold, but not two classes and one score");
  if (d.folds > 0) {
    const auto kernels = reader.texts("trials.kernels");
    reader.require_shape("trials", {static_cast<Index>(kernels.size()), 3});
    const Block<double> numbers = reader.wide_block("trials");
    d.chosen = reader.count("trials.chosen");
    if (d.chosen >= numbers.rows()) reader.damaged("the chosen trial is not among its trials");
    for (Index i = 0; i < numbers.rows(); ++i)
      d.trials.push_back({kernels[static_cast<std::size_t>(i)], numbers(i, 0), numbers(i, 1), numbers(i, 2)});
  }
  reader.require_shape("centroids", {c, k});
  reader.require_shape("scores", {this->report_.n, k});
  centroids_ = reader.wide_block("centroids");
  scores_ = reader.matrix("scores");
  this->report_.discrimination = std::move(d);
}

template class Discriminant<float>;
template class Discriminant<double>;

}  // namespace mercer
