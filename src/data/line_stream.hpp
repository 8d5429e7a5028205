// LineStream: whole lines of a text that is read as it is needed. Holds no more than the lines asked
// for and a little of what follows.
#pragma once

#include "data/byte_stream.hpp"
#include "data/text_lines.hpp"

namespace mercer {

class LineStream {
 public:
  struct Lines {
    std::string_view text;  ///< valid until the next call
    Index lines = 0;
    Index rows = 0;  ///< those of them that count
  };

  explicit LineStream(const Location& file) : bytes_(open_bytes(file)) {}

  /// The text from here to the end of its `rows`-th line for which is_row(line) holds, or to its
  /// end. Nothing is taken off before skip().
  template <class IsRow>
  [[nodiscard]] Lines ahead(Index rows, IsRow&& is_row) {
    Lines out;
    std::size_t line = begin_, searched = begin_;
    while (out.rows < rows) {
      const auto newline = find_newline(line, searched);
      if (newline == nothing) break;
      std::string_view rest(buffer_.data() + line, newline - line);
      ++out.lines;
      if (is_row(take_line(rest))) ++out.rows;
      line = searched = std::min(newline + 1, end_);
    }
    out.text = std::string_view(buffer_.data() + begin_, line - begin_);
    return out;
  }

  /// Whole lines of about this many bytes (at least one line), or what is left. Nothing is taken off before
  /// skip().
  [[nodiscard]] std::string_view ahead_bytes(std::size_t size);

  void skip(std::size_t bytes) { begin_ += bytes; }
  [[nodiscard]] bool can_rewind() const { return bytes_->can_rewind(); }
  void rewind();
  [[nodiscard]] double fraction() const { return bytes_->fraction(); }

 private:
  static constexpr std::size_t nothing = static_cast<std::size_t>(-1);

  /// Where the line that begins at `line` ends; nothing when there is none. Reads on, and then
  /// what was at `line` may have moved: both are kept right.
  [[nodiscard]] std::size_t find_newline(std::size_t& line, std::size_t& searched);
  /// Reads on; false at the end of the file. Returns how far the text moved to the front.
  bool fill(std::size_t& moved);

  std::unique_ptr<ByteStream> bytes_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< of the text in the buffer that has not been taken
};

}  // namespace mercer
