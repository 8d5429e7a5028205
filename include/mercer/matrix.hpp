// The matrix types everyone shares. Data is n samples x d features, one sample a row, 64-bit index.
// Eigenvectors are columns of a column-major `Block`, so that one vector is contiguous.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mercer {

using Index = Eigen::Index;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
/// Compressed sparse rows with 64-bit indices.
template <class T>
using SparseMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int64_t>;

/// Read-only and writable views; any row stride (column stride for blocks).
template <class T>
using MatrixView = Eigen::Ref<const Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using MatrixRef = Eigen::Ref<Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using BlockView = Eigen::Ref<const Block<T>, 0, Eigen::OuterStride<>>;
template <class T>
using BlockRef = Eigen::Ref<Block<T>, 0, Eigen::OuterStride<>>;

/// The two element types, for choices made at run time.
enum class Precision { float32, float64 };

template <class T>
inline constexpr Precision precision_of = sizeof(T) == sizeof(float) ? Precision::float32
                                                                     : Precision::float64;

[[nodiscard]] constexpr std::string_view name_of(Precision p) {
  return p == Precision::float32 ? "float" : "double";
}

/// Calls `f.template operator()<float>()` or `<double>()`.
template <class F>
decltype(auto) with_precision(Precision p, F&& f) {
  if (p == Precision::float32) return f.template operator()<float>();
  return f.template operator()<double>();
}

}  // namespace mercer
