// The checked entry to every operator.
#include <mercer/symmetric_operator.hpp>

#include <fmt/format.h>

namespace mercer {

template <class T>
void SymmetricOperator<T>::apply(const BlockView<T>& v, BlockRef<T> y, const Run& run) const {
  if (v.rows() != size_ || y.rows() != size_ || v.cols() != y.cols())
    throw Error(ErrorCode::internal, fmt::format("operator of size {} applied to {} x {} giving {} x {}",
                                                 size_, v.rows(), v.cols(), y.rows(), y.cols()));
  run.check();
  if (v.cols() > 0) do_apply(v, y, run);
}

template class SymmetricOperator<float>;
template class SymmetricOperator<double>;

}  // namespace mercer
