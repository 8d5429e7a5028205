// The formats we read: one table, one reader signature; the ending of the file's name chooses.
// To add a format, write its reader, whole and in pieces (row_reader.hpp), and add its line in format.cpp.
#pragma once

#include "data/raw_table.hpp"

#include <string>
#include <vector>

namespace mercer {

/// What a path says about itself.
struct Location {
  std::string path;    ///< the file, without ':array'
  std::string ending;  ///< lower case, without the dot and without '.gz'; "csv" for '-'
  std::string array;   ///< after 'file.npz:'
  bool gzip = false;
  bool standard_stream = false;  ///< '-'

  /// For messages: the path as given, "stdin" for '-'.
  [[nodiscard]] std::string shown() const;
};

/// Splits a path; throws Error{usage} when the ending is none of ours.
[[nodiscard]] Location locate(const std::string& path);
/// The same for a file to be read: one that is not there is told before an ending that is not known.
[[nodiscard]] Location locate_input(const std::string& path);

/// Throws Error{bad_data} unless the number of features is the one expected; 0: any is fine.
void require_features(Index found, Index expected, const std::string& where);

template <class T>
using Reader = RawTable<T> (*)(const Location&, const ReadOptions&, const Run&);

template <class T>
[[nodiscard]] RawTable<T> read_delimited(const Location& file, const ReadOptions& options, const Run& run);
template <class T>
[[nodiscard]] RawTable<T> read_npy(const Location& file, const ReadOptions& options, const Run& run);
template <class T>
[[nodiscard]] RawTable<T> read_npz(const Location& file, const ReadOptions& options, const Run& run);
template <class T>
[[nodiscard]] RawTable<T> read_libsvm(const Location& file, const ReadOptions& options, const Run& run);

template <class T>
[[nodiscard]] Reader<T> reader_of(const Location& file);

}  // namespace mercer
