// Passes over rows in chunks.
#include "model/row_passes.hpp"

#include "data/column_moments.hpp"

#include <fmt/format.h>

#include <algorithm>

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
bool is_zero(const Samples<T>& samples) {
  if (!samples.is_sparse()) return samples.dense().isZero(0);
  const auto s = samples.sparse();
  return std::all_of(s.valuePtr() + s.outerIndexPtr()[0], s.valuePtr() + s.outerIndexPtr()[s.rows()],
                     [](T value) { return value == 0; });
}

template <class T>
bool is_zero(RowSource<T>& rows, const Scaling<T>& scaling, const Run& run) {
  bool all = true;
  for_each_chunk(rows, run,
                 [&](const Samples<T>& chunk, Index) { all = all && is_zero(scaling.apply(chunk)); });
  return all;
}

template <class T>
RowSurvey<T> survey(RowSource<T>& rows, Scale kind, const Run& run) {
  RowSurvey<T> out;
  ColumnMoments moments(rows.cols());
  out.rows = for_each_chunk(rows, run, [&](const Samples<T>& chunk, Index first) {
    require_finite(chunk, first == 0 ? "the data" : fmt::format("the data, counted from row {}", first));
    out.entries += double(chunk.stored());
    out.bytes += double(chunk.bytes());
    if (kind != Scale::none) moments.add(chunk);
  });
  out.scaling = moments.scaling<T>(kind);
  return out;
}

#define MERCER_INSTANTIATE(T)                                                            \
  template Samples<T> stacked(const std::vector<Samples<T>>&, Index);                    \
  template Samples<T> gather_rows(RowSource<T>&, const std::vector<Index>&, const Run&); \
  template bool is_zero(const Samples<T>&);                                              \
  template bool is_zero(RowSource<T>&, const Scaling<T>&, const Run&);                   \
  template RowSurvey<T> survey(RowSource<T>&, Scale, const Run&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
