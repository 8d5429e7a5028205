// The checked entry to every operator.
#include <mercer/symmetric_operator.hpp>

#include <fmt/format.h>

namespace mercer {

namespace {

template <class T>
void require_matching(Index size, const BlockView<T>& v, const BlockRef<T>& y) {
  if (v.rows() != size || y.rows() != size || v.cols() != y.cols())
    throw Error(ErrorCode::internal, fmt::format("operator of size {} applied to {} x {} giving {} x {}",
                                                 size, v.rows(), v.cols(), y.rows(), y.cols()));
}

}  // namespace

template <class T>
void SymmetricOperator<T>::apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  require_matching<T>(size_, v, y);
  run.check();
  if (v.cols() > 0) do_apply(v, y, run);
}

template <class T>
void SymmetricOperator<T>::apply_roughly(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  require_matching<T>(size_, v, y);
  run.check();
  if (v.cols() > 0) do_apply_roughly(v, y, run);
}

template <class T>
double SymmetricOperator<T>::rough_error(const BlockView<T>& v, const Run& run) const {
  return v.cols() > 0 && has_rough_product() ? estimate_rough_error(v, run) : 0;
}

template <class T>
double SymmetricOperator<T>::estimate_rough_error(const BlockView<T>& v, const Run& run) const {
  Block<T> rough(size_, v.cols()), exact(size_, v.cols());
  apply_roughly(v, rough, run);
  apply(v, exact, run);
  return (rough - exact).template cast<double>().colwise().norm().maxCoeff();
}

template class SymmetricOperator<float>;
template class SymmetricOperator<double>;

}  // namespace mercer
