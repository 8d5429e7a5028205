// Compiled once: what every test program would otherwise instantiate again.
#include "support.hpp"

#include "decompositions.hpp"

template class Eigen::SelfAdjointEigenSolver<mercer::Block<double>>;
template class Eigen::SelfAdjointEigenSolver<mercer::Matrix<double>>;
template class Eigen::JacobiSVD<mercer::Block<double>>;
template class Eigen::HouseholderQR<mercer::Block<double>>;

namespace mercer::test {

std::string fixture(const std::string& name) { return std::string(MERCER_TEST_DATA "/") + name; }
std::string example(const std::string& name) { return std::string(MERCER_EXAMPLE_DATA "/") + name; }

template <class T>
Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<T> out(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out(i, j) = T(random.normal());
  return out;
}

template <class T>
SparseMatrix<T> random_sparse(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed, 1);
  Matrix<T> dense = random_matrix<T>(rows, cols, seed);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (random.uniform() < 0.66) dense(i, j) = 0;
  return dense.sparseView();
}

Block<double> symmetric_with(const Vector<double>& eigenvalues, std::uint64_t seed) {
  const Index n = eigenvalues.size();
  const Block<double> random = random_matrix<double>(n, n, seed);
  const Block<double> q = Eigen::HouseholderQR<Block<double>>(random).householderQ();
  const Block<double> a = q * eigenvalues.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

template <class T>
std::vector<std::pair<std::string, Matrix<T>>> awkward_data() {
  std::vector<std::pair<std::string, Matrix<T>>> out;
  out.emplace_back("one sample", random_matrix<T>(1, 3, 1));
  out.emplace_back("two samples", random_matrix<T>(2, 4, 2));
  out.emplace_back("three samples", random_matrix<T>(3, 2, 3));
  out.emplace_back("wide", random_matrix<T>(12, 40, 4));
  out.emplace_back("tall", random_matrix<T>(80, 5, 5));
  out.emplace_back("one feature", random_matrix<T>(30, 1, 6));
  Matrix<T> duplicates = random_matrix<T>(40, 6, 7);
  duplicates.bottomRows(20) = duplicates.topRows(20);
  out.emplace_back("duplicates", duplicates);
  Matrix<T> constant = random_matrix<T>(25, 5, 8);
  constant.col(2).setConstant(T(3));
  out.emplace_back("constant column", constant);
  out.emplace_back("rank two", Matrix<T>(random_matrix<T>(50, 2, 9) * random_matrix<T>(2, 10, 10)));
  Matrix<T> cross = Matrix<T>::Zero(60, 3);  // ±e1, ±e2, ±e3: three equal eigenvalues
  for (Index i = 0; i < 60; ++i) cross(i, i % 3) = (i / 3) % 2 ? T(1) : T(-1);
  out.emplace_back("repeated eigenvalues", cross);
  return out;
}

double subspace_distance(const Block<double>& a, const Block<double>& b) {
  if (a.cols() == 0) return 0;
  const Block<double> rest = b - a * (a.transpose() * b);
  return rest.norm();
}

#define MERCER_INSTANTIATE(T)                                          \
  template Matrix<T> random_matrix(Index, Index, std::uint64_t);       \
  template SparseMatrix<T> random_sparse(Index, Index, std::uint64_t); \
  template std::vector<std::pair<std::string, Matrix<T>>> awkward_data();
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer::test
