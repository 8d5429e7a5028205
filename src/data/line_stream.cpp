// Lines from a stream: a buffer that moves along, and grows only for lines longer than itself.
#include "data/line_stream.hpp"

#include <algorithm>
#include <cstring>

namespace mercer {

namespace {

/// Read at a time at least. The buffer begins small, so that small files do not wait for memory to be made.
constexpr std::size_t piece = std::size_t{1} << 16, first_buffer = std::size_t{1} << 13;

}  // namespace

bool LineStream::fill(std::size_t& moved) {
  moved = 0;
  const std::size_t size = buffer_.size(), room = std::min(piece, size / 2);
  if (end_ == size && size < 2 * piece) {  // the file is no small one
    buffer_.resize(std::max(first_buffer, 2 * size));
  } else if (size - end_ < room && begin_ >= size / 2) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    moved = begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < room) buffer_.resize(size + size / 2);
  const std::size_t got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

std::size_t LineStream::find_newline(std::size_t& line, std::size_t& searched) {
  for (;;) {
    if (const void* found =
            searched < end_ ? std::memchr(buffer_.data() + searched, '\n', end_ - searched) : nullptr)
      return static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
    searched = end_;
    std::size_t moved = 0;
    const bool more = fill(moved);
    line -= moved;
    searched -= moved;
    if (!more) return line < end_ ? end_ : nothing;  // the last line may lack its newline
  }
}

std::string_view LineStream::ahead_bytes(std::size_t size) {
  for (std::size_t moved = 0; end_ - begin_ < size && fill(moved);) {
  }
  const std::string_view there(buffer_.data() + begin_, end_ - begin_);
  if (there.size() < size) return there;  // all that is left
  if (const auto newline = there.rfind('\n', size - 1); newline != std::string_view::npos)
    return there.substr(0, newline + 1);
  std::size_t line = begin_, searched = begin_ + size;
  const std::size_t newline = find_newline(line, searched);
  return {buffer_.data() + line, std::min(newline + 1, end_) - line};
}

void LineStream::rewind() {
  bytes_->rewind();
  begin_ = end_ = 0;
}

}  // namespace mercer
