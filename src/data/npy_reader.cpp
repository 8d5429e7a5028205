// The reader of .npy files: memory-mapped, checked, and used where it lies if its type allows.
#include "data/npy_reader.hpp"

#include "data/file_bytes.hpp"
#include "data/format.hpp"
#include "data/label.hpp"
#include "data/missing.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer {

bool check_label(const RawLabel& label, Missing policy, const std::string& where) {
  bool missing = false;
  for (std::size_t i = 0; i < label.numbers.size(); ++i) {
    if (std::isfinite(label.numbers[i])) continue;
    if (std::isinf(label.numbers[i]) || policy != Missing::drop)
      throw Error(
          ErrorCode::bad_data, fmt::format("{}: row {}: the label is {}", where, i, label.numbers[i]),
          std::isinf(label.numbers[i]) ? "correct or remove it" : "drop such rows with --missing drop");
    missing = true;
  }
  return missing;
}

template <class T>
RawTable<T> table_of(const NpyArray& array, const ReadOptions& options, const Run& run) {
  const Samples<T> samples = array_samples<T>(array, run);
  RawTable<T> out;
  if (options.label.empty()) {
    out.samples = samples;
  } else {
    const Index column = find_label(options.label, {}, samples.cols(), array.where);
    if (samples.cols() == 1)
      throw Error(ErrorCode::bad_data, fmt::format("{}: no column but the label", array.where),
                  "there must be a feature");
    out = split_label_column(samples, column);
    out.has_missing = check_label(*out.label, options.missing, array.where);
  }
  out.has_missing |= scan_for_missing(out.samples, options.missing, array.where, run);
  return out;
}

template <class T>
RawTable<T> read_npy(const Location& file, const ReadOptions& options, const Run& run) {
  const FileBytes bytes = map_file(file.path);
  NpyArray array;
  array.where = file.path;
  array.header = parse_npy_header(bytes.text.substr(0, npy_header_limit), bytes.text.size(), file.path);
  array.data = bytes.text.data() + array.header.offset;
  array.owner = bytes.owner;
  return table_of<T>(array, options, run);
}

template RawTable<float> table_of(const NpyArray&, const ReadOptions&, const Run&);
template RawTable<double> table_of(const NpyArray&, const ReadOptions&, const Run&);
template RawTable<float> read_npy(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_npy(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
