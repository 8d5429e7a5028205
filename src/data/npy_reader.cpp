// The reader of .npy files: read in one piece, checked, and used where it lies if its type allows.
#include "data/npy_reader.hpp"

#include "data/format.hpp"
#include "data/label.hpp"
#include "data/missing.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
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

NpyArray read_array(const std::string& path) {
  const FileBytes bytes = file_bytes(path);
  NpyArray out;
  out.where = path;
  out.header = parse_npy_header(bytes.text.substr(0, npy_header_limit), bytes.text.size(), path);
  out.data = bytes.text.data() + out.header.offset;
  out.owner = bytes.owner;
  return out;
}

NpyHeader read_npy_header(const Descriptor& file, std::size_t size, const std::string& path) {
  std::string beginning(std::min(size, npy_header_limit), '\0');
  read_all(file, 0, beginning.data(), beginning.size(), path);
  return parse_npy_header(beginning, size, path);
}

NpyHeader read_npy_header(const std::string& path) {
  struct stat info {};
  const Descriptor file = open_to_read(path, info);
  if (!S_ISREG(info.st_mode)) return read_array(path).header;
  return read_npy_header(file, static_cast<std::size_t>(info.st_size), path);
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
  return table_of<T>(read_array(file.path), options, run);
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
