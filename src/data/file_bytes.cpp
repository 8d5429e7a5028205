// Whole inputs: mmap where the file allows it, a stream read to its end otherwise.
#include "data/file_bytes.hpp"

#include "data/byte_stream.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace mercer {

namespace {

FileBytes read_to_end(ByteStream& stream) {
  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < (1U << 18)) text.resize(std::max<std::size_t>(1U << 20, 2 * text.size()));
    const std::size_t got = stream.read(text.data() + used, text.size() - used);
    if (got == 0) break;
    used += got;
  }
  text.resize(used);
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {*owner, owner};
}

}  // namespace

void FileBytes::drop_pages(std::size_t from, std::size_t to) const {
  if (!mapped) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  from = from / page * page;  // a page too many is no harm: it comes back when it is read
  if (to < text.size()) to = to / page * page;
  if (from < to) ::madvise(const_cast<char*>(text.data()) + from, to - from, MADV_DONTNEED);
}

FileBytes map_file(const std::string& path, Access access) {
  struct stat info {};
  Descriptor file = open_to_read(path, info);
  if (!S_ISREG(info.st_mode)) return read_to_end(*bytes_of(path, std::move(file)));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return {};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED)
    return read_to_end(*bytes_of(path, std::move(file)));  // some file systems cannot map
  ::madvise(memory, size, access == Access::whole ? MADV_WILLNEED : MADV_SEQUENTIAL);
  std::shared_ptr<const void> owner(memory, [size](void* p) { ::munmap(p, size); });
  return {std::string_view(static_cast<const char*>(memory), size), std::move(owner), true};
}

FileBytes text_bytes(const Location& file) {
  if (file.standard_stream || file.gzip) return read_to_end(*open_bytes(file));
  return map_file(file.path);
}

}  // namespace mercer
