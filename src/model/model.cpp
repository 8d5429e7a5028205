// Model<T>: the checks that every method shares; each method computes in do_transform, do_inverse.
#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include "model/model_file.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace mercer {

template <class T>
Matrix<T> Model<T>::transform(const Samples<T>& points, const Run& run) const {
  if (points.cols() != features())
    throw Error(ErrorCode::bad_data,
                fmt::format("the points have {} column{}, and the {} model expects {}", points.cols(),
                            points.cols() == 1 ? "" : "s", method(), features()),
                "give the same feature columns as in the fit, without the label");
  if (!takes_gaps()) require_finite(points, "the points");
  if (points.rows() == 0) return Matrix<T>(0, components());
  Matrix<T> scores = do_transform(points, run);
  for (Index i = 0; i < scores.rows(); ++i)
    if (!scores.row(i).allFinite())
      throw Error(ErrorCode::bad_data,
                  fmt::format("the scores of row {} {}", i,
                              scores.row(i).array().isNaN().any() ? "are no numbers" : "overflow"),
                  std::is_same_v<T, float>
                      ? "rows count from 0; leave the row out, or fit with --precision double"
                      : "rows count from 0; leave the row out");
  return scores;
}

template <class T>
Matrix<T> Model<T>::inverse(const MatrixView<T>& scores, const Run& run) const {
  if (scores.cols() != components())
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the scores have {} column{}, and the {} model has {} component{}", scores.cols(),
                    scores.cols() == 1 ? "" : "s", method(), components(), components() == 1 ? "" : "s"));
  require_finite(Samples<T>::borrow(scores.data(), scores.rows(), scores.cols(), scores.outerStride()),
                 "the scores");
  return do_inverse(scores, run);
}

template <class T>
Matrix<T> Model<T>::do_inverse(const MatrixView<T>&, const Run&) const {
  throw Error(ErrorCode::usage,
              fmt::format("{} has no inverse: scores do not lead back to the input space", method()),
              "pca and kernel PCA of points have one");
}

template <class T>
void Model<T>::save(const std::string& path) const {
  ModelWriter writer(method(), precision_of<T>);
  writer.common(report_, label_, columns_);
  write(writer);
  writer.write_file(path);
}

Precision model_precision(const std::string& path) { return ModelFile(path).precision(); }

template class Model<float>;
template class Model<double>;

}  // namespace mercer
