// Files with checksums, so that a change to what they hold is not refused for its checksum alone: the packing
// by hand, nothing compressed.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::fuzz {

inline std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// `size` bytes, the low one first.
inline void put_little(std::string& out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// One member of a gzip file, of up to 65535 bytes.
inline std::string gzip_member(std::string_view text) {
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01", 11);
  put_little(out, text.size(), 2);
  put_little(out, ~text.size(), 2);
  out += text;
  put_little(out, crc_of(text), 4);
  put_little(out, text.size(), 4);
  return out;
}

/// An archive of named files.
inline std::string zip_archive(const std::vector<std::pair<std::string, std::string_view>>& files) {
  std::string out, directory;
  for (const auto& [name, bytes] : files) {
    std::string entry("\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00", 10);  // version 2, stored, 1980
    put_little(entry, crc_of(bytes), 4);
    put_little(entry, bytes.size(), 4);
    put_little(entry, bytes.size(), 4);
    put_little(entry, name.size(), 4);
    const std::size_t place = out.size();
    out += std::string("PK\x03\x04", 4) + entry + name;
    out += bytes;
    directory += std::string("PK\x01\x02\x14\x00", 6) + entry + std::string(10, '\0');
    put_little(directory, place, 4);
    directory += name;
  }
  const std::size_t place = out.size();
  out += directory + std::string("PK\x05\x06\x00\x00\x00\x00", 8);
  put_little(out, files.size(), 2);
  put_little(out, files.size(), 2);
  put_little(out, directory.size(), 4);
  put_little(out, place, 4);
  put_little(out, 0, 2);
  return out;
}

/// The bytes with the checksum of each PNG chunk made right, as far as there are chunks.
inline std::string sealed_png(std::string_view bytes) {
  std::string out(bytes);
  const auto big = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(out[at + i]);
    return value;
  };
  for (std::size_t at = 8; at + 12 <= out.size();) {
    const std::size_t length = big(at);
    if (length > out.size() - at - 12) break;
    const std::uint32_t sum = crc_of(std::string_view(out).substr(at + 4, length + 4));
    for (std::size_t i = 0; i < 4; ++i)
      out[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i) & 0xff);
    at += 12 + length;
  }
  return out;
}

}  // namespace mercer::fuzz
