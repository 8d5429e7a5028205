// N and the M_j of kernel discriminants, from the kernel matrix (mission row M9).
#pragma once

#include <mercer/matrix.hpp>
#include <mercer/run.hpp>

#include <vector>

namespace mercer {

/// M_j as columns: the mean of k(·, x) over the columns x of class j; and subtracts it from those columns, so
/// that K becomes G with N = G Gᵀ.
[[nodiscard]] Block<double> subtract_class_means(Matrix<double>& k, const std::vector<std::int32_t>& codes,
                                                 Index classes, const Run& run);

/// G Gᵀ, its lower triangle; the same bits for any number of threads.
[[nodiscard]] Block<double> outer_gram(const Matrix<double>& g, const Run& run);

}  // namespace mercer
