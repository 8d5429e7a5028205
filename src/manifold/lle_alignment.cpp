// Small factors summed into a sparse matrix, row by row.
#include "manifold/lle_alignment.hpp"

#include "base/parallel.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr Index rows_together = 256;

/// Which neighbourhoods a point is a member of, ascending, and as which.
struct Memberships {
  explicit Memberships(const LocalFactors& factors) : begin(static_cast<std::size_t>(factors.size()) + 1, 0) {
    const Index n = factors.size();
    for (Index i = 0; i < n; ++i)
      for (const std::int32_t j : factors.members_of(i)) ++begin[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 1; j < begin.size(); ++j) begin[j] += begin[j - 1];
    of.resize(static_cast<std::size_t>(begin.back()));
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (Index i = 0; i < n; ++i) {
      const auto members = factors.members_of(i);
      for (std::size_t m = 0; m < members.size(); ++m)
        of[static_cast<std::size_t>(next[static_cast<std::size_t>(members[m])]++)] = {
            static_cast<std::int32_t>(i), static_cast<std::int32_t>(m)};
    }
  }

  struct Place {
    std::int32_t neighborhood, row;
  };
  [[nodiscard]] std::span<const Place> places(Index j) const {
    const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(j)]);
    return {of.data() + first, static_cast<std::size_t>(begin[static_cast<std::size_t>(j) + 1]) - first};
  }
  std::vector<Index> begin;
  std::vector<Place> of;
};

/// A row of M under construction: a dense vector and which of it is used.
class RowSum {
 public:
  explicit RowSum(Index size) : value_(static_cast<std::size_t>(size)), last_(value_.size(), -1) {}

  void begin(Index row) {
    row_ = row;
    used_.clear();
  }
  void add(std::int32_t column, double value) {
    const auto c = static_cast<std::size_t>(column);
    if (last_[c] != row_) {
      last_[c] = row_;
      value_[c] = 0;
      used_.push_back(column);
    }
    value_[c] += value;
  }
  [[nodiscard]] std::vector<std::int32_t>& used() { return used_; }
  [[nodiscard]] double operator[](std::int32_t column) const {
    return value_[static_cast<std::size_t>(column)];
  }

 private:
  std::vector<double> value_;
  std::vector<Index> last_;
  std::vector<std::int32_t> used_;
  Index row_ = -1;
};

}  // namespace

LocalFactors::LocalFactors(const NeighborLists& lists, Itself itself, Index most_columns) {
  const auto n = static_cast<std::size_t>(lists.size());
  std::vector<bool> own(n, true);
  if (itself == Itself::if_nobodys_neighbor)
    for (const std::int32_t j : lists.index) own[static_cast<std::size_t>(j)] = false;
  columns.assign(n, 0);
  begin_.assign(1, 0);
  value_begin_.assign(1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto neighbors = lists.neighbors(static_cast<Index>(i));
    const auto count = static_cast<Index>(neighbors.size()), members = count + (own[i] ? 1 : 0);
    members_.insert(members_.end(), neighbors.begin(), neighbors.end());
    if (own[i]) members_.push_back(static_cast<std::int32_t>(i));
    begin_.push_back(begin_.back() + members);
    value_begin_.push_back(value_begin_.back() + members * (most_columns > 0 ? most_columns : count));
  }
  values_.resize(static_cast<std::size_t>(value_begin_.back()));
}

std::span<const std::int32_t> LocalFactors::members_of(Index i) const {
  const auto first = static_cast<std::size_t>(begin_[static_cast<std::size_t>(i)]);
  return {members_.data() + first, static_cast<std::size_t>(begin_[static_cast<std::size_t>(i) + 1]) - first};
}

Eigen::Map<Matrix<double>> LocalFactors::factor_of(Index i) {
  const auto at = static_cast<std::size_t>(i);
  const Index rows = begin_[at + 1] - begin_[at];
  const Index room = value_begin_[at + 1] - value_begin_[at];
  return {values_.data() + value_begin_[at], rows, rows > 0 ? room / rows : 0};
}

Eigen::Map<const Matrix<double>> LocalFactors::factor_of(Index i) const {
  const auto own = const_cast<LocalFactors*>(this)->factor_of(i);
  return {own.data(), own.rows(), own.cols()};
}

SparseMatrix<double> aligned(const LocalFactors& factors, const Run& run) {
  const Index n = factors.size(), parts = (n + rows_together - 1) / rows_together;
  const Memberships memberships(factors);
  std::vector<std::vector<std::int32_t>> columns(static_cast<std::size_t>(parts));
  std::vector<std::vector<double>> values(static_cast<std::size_t>(parts));
  std::vector<std::int64_t> length(static_cast<std::size_t>(n) + 1, 0);
  parallel_for(parts, run, [&](Index part) {
    RowSum sum(n);
    auto& out_columns = columns[static_cast<std::size_t>(part)];
    auto& out_values = values[static_cast<std::size_t>(part)];
    for (Index j = part * rows_together; j < std::min(n, (part + 1) * rows_together); ++j) {
      sum.begin(j);
      for (const auto [neighborhood, row] : memberships.places(j)) {
        const auto members = factors.members_of(neighborhood);
        const auto f = factors.factor_of(neighborhood);
        const Index rank = factors.columns[static_cast<std::size_t>(neighborhood)];
        for (Index l = 0; l < f.rows(); ++l) {
          double product = 0;  // in this order, so that Mⱼₗ = Mₗⱼ to the last bit
          for (Index c = 0; c < rank; ++c) product += f(row, c) * f(l, c);
          sum.add(members[static_cast<std::size_t>(l)], product);
        }
      }
      std::sort(sum.used().begin(), sum.used().end());
      for (const std::int32_t column : sum.used()) {
        out_columns.push_back(column);
        out_values.push_back(sum[column]);
      }
      length[static_cast<std::size_t>(j) + 1] = static_cast<std::int64_t>(sum.used().size());
    }
  });
  for (std::size_t j = 1; j < length.size(); ++j) length[j] += length[j - 1];
  SparseMatrix<double> out(n, n);
  out.resizeNonZeros(length.back());
  std::copy(length.begin(), length.end(), out.outerIndexPtr());
  for (Index part = 0; part < parts; ++part) {
    const auto at = static_cast<std::size_t>(part);
    const std::int64_t first = length[static_cast<std::size_t>(part * rows_together)];
    std::copy(columns[at].begin(), columns[at].end(), out.innerIndexPtr() + first);
    std::copy(values[at].begin(), values[at].end(), out.valuePtr() + first);
    std::vector<std::int32_t>().swap(columns[at]);
    std::vector<double>().swap(values[at]);
  }
  return out;
}

}  // namespace mercer
