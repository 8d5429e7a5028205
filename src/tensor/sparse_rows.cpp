// A row's columns ascend, so that entries which share their first indices follow each other: their sums go up
// one level together.
#include "tensor/sparse_rows.hpp"

#include "base/parallel.hpp"

#include <algorithm>

namespace mercer {
namespace {

/// Sums of the levels of one row. sums_[l]: Σ over the entries since level l − 1's index last changed, of
/// value · (⊗ of the factors' rows from level l on), level l fastest; sums_[0] is the result.
class RowSum {
 public:
  explicit RowSum(const std::vector<Matrix<double>>& factors)
      : factors_(factors), at_(factors.size(), -1), sums_(factors.size() + 1) {
    Index size = 1;
    for (std::size_t l = factors.size() + 1; l-- > 0;) {
      sums_[l] = Vector<double>::Zero(size);
      if (l > 0) size *= factors[l - 1].cols();
    }
  }

  void begin() {
    for (Vector<double>& sum : sums_) sum.setZero();
    std::fill(at_.begin(), at_.end(), Index(-1));
  }

  /// The column is the index of all modes, the last one fastest.
  void add(Index column, double value) {
    const std::size_t levels = factors_.size();
    next_.resize(levels);
    for (std::size_t l = levels; l-- > 0;) {
      next_[l] = column % factors_[l].rows();
      column /= factors_[l].rows();
    }
    std::size_t changed = 0;
    while (changed < levels && next_[changed] == at_[changed]) ++changed;
    if (changed < levels) {
      raise_to(changed);
      at_ = next_;
    }
    sums_[levels][0] += value;
  }

  [[nodiscard]] const Vector<double>& end() {
    raise_to(0);
    return sums_[0];
  }

 private:
  /// What lies below the levels from `level` on goes up into sums_[level].
  void raise_to(std::size_t level) {
    for (std::size_t l = factors_.size(); l-- > level;) {
      if (at_[l] < 0) continue;  // nothing yet
      const Index rank = factors_[l].cols();
      const auto row = factors_[l].row(at_[l]).transpose();
      for (Index t = 0; t < sums_[l + 1].size(); ++t)
        if (sums_[l + 1][t] != 0) sums_[l].segment(t * rank, rank) += sums_[l + 1][t] * row;
      sums_[l + 1].setZero();
    }
  }

  const std::vector<Matrix<double>>& factors_;
  std::vector<Index> at_, next_;
  std::vector<Vector<double>> sums_;
};

}  // namespace

template <class T>
Matrix<double> project_sparse_rows(const Samples<T>& rows, const std::vector<Block<T>>& factors,
                                   const Run& run) {
  constexpr Index part_rows = 64;
  std::vector<Matrix<double>> by_row;
  Index columns = 1;
  for (const Block<T>& factor : factors) {
    by_row.emplace_back(factor.template cast<double>());
    columns *= factor.cols();
  }
  Matrix<double> out(rows.rows(), columns);
  const auto csr = rows.sparse();
  parallel_for((rows.rows() + part_rows - 1) / part_rows, run, [&](Index part) {
    RowSum sum(by_row);
    for (Index i = part * part_rows; i < std::min(rows.rows(), (part + 1) * part_rows); ++i) {
      sum.begin();
      for (auto p = csr.outerIndexPtr()[i]; p < csr.outerIndexPtr()[i + 1]; ++p)
        sum.add(csr.innerIndexPtr()[p], double(csr.valuePtr()[p]));
      out.row(i) = sum.end().transpose();
    }
  });
  return out;
}

template Matrix<double> project_sparse_rows(const Samples<float>&, const std::vector<Block<float>>&,
                                            const Run&);
template Matrix<double> project_sparse_rows(const Samples<double>&, const std::vector<Block<double>>&,
                                            const Run&);

}  // namespace mercer
