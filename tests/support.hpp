// What tests share: random data of many awkward shapes, and ways to compare answers.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/samples.hpp>

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace mercer::test {

template <class T>
Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix<T> out(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out(i, j) = T(random.normal());
  return out;
}

/// About a third of the entries stored.
template <class T>
SparseMatrix<T> random_sparse(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed, 1);
  Matrix<T> dense = random_matrix<T>(rows, cols, seed);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (random.uniform() < 0.66) dense(i, j) = 0;
  return dense.sparseView();
}

/// A symmetric matrix with these eigenvalues and random eigenvectors.
inline Block<double> symmetric_with(const Vector<double>& eigenvalues, std::uint64_t seed) {
  const Index n = eigenvalues.size();
  const Block<double> random = random_matrix<double>(n, n, seed);
  const Block<double> q = Eigen::HouseholderQR<Block<double>>(random).householderQ();
  const Block<double> a = q * eigenvalues.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

/// Data sets on which fits have gone wrong somewhere: tiny, wide, duplicated, constant, rank-deficient.
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

/// ‖P_A − P_B‖₂ for the projectors on the columns of two orthonormal blocks: sin of the largest angle.
inline double subspace_distance(const Block<double>& a, const Block<double>& b) {
  if (a.cols() == 0) return 0;
  const Block<double> rest = b - a * (a.transpose() * b);
  return rest.norm();
}

/// Columns of b with the sign that fits a.
template <class A, class B>
Matrix<double> with_signs_of(const A& a, const B& b) {
  Matrix<double> out = b.template cast<double>();
  for (Index c = 0; c < out.cols(); ++c)
    if (a.col(c).template cast<double>().dot(out.col(c)) < 0) out.col(c) = -out.col(c);
  return out;
}

template <class T>
constexpr double tolerance(double in_double, double in_float) {
  return std::is_same_v<T, float> ? in_float : in_double;
}

}  // namespace mercer::test
