// Whole inputs: a regular file in one piece, a stream to its end.
#include "data/file_bytes.hpp"

#include "base/memory.hpp"
#include "base/pages.hpp"
#include "data/byte_stream.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace mercer {

namespace {

constexpr std::size_t page_bytes = 4096;
/// What any machine has: to ask it takes longer than to read this.
constexpr std::size_t always_there = std::size_t{1} << 20;

FileBytes read_to_end(ByteStream& stream) {
  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < std::min<std::size_t>(1U << 16, text.size() / 2 + 1))
      text.resize(std::max<std::size_t>(1U << 13, 2 * text.size()));
    const std::size_t got = stream.read(text.data() + used, text.size() - used);
    if (got == 0) break;
    used += got;
  }
  text.resize(used);
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {*owner, owner};
}

}  // namespace

std::shared_ptr<char> page_aligned(std::size_t bytes) {
  auto* memory = static_cast<char*>(::operator new (bytes, std::align_val_t{page_bytes}));
  ask_for_huge_pages(memory, bytes);
  return {memory, [](char* p) { ::operator delete (p, std::align_val_t{page_bytes}); }};
}

FileBytes file_bytes(const std::string& path) {
  struct stat info {};
  Descriptor file = open_to_read(path, info);
  if (!S_ISREG(info.st_mode)) return read_to_end(*bytes_of(path, std::move(file)));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return {};
  if (size > always_there && size > machine_memory())
    throw Error(ErrorCode::no_memory,
                fmt::format("{}: {} are more than the memory of this machine", path,
                            format_bytes(static_cast<double>(size))),
                "'mercer transform' and '--route lowrank --rank R' read a table in pieces");
  const std::shared_ptr<char> memory = page_aligned(size);
  read_all(file, 0, memory.get(), size, path);
  Unchanged(info).check(file, path);
  return {std::string_view(memory.get(), size), memory};
}

FileBytes text_bytes(const Location& file) {
  if (file.standard_stream || file.gzip) return read_to_end(*open_bytes(file));
  return file_bytes(file.path);
}

}  // namespace mercer
