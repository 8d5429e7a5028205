// The bytes of an input, wherever they come from: a memory-mapped file, a gunzipped one, a pipe.
// Readers see one text view and need not know which; `owner` keeps it alive.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

struct FileBytes {
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// Maps a regular file, reads anything else to its end. Throws Error{no_input} saying why it cannot.
[[nodiscard]] FileBytes map_file(const std::string& path);
/// The same of a gzip file, unpacked; several members are joined.
[[nodiscard]] FileBytes gunzip_file(const std::string& path);
[[nodiscard]] FileBytes read_standard_input();

}  // namespace mercer
