// Passes over rows in chunks.
#include "model/row_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

template <class T>
Samples<T> stacked(const std::vector<Samples<T>>& parts, Index cols) {
  Index rows = 0;
  for (const auto& part : parts) rows += part.rows();
  if (parts.empty() || !parts.front().is_sparse()) {
    Matrix<T> out(rows, cols);
    Index first = 0;
    for (const auto& part : parts) {
      out.middleRows(first, part.rows()) = part.to_dense();
      first += part.rows();
    }
    return out;
  }
  std::vector<Eigen::Triplet<T, std::int64_t>> entries;
  Index first = 0;
  for (const auto& part : parts) {
    const auto s = part.sparse();
    for (Index i = 0; i < part.rows(); ++i)
      for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
        entries.emplace_back(first + i, s.innerIndexPtr()[p], s.valuePtr()[p]);
    first += part.rows();
  }
  SparseMatrix<T> out(rows, cols);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

template <class T>
Samples<T> gather_rows(RowSource<T>& rows, const std::vector<Index>& which, const Run& run) {
  std::vector<Samples<T>> parts;
  auto next = which.begin();
  for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index first) {
    std::vector<Index> here;
    for (; next != which.end() && *next < first + chunk.rows(); ++next) here.push_back(*next - first);
    if (!here.empty()) parts.push_back(chunk.select_rows(here));
  });
  if (next != which.end())
    throw Error(ErrorCode::io,
                fmt::format("the data has become shorter: there is no row {} any more", *next));
  return stacked(parts, rows.cols());
}

template <class T>
RowSurvey<T> survey(RowSource<T>& rows, Scale kind, const Run& run) {
  RowSurvey<T> out;
  // Means and squares of chunks merged as they come (Chan, Golub, LeVeque 1979).
  Vector<double> mean = Vector<double>::Zero(rows.cols()), squares = mean;
  out.rows = for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index first) {
    require_finite(chunk, first == 0 ? "the data" : fmt::format("the data, counted from row {}", first));
    out.entries += double(chunk.stored());
    out.bytes += double(chunk.bytes());
    if (kind == Scale::none) return;
    const Scaling<T> part = Scaling<T>::fit(Scale::center, chunk);  // refuses sparse data in words
    const double before = double(first), here = double(chunk.rows());
    const auto m = chunk.dense();
    for (Index i = 0; i < m.rows(); ++i)
      squares += (m.row(i).transpose().template cast<double>() - part.shift).cwiseAbs2();
    const Vector<double> apart = part.shift - mean;
    squares += apart.cwiseAbs2() * (before * here / (before + here));
    mean += apart * (here / (before + here));
  });
  out.scaling.kind = kind;
  if (kind == Scale::none) return out;
  const auto n = double(out.rows);
  out.scaling.shift = mean;
  if (kind == Scale::center) return out;
  out.scaling.factor.resize(mean.size());
  for (Index j = 0; j < mean.size(); ++j) {  // constant columns as in Scaling::fit
    const double sigma = std::sqrt(squares[j] / n);
    const double rounding = n * std::numeric_limits<double>::epsilon() * std::abs(mean[j]);
    out.scaling.factor[j] = sigma > rounding && std::isfinite(1 / sigma) ? 1 / sigma : 1;
  }
  return out;
}

#define MERCER_INSTANTIATE(T)                                                            \
  template Samples<T> stacked(const std::vector<Samples<T>>&, Index);                    \
  template Samples<T> gather_rows(RowSource<T>&, const std::vector<Index>&, const Run&); \
  template RowSurvey<T> survey(RowSource<T>&, Scale, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
