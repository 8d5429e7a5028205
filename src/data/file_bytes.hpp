// The bytes of an input, wherever they come from: a file, a gunzipped one, a pipe. Readers see one text view
// and need not know which; `owner` keeps it alive. They are a copy: what happens to the file later is no
// concern of whoever uses them (docs/architecture.md says why nothing is mapped).
#pragma once

#include "data/format.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

struct FileBytes {
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// Memory for bytes that will be read, at a page's beginning as Eigen and the vector units like it.
[[nodiscard]] std::shared_ptr<char> page_aligned(std::size_t bytes);

/// Reads a file, a device or a pipe to its end. Throws Error{no_input} saying why it cannot, Error{no_memory}
/// where it is larger than this machine's memory, Error{io} where it changes meanwhile.
[[nodiscard]] FileBytes file_bytes(const std::string& path);
/// All of a text: read, unpacked, as the location says.
[[nodiscard]] FileBytes text_bytes(const Location& file);

}  // namespace mercer
