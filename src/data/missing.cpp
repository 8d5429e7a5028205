// Missing values: the policy's names, the words in files, and the two ways to repair.
#include "data/missing.hpp"

#include "base/parallel.hpp"
#include "data/number.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace mercer {

Missing parse_missing(std::string_view name) {
  if (name == "error") return Missing::error;
  if (name == "drop") return Missing::drop;
  if (name == "mean") return Missing::mean;
  if (name == "fit") return Missing::fit;
  throw Error(ErrorCode::usage, fmt::format("unknown policy '{}' for missing values", name),
              "error, drop, mean or fit");
}

bool is_missing_token(std::string_view text) {
  if (text.empty() || text == "?") return true;
  if (text.size() > 4) return false;
  std::array<char, 4> buffer{};
  std::transform(text.begin(), text.end(), buffer.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  const std::string_view word(buffer.data(), text.size());
  return word == "na" || word == "n/a" || word == "nan" || word == "-nan" || word == "null";
}

namespace {

template <class T>
[[noreturn]] void fail_at(const std::string& where, Index row, Index col, T value) {
  if (std::isnan(value))
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: row {}, column {}: nan is not a number", where, row, col),
                "drop such rows with --missing drop");
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: row {}, column {}: {} is not a finite number", where, row, col, value),
              "rows and columns count from 0; correct or remove it");
}

/// The first value in file order that may not be there.
template <class T>
[[noreturn]] void fail_at_first(const Samples<T>& samples, Index first, bool nan_allowed,
                                const std::string& where) {
  const auto m = samples.dense();
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      if (std::isinf(m(i, j)) || (!nan_allowed && std::isnan(m(i, j)))) fail_at(where, first + i, j, m(i, j));
  throw Error(ErrorCode::internal, fmt::format("{}: a bad value vanished", where));
}

}  // namespace

template <class T>
bool scan_for_missing(const Samples<T>& samples, Index first, Missing policy, const std::string& where,
                      const Run& run) {
  const auto m = samples.dense();
  const Index rows_a_block = std::max<Index>(1, (Index{1} << 17) / std::max<Index>(1, m.cols()));
  std::atomic<bool> nan{false}, infinite{false};
  parallel_for((m.rows() + rows_a_block - 1) / rows_a_block, run, [&](Index b) {
    const auto block = m.middleRows(b * rows_a_block, std::min(rows_a_block, m.rows() - b * rows_a_block));
    T all_zero = 0;  // x·0 is 0 for finite x and NaN otherwise: one pass without branches
    for (Index i = 0; i < block.rows(); ++i) all_zero += (block.row(i) * T(0)).sum();
    if (all_zero == 0) return;
    if (block.array().isNaN().any()) nan = true;
    if (block.array().isInf().any()) infinite = true;
  });
  if (infinite || (nan && policy == Missing::error))
    fail_at_first(samples, first, policy != Missing::error, where);
  return nan;
}

template <class T>
std::vector<Index> complete_rows(const RawTable<T>& table) {
  std::vector<Index> out;
  const bool sparse = table.samples.is_sparse();
  for (Index i = 0; i < table.samples.rows(); ++i) {
    if (table.label && table.label->is_missing(i)) continue;
    bool complete = true;
    if (sparse) {
      const auto s = table.samples.sparse();
      for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
        complete &= !std::isnan(s.valuePtr()[p]);
    } else {
      complete = !table.samples.dense().row(i).hasNaN();
    }
    if (complete) out.push_back(i);
  }
  return out;
}

template <class T>
void ColumnMeans::add(const RawTable<T>& rows, const std::string& where) {
  if (rows.samples.is_sparse()) {
    if (!rows.has_missing) return;
    throw Error(ErrorCode::usage, fmt::format("{}: sparse data has no column means to fill in", where),
                "drop such rows with --missing drop");
  }
  const auto m = rows.samples.dense();
  if (sums_.size() == 0) {
    sums_ = Vector<double>::Zero(m.cols());
    present_.assign(static_cast<std::size_t>(m.cols()), 0);
  }
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) {
      if (std::isnan(m(i, j))) continue;
      sums_[j] += static_cast<double>(m(i, j));
      ++present_[static_cast<std::size_t>(j)];
    }
}

void ColumnMeans::check(const std::vector<std::string>& columns, const std::string& where) const {
  const auto empty = std::find(present_.begin(), present_.end(), 0);
  if (empty == present_.end()) return;
  const auto j = static_cast<std::size_t>(empty - present_.begin());
  const auto name = columns.empty() ? std::to_string(j) : '"' + columns[j] + '"';
  throw Error(ErrorCode::bad_data, fmt::format("{}: column {} has no value at all", where, name),
              "remove the column");
}

template <class T>
Samples<T> ColumnMeans::fill(const Samples<T>& samples) const {
  Matrix<T> m = samples.dense();
  for (Index j = 0; j < m.cols(); ++j) {
    const T mean = static_cast<T>(sums_[j] / static_cast<double>(present_[static_cast<std::size_t>(j)]));
    for (Index i = 0; i < m.rows(); ++i)
      if (std::isnan(m(i, j))) m(i, j) = mean;
  }
  return m;
}

template bool scan_for_missing(const Samples<float>&, Index, Missing, const std::string&, const Run&);
template std::vector<Index> complete_rows(const RawTable<float>&);
template void ColumnMeans::add(const RawTable<float>&, const std::string&);
template Samples<float> ColumnMeans::fill(const Samples<float>&) const;
template bool scan_for_missing(const Samples<double>&, Index, Missing, const std::string&, const Run&);
template std::vector<Index> complete_rows(const RawTable<double>&);
template void ColumnMeans::add(const RawTable<double>&, const std::string&);
template Samples<double> ColumnMeans::fill(const Samples<double>&) const;

}  // namespace mercer
