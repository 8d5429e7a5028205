// Text to a file, a gzip stream or standard output.
#include "data/text_output.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace mercer {

/// zlib's deflate with a gzip wrapper, into the file.
struct TextOutput::Gzip {
  Gzip(AtomicFile& to) : file(to), buffer(std::size_t{1} << 16) {  // NOLINT(google-explicit-constructor)
    constexpr int gzip_wrapper = 15 + 16;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_wrapper, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error(ErrorCode::io, fmt::format("{}: cannot start zlib", file.path()));
  }
  ~Gzip() { deflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void deflate_piece(std::string_view text, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
    stream.avail_in = static_cast<uInt>(text.size());
    int status = Z_OK;
    do {
      stream.next_out = buffer.data();
      stream.avail_out = static_cast<uInt>(buffer.size());
      status = ::deflate(&stream, flush);
      file.write(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0 || (flush == Z_FINISH && status != Z_STREAM_END));
  }

  AtomicFile& file;
  z_stream stream{};
  std::vector<Bytef> buffer;
};

TextOutput::TextOutput(const Location& file) {
  if (file.standard_stream) return;
  file_ = std::make_unique<AtomicFile>(file.path);
  if (file.gzip) gzip_ = std::make_unique<Gzip>(*file_);
}

TextOutput::~TextOutput() = default;

void TextOutput::write(std::string_view text) {
  if (gzip_) {
    constexpr std::size_t piece = std::size_t{1} << 30;  // zlib counts in 32 bits
    for (std::size_t at = 0; at < text.size(); at += piece)
      gzip_->deflate_piece(text.substr(at, piece), Z_NO_FLUSH);
  } else if (file_) {
    file_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw Error(ErrorCode::io, fmt::format("stdout: writing failed: {}", std::strerror(errno)));
  }
}

void TextOutput::finish() {
  if (gzip_) gzip_->deflate_piece({}, Z_FINISH);
  if (file_)
    file_->commit();
  else if (std::fflush(stdout) != 0)
    throw Error(ErrorCode::io, fmt::format("stdout: writing failed: {}", std::strerror(errno)));
}

}  // namespace mercer
