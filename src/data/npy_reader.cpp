// The reader of .npy files: memory-mapped, checked, and used where it lies if its type allows.
#include "data/npy_reader.hpp"

#include "data/format.hpp"
#include "data/label.hpp"
#include "data/missing.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer {

bool check_label(const RawLabel& label, Index first, Missing policy, const std::string& where) {
  bool missing = false;
  for (std::size_t i = 0; i < label.numbers.size(); ++i) {
    if (std::isfinite(label.numbers[i])) continue;
    if (std::isinf(label.numbers[i]) || policy != Missing::drop)
      throw Error(
          ErrorCode::bad_data,
          fmt::format("{}: row {}: the label is {}", where, first + static_cast<Index>(i), label.numbers[i]),
          std::isinf(label.numbers[i]) ? "correct or remove it" : "drop such rows with --missing drop");
    missing = true;
  }
  return missing;
}

MappedArray map_array(const std::string& path, Access access) {
  MappedArray out;
  out.bytes = map_file(path, access);
  const std::string_view text = out.bytes.text;
  out.array.where = path;
  out.array.header = parse_npy_header(text.substr(0, npy_header_limit), text.size(), path);
  out.array.data = text.data() + out.array.header.offset;
  out.array.owner = out.bytes.owner;
  return out;
}

Index label_column(const NpyHeader& header, const ReadOptions& options, const std::string& where) {
  if (options.label.empty()) return -1;
  const Index column = find_label(options.label, {}, header.cols(), where);
  if (header.cols() == 1)
    throw Error(ErrorCode::bad_data, fmt::format("{}: no column but the label", where),
                "there must be a feature");
  return column;
}

template <class T>
RawTable<T> table_of(const Samples<T>& rows, Index label, Index first, Missing missing,
                     const std::string& where, const Run& run) {
  RawTable<T> out;
  if (label < 0) {
    out.samples = rows;
  } else {
    out = split_label_column(rows, label);
    out.has_missing = check_label(*out.label, first, missing, where);
  }
  out.has_missing |= scan_for_missing(out.samples, first, missing, where, run);
  return out;
}

template <class T>
RawTable<T> table_of(const NpyArray& array, const ReadOptions& options, const Run& run) {
  const NpyHeader& h = array.header;
  require_rows(h, array.where);
  return table_of(array_rows<T>(array, 0, h.rows(), run), label_column(h, options, array.where), 0,
                  options.missing, array.where, run);
}

template <class T>
RawTable<T> read_npy(const Location& file, const ReadOptions& options, const Run& run) {
  return table_of<T>(map_array(file.path, Access::whole).array, options, run);
}

template RawTable<float> table_of(const Samples<float>&, Index, Index, Missing, const std::string&,
                                  const Run&);
template RawTable<double> table_of(const Samples<double>&, Index, Index, Missing, const std::string&,
                                   const Run&);
template RawTable<float> table_of(const NpyArray&, const ReadOptions&, const Run&);
template RawTable<double> table_of(const NpyArray&, const ReadOptions&, const Run&);
template RawTable<float> read_npy(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_npy(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
