// Which arrays of an archive are meant: the samples, the label, the names of the columns.
#pragma once

#include "data/format.hpp"
#include "data/npz_archive.hpp"

namespace mercer {

struct NpzChoice {
  const NpzArchive::Entry* samples = nullptr;
  const NpzArchive::Entry* label = nullptr;  ///< an array of its own; null: none, or a column of the samples
};

/// Throws Error{usage} listing the arrays where it is not clear, Error{bad_data} where label and
/// samples do not belong together.
[[nodiscard]] NpzChoice choose_arrays(const NpzArchive& archive, const Location& file,
                                      const ReadOptions& options);

/// Names that write_table left beside the data; empty where there are none or a column is the label.
[[nodiscard]] std::vector<std::string> npz_columns(const NpzArchive& archive, const NpzChoice& choice,
                                                   const ReadOptions& options);

}  // namespace mercer
