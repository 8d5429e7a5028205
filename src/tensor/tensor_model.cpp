// TensorModel<T>: arrays in, arrays out; the rows of Model<T> in between.
#include <mercer/error.hpp>
#include <mercer/tensor_model.hpp>

#include "tensor/fibers.hpp"
#include "tensor/sample_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mercer {
namespace {

/// Elements copied to rows at a time.
constexpr Index chunk_elements = Index{1} << 22;

Index rows_at_once(Index features) {
  return std::max<Index>(1, chunk_elements / std::max<Index>(1, features));
}

[[noreturn]] void refuse(const Shape& given, const Shape& shape, Index sample_mode, const Shape& sample) {
  throw Error(ErrorCode::bad_data,
              fmt::format("an array of {} does not fit a model of {}", to_string(given), to_string(shape)),
              fmt::format("mode {} counts the samples and may be of any size; a single sample is {}",
                          sample_mode, sample.empty() ? "one number" : to_string(sample)));
}

}  // namespace

template <class T>
Shape TensorModel<T>::sample_shape() const {
  Shape shape = shape_;
  shape.erase(shape.begin() + sample_mode_);
  return shape;
}

template <class T>
Index TensorModel<T>::features() const {
  const Shape sample = sample_shape();
  return std::accumulate(sample.begin(), sample.end(), Index(1), std::multiplies<>());
}

template <class T>
Matrix<T> TensorModel<T>::transform_tensor(const TensorView<T>& x, const Run& run) const {
  const Shape sample = sample_shape();
  if (!sample.empty() && x.shape() == sample) {  // one sample: the mode it lacks has one entry
    Shape shape = x.shape(), strides = x.strides();
    shape.insert(shape.begin() + sample_mode_, 1);
    strides.insert(strides.begin() + sample_mode_, x.count());
    return transform_tensor(TensorView<T>(x.data(), shape, strides), run);
  }
  if (x.order() != static_cast<Index>(shape_.size()) ||
      with_samples(x.shape(), sample_mode_, 1) != with_samples(shape_, sample_mode_, 1))
    refuse(x.shape(), shape_, sample_mode_, sample);
  if (const auto rows = rows_in_place(x, sample_mode_)) return this->transform(*rows, run);
  const Index samples = x.size(sample_mode_), step = rows_at_once(features());
  Matrix<T> out(samples, this->components());
  for (Index first = 0; first < samples; first += step) {
    const Index count = std::min(step, samples - first);
    out.middleRows(first, count) =
        this->transform(rows_of_array(x.range(sample_mode_, first, count), sample_mode_, run), run);
  }
  return out;
}

template <class T>
Matrix<T> TensorModel<T>::transform_tensor(const SparseTensor<T>& x, const Run& run) const {
  if (x.order() != static_cast<Index>(shape_.size()) ||
      with_samples(x.shape(), sample_mode_, 1) != with_samples(shape_, sample_mode_, 1))
    refuse(x.shape(), shape_, sample_mode_, sample_shape());
  return this->transform(rows_of_array(x, sample_mode_), run);
}

template <class T>
Tensor<T> TensorModel<T>::inverse_tensor(const MatrixView<T>& scores, const Run& run) const {
  const Index samples = scores.rows(), step = rows_at_once(features());
  if (samples == 0) throw Error(ErrorCode::usage, "there are no scores to go back from");
  Tensor<T> out(with_samples(shape_, sample_mode_, samples));
  const Shape strides = out.view().strides();
  for (Index first = 0; first < samples; first += step) {
    const Index count = std::min(step, samples - first);
    const Matrix<T> rows = this->inverse(scores.middleRows(first, count), run);
    copy_to(array_of_rows(rows.data(), count, rows.cols(), shape_, sample_mode_),
            out.data() + first * strides[static_cast<std::size_t>(sample_mode_)], strides, run);
  }
  return out;
}

template class TensorModel<float>;
template class TensorModel<double>;

}  // namespace mercer
