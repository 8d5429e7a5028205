// A matrix in memory, applied by BLAS.
#include "operator/dense_operator.hpp"

#include "base/linalg.hpp"

namespace mercer {

template <class T>
DenseOperator<T>::DenseOperator(Block<T> matrix)
    : SymmetricOperator<T>(matrix.rows()), matrix_(std::move(matrix)) {}

template <class T>
void DenseOperator<T>::do_apply(const BlockView<T>& v, BlockRef<T> y, const Run&) const {
  y.setZero();
  linalg::add_product<T>(1, matrix_, v, y);
}

template class DenseOperator<float>;
template class DenseOperator<double>;

}  // namespace mercer
