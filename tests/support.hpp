// What tests share: random data of many awkward shapes, and ways to compare answers.
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/samples.hpp>

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace mercer::test {

/// Where a file of tests/fixtures or of examples/data lies.
std::string fixture(const std::string& name);
std::string example(const std::string& name);

template <class T>
Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed);

/// About a third of the entries stored.
template <class T>
SparseMatrix<T> random_sparse(Index rows, Index cols, std::uint64_t seed);

/// A symmetric matrix with these eigenvalues and random eigenvectors.
Block<double> symmetric_with(const Vector<double>& eigenvalues, std::uint64_t seed);

/// Data sets on which fits have gone wrong somewhere: tiny, wide, duplicated, constant, rank-deficient.
template <class T>
std::vector<std::pair<std::string, Matrix<T>>> awkward_data();

/// ‖P_A − P_B‖₂ for the projectors on the columns of two orthonormal blocks: sin of the largest angle.
double subspace_distance(const Block<double>& a, const Block<double>& b);

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
