// The core of X in the factors of CP.
#include "tensor/core_consistency.hpp"

#include <Eigen/QR>

#include <cmath>

namespace mercer {
namespace {

constexpr double most_numbers = 4e6;

}  // namespace

bool core_is_too_large(Index rank, Index order) {
  return std::pow(double(rank), double(order)) > most_numbers;
}

template <class T>
std::optional<double> core_consistency(const CpData<T>& data, const Kruskal<T>& model, const Run& run) {
  const Index rank = model.rank, order = data.order();
  if (order < 3 || core_is_too_large(rank, order) || !(model.weights.minCoeff() > 0)) return std::nullopt;
  std::vector<Block<T>> inverses;  // A⁺ of the factors with their share of λ
  const Vector<double> share = model.weights.array().pow(-1 / double(order));
  for (const Matrix<T>& f : model.factors) {
    const Block<double> a = f.leftCols(rank).template cast<double>();
    const Block<double> inverse = a.completeOrthogonalDecomposition().pseudoInverse();
    inverses.push_back((share.asDiagonal() * inverse).template cast<T>());
  }
  const Vector<double> core = data.core(inverses, model, run);
  Index step = 0;
  for (Index m = 0, stride = 1; m < order; ++m, stride *= rank) step += stride;
  double off = core.squaredNorm();
  for (Index r = 0; r < rank; ++r) {
    const double g = core[r * step];
    off += (g - 1) * (g - 1) - g * g;
  }
  return 100 * (1 - off / double(rank));
}

template std::optional<double> core_consistency(const CpData<float>&, const Kruskal<float>&, const Run&);
template std::optional<double> core_consistency(const CpData<double>&, const Kruskal<double>&, const Run&);

}  // namespace mercer
