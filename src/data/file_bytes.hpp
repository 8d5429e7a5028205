// The bytes of an input, wherever they come from: a memory-mapped file, a gunzipped one, a pipe.
// Readers see one text view and need not know which; `owner` keeps it alive.
#pragma once

#include "data/format.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

struct FileBytes {
  std::string_view text;
  std::shared_ptr<const void> owner;
  bool mapped = false;  ///< pages of the file itself, which the system can bring back

  /// Gives the memory of bytes [from, to) back where they are mapped; they may still be read, and
  /// come from the file again.
  void drop_pages(std::size_t from, std::size_t to) const;
};

/// How a mapping will be read: all of it and soon, or once from front to back.
enum class Access { whole, in_order };

/// Maps a regular file, reads anything else to its end. Throws Error{no_input} saying why it cannot.
[[nodiscard]] FileBytes map_file(const std::string& path, Access access = Access::whole);
/// All of a text: mapped, unpacked or read to its end, as the location says.
[[nodiscard]] FileBytes text_bytes(const Location& file);

}  // namespace mercer
