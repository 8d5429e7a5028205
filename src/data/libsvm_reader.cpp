// The reader of libsvm / svmlight text: CSR samples; the target is the label.
#include "data/file_bytes.hpp"
#include "data/format.hpp"
#include "data/libsvm_rows.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer {

template <class T>
RawTable<T> read_libsvm(const Location& file, const ReadOptions& options, const Run& run) {
  const std::string where = file.shown();
  require_libsvm_label(options.label, where);
  const FileBytes bytes = text_bytes(file);
  std::string_view text = bytes.text;
  if (text.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: the file is empty", where));
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  LibsvmRows<T> rows(where, options.missing);
  rows.parse(text, run);
  if (rows.rows() == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: the file has no rows", where));
  const Index wanted = options.transpose ? 0 : options.features;  // transposed, the rows are the features
  const Index cols = std::max<Index>(wanted, rows.width());
  if (cols == 0) throw Error(ErrorCode::bad_data, fmt::format("{}: no row has a value", where));
  return rows.take(cols, bytes.owner);
}

template RawTable<float> read_libsvm(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_libsvm(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
