// What is known of a table with gaps.
#include "model/known_entries.hpp"

#include "base/random.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

namespace mercer {
namespace {

/// use(i, j, value) for each known entry, row by row.
template <class T, class Use>
void for_each_known(const Samples<T>& samples, Use&& use) {
  const auto take = [&](Index i, Index j, T value) {
    if (std::isnan(value)) return;
    if (!std::isfinite(value))
      throw Error(ErrorCode::bad_data, fmt::format("row {}, column {} is {}", i, j, value),
                  "rows and columns count from 0; a gap is NaN, and every other value must be finite");
    use(i, j, double(value));
  };
  for (Index i = 0; i < samples.rows(); ++i) {
    if (samples.is_sparse()) {
      const auto s = samples.sparse();
      for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
        take(i, s.innerIndexPtr()[p], s.valuePtr()[p]);
    } else {
      const auto m = samples.dense();
      for (Index j = 0; j < m.cols(); ++j) take(i, j, m(i, j));
    }
  }
}

template <class Use>
void for_each_entry(const SparseMatrix<double>& entries, Use&& use) {
  for (Index i = 0; i < entries.rows(); ++i)
    for (SparseMatrix<double>::InnerIterator at(entries, i); at; ++at) use(i, Index(at.col()), at.value());
}

}  // namespace

template <class T>
Index count_known(const Samples<T>& samples) {
  Index count = 0;
  for_each_known(samples, [&](Index, Index, double) { ++count; });
  return count;
}

template <class T>
SparseMatrix<double> known_entries(const Samples<T>& samples) {
  SparseMatrix<double> out(samples.rows(), samples.cols());
  out.reserve(count_known(samples));
  Index row = -1;
  for_each_known(samples, [&](Index i, Index j, double value) {
    while (row < i) out.startVec(++row);
    out.insertBack(i, j) = value;
  });
  while (row + 1 < out.rows()) out.startVec(++row);
  out.finalize();
  return out;
}

void require_something_known(const SparseMatrix<double>& known) {
  std::vector<bool> seen(static_cast<std::size_t>(known.cols()));
  for (Index i = 0; i < known.rows(); ++i) {
    if (known.outerIndexPtr()[i] == known.outerIndexPtr()[i + 1])
      throw Error(ErrorCode::bad_data, fmt::format("row {} has no value at all", i),
                  "rows count from 0; leave it out: nothing is known of it");
    for (SparseMatrix<double>::InnerIterator at(known, i); at; ++at) seen[std::size_t(at.col())] = true;
  }
  for (std::size_t j = 0; j < seen.size(); ++j)
    if (!seen[j])
      throw Error(ErrorCode::bad_data, fmt::format("column {} has no value at all", j),
                  "columns count from 0; leave it out: nothing is known of it");
}

template <class T>
Scaling<T> scaling_of_known(Scale kind, const SparseMatrix<double>& known) {
  Scaling<T> out;
  out.kind = kind;
  if (kind == Scale::none) return out;
  Vector<double> count = Vector<double>::Zero(known.cols());
  out.shift = Vector<double>::Zero(known.cols());
  for_each_entry(known, [&](Index, Index j, double value) {
    out.shift[j] += value;
    count[j] += 1;
  });
  out.shift = out.shift.cwiseQuotient(count.cwiseMax(1));
  if (kind == Scale::center) return out;
  Vector<double> squares = Vector<double>::Zero(known.cols());
  for_each_entry(known, [&](Index, Index j, double value) {
    squares[j] += (value - out.shift[j]) * (value - out.shift[j]);
  });
  out.factor = Vector<double>::Ones(known.cols());
  for (Index j = 0; j < known.cols(); ++j) {
    const double sigma = std::sqrt(squares[j] / std::max(1.0, count[j]));
    const double rounding = count[j] * std::numeric_limits<double>::epsilon() * std::abs(out.shift[j]);
    if (sigma > rounding && std::isfinite(1 / sigma)) out.factor[j] = 1 / sigma;  // else constant
  }
  return out;
}

template <class T>
void scale_known(const Scaling<T>& scaling, SparseMatrix<double>& known) {
  if (scaling.kind == Scale::none) return;
  for (Index i = 0; i < known.rows(); ++i)
    for (SparseMatrix<double>::InnerIterator at(known, i); at; ++at) {
      at.valueRef() -= scaling.shift[at.col()];
      if (scaling.kind == Scale::standardize) at.valueRef() *= scaling.factor[at.col()];
    }
}

std::pair<SparseMatrix<double>, SparseMatrix<double>> hide_some(const SparseMatrix<double>& known,
                                                                double share, std::uint64_t seed) {
  std::vector<Index> in_row(std::size_t(known.rows())), in_column(std::size_t(known.cols()));
  for_each_entry(known, [&](Index i, Index j, double) {
    ++in_row[std::size_t(i)];
    ++in_column[std::size_t(j)];
  });
  Random random(seed, 0x6a9);
  SparseMatrix<double> rest(known.rows(), known.cols()), hidden(known.rows(), known.cols());
  rest.reserve(known.nonZeros());
  hidden.reserve(static_cast<Index>(1.2 * share * double(known.nonZeros())) + 16);
  for (Index i = 0; i < known.rows(); ++i) {
    rest.startVec(i);
    hidden.startVec(i);
    for (SparseMatrix<double>::InnerIterator at(known, i); at; ++at) {
      Index &row = in_row[std::size_t(i)], &column = in_column[std::size_t(at.col())];
      const bool hide = random.uniform() < share && row > 1 && column > 1;
      if (hide) --row, --column;
      (hide ? hidden : rest).insertBack(i, at.col()) = at.value();
    }
  }
  rest.finalize();
  hidden.finalize();
  return {std::move(rest), std::move(hidden)};
}

#define MERCER_INSTANTIATE(T)                                               \
  template SparseMatrix<double> known_entries(const Samples<T>&);           \
  template Index count_known(const Samples<T>&);                            \
  template Scaling<T> scaling_of_known(Scale, const SparseMatrix<double>&); \
  template void scale_known(const Scaling<T>&, SparseMatrix<double>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
