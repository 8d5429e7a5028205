// Classes for the tests of discriminants.
#pragma once

#include <mercer/discriminant.hpp>

#include "support.hpp"

namespace mercer::test {

template <class T>
struct Classes {
  Samples<T> samples;
  Label label;
};

/// Gaussian classes of different sizes, mixed up in order, of unequal spread in each direction.
template <class T>
Classes<T> gaussian_classes(const std::vector<Index>& sizes, Index d, std::uint64_t seed, double apart = 2) {
  Index n = 0;
  for (const Index size : sizes) n += size;
  Matrix<T> x = random_matrix<T>(n, d, seed);
  const Matrix<T> centres = random_matrix<T>(static_cast<Index>(sizes.size()), d, seed + 1);
  std::vector<Index> left = sizes;
  std::vector<std::string> names;
  std::size_t j = 0;
  for (Index i = 0; i < n; ++i) {
    do j = (j + 1) % sizes.size();
    while (left[j] == 0);
    --left[j];
    for (Index f = 0; f < d; ++f) x(i, f) *= T(1 + 0.3 * double(f));
    x.row(i) += T(apart) * centres.row(static_cast<Index>(j));
    names.push_back("class " + std::to_string(j));
  }
  return {Samples<T>(x), make_label("kind", names)};
}

/// M_j as columns and N, each as mission row M9 writes it.
struct KernelScatter {
  Block<double> means, within;
};
inline KernelScatter kernel_scatter(const Matrix<double>& k, const Label& label) {
  const Index n = k.rows(), c = static_cast<Index>(label.names.size());
  KernelScatter out{Block<double>::Zero(n, c), Block<double>::Zero(n, n)};
  for (Index j = 0; j < c; ++j) {
    std::vector<Index> own;
    for (Index i = 0; i < n; ++i)
      if (label.codes[static_cast<std::size_t>(i)] == j) own.push_back(i);
    const auto size = static_cast<Index>(own.size());
    Block<double> kj(n, size);
    for (Index i = 0; i < size; ++i) kj.col(i) = k.col(own[static_cast<std::size_t>(i)]);
    out.means.col(j) = kj.rowwise().mean();
    const Block<double> h =
        Block<double>::Identity(size, size) - Block<double>::Constant(size, size, 1.0 / double(size));
    out.within += kj * h * kj.transpose();
  }
  return out;
}

/// 1 − |cos| of the angle between two vectors.
inline double turned(const Vector<double>& a, const Vector<double>& b) {
  return 1 - std::abs(a.dot(b)) / (a.norm() * b.norm());
}

}  // namespace mercer::test
