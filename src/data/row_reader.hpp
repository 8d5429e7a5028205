// RowReader: what every format's reader in pieces does, before the steps that are the same for all
// of them (missing values, the number of features) in open_rows.cpp. The counterpart of Reader in
// format.hpp for tables that need not fit in memory.
#pragma once

#include "data/format.hpp"

#include <algorithm>
#include <memory>

namespace mercer {

template <class T>
class RowReader {
 public:
  virtual ~RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  [[nodiscard]] virtual Index cols() const = 0;  ///< features
  [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;
  /// Of the label, as the format's Reader names it; empty without one.
  [[nodiscard]] virtual std::string label_column() const = 0;
  /// Rows at a time when the caller does not care: about 8 MB of numbers.
  [[nodiscard]] virtual Index usual_chunk() const {
    return std::max<Index>(1, (Index{1} << 20) / std::max<Index>(1, cols()));
  }
  /// The next rows, `most` of them or what is left. A label serves only to mark rows where it is
  /// missing. Valid until the next call.
  [[nodiscard]] virtual RawTable<T> read(Index most) = 0;
  [[nodiscard]] virtual bool can_rewind() const = 0;
  virtual void rewind() = 0;  ///< only where can_rewind()
  /// The share that has been read; 0 where the whole is not known.
  [[nodiscard]] virtual double fraction() const = 0;

 protected:
  RowReader() = default;
};

template <class T>
using RowReaderMaker = std::unique_ptr<RowReader<T>> (*)(const Location&, const ReadOptions&, const Run&);

template <class T>
[[nodiscard]] std::unique_ptr<RowReader<T>> open_delimited(const Location& file, const ReadOptions& options,
                                                           const Run& run);
template <class T>
[[nodiscard]] std::unique_ptr<RowReader<T>> open_libsvm(const Location& file, const ReadOptions& options,
                                                        const Run& run);
template <class T>
[[nodiscard]] std::unique_ptr<RowReader<T>> open_npy(const Location& file, const ReadOptions& options,
                                                     const Run& run);
template <class T>
[[nodiscard]] std::unique_ptr<RowReader<T>> open_npz(const Location& file, const ReadOptions& options,
                                                     const Run& run);

/// By the ending of the file's name.
template <class T>
[[nodiscard]] std::unique_ptr<RowReader<T>> open_reader(const Location& file, const ReadOptions& options,
                                                        const Run& run);

}  // namespace mercer
