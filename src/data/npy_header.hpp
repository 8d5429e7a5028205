// The header of a .npy array (numpy.lib.format, versions 1.0 to 3.0): element type, order, shape.
// Parsing checks every size against the bytes there are, so what follows may trust it.
#pragma once

#include <mercer/matrix.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct NpyHeader {
  std::string descr;     ///< as in the file: "<f8"
  char kind = 'f';       ///< b, i, u, f; U and S are texts
  std::size_t item = 8;  ///< bytes an element
  bool swapped = false;  ///< not in this machine's byte order
  bool fortran = false;  ///< first index fastest
  std::vector<Index> shape;
  std::size_t offset = 0;  ///< where the data begins

  [[nodiscard]] std::size_t count() const;  ///< elements
  [[nodiscard]] Index rows() const { return shape.empty() ? 1 : shape[0]; }
  [[nodiscard]] Index cols() const;  ///< all axes but the first, flattened
  [[nodiscard]] bool is_numeric() const;
  [[nodiscard]] bool is_text() const { return kind == 'U' || kind == 'S'; }
};

/// More than any header of a numeric array needs.
inline constexpr std::size_t npy_header_limit = 1U << 16;

/// `beginning`: the first bytes, at least min(total, npy_header_limit); `total`: of the whole array file.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view beginning, std::uint64_t total,
                                         const std::string& where);

/// A version 1.0 header for an array of T with this shape: 128 bytes for any table, so that it can be written
/// again once the number of rows is known; longer, in steps of 64, only for many axes.
inline constexpr std::size_t npy_written_header = 128;
[[nodiscard]] std::string format_npy_header(std::string_view descr, const std::vector<Index>& shape);

}  // namespace mercer
