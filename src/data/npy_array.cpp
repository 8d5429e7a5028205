// From .npy elements to samples: every numeric type, both byte orders, C and Fortran order.
#include "data/npy_array.hpp"

#include "base/parallel.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace mercer {

namespace {

/// Calls f.operator()<S>() with the C++ type of the elements.
template <class F>
decltype(auto) with_element_type(const NpyHeader& h, F&& f) {
  switch (h.kind) {
    case 'b':
      return f.template operator()<std::uint8_t>();
    case 'i':
      if (h.item == 1) return f.template operator()<std::int8_t>();
      if (h.item == 2) return f.template operator()<std::int16_t>();
      if (h.item == 4) return f.template operator()<std::int32_t>();
      return f.template operator()<std::int64_t>();
    case 'u':
      if (h.item == 1) return f.template operator()<std::uint8_t>();
      if (h.item == 2) return f.template operator()<std::uint16_t>();
      if (h.item == 4) return f.template operator()<std::uint32_t>();
      return f.template operator()<std::uint64_t>();
    default:
      if (h.item == 4) return f.template operator()<float>();
      return f.template operator()<double>();
  }
}

template <class S>
S load(const char* from, bool swapped) {
  std::array<char, sizeof(S)> bytes;
  std::memcpy(bytes.data(), from, sizeof(S));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<S>(bytes);
}

/// Where column c of the flattened array lies, in elements from its row's own place: columns count
/// through the trailing axes in C order, memory goes by the array's order.
std::vector<std::size_t> column_offsets(const NpyHeader& h) {
  std::vector<std::size_t> out(static_cast<std::size_t>(h.cols()));
  for (std::size_t c = 0; c < out.size(); ++c) {
    if (!h.fortran) {
      out[c] = c;
      continue;
    }
    std::size_t rest = c, offset = 0;
    for (std::size_t axis = h.shape.size(); axis-- > 1;) {
      std::size_t stride = 1;
      for (std::size_t a = 0; a < axis; ++a) stride *= static_cast<std::size_t>(h.shape[a]);
      offset += rest % static_cast<std::size_t>(h.shape[axis]) * stride;
      rest /= static_cast<std::size_t>(h.shape[axis]);
    }
    out[c] = offset;
  }
  return out;
}

template <class T, class S>
Matrix<T> converted(const NpyArray& array, Index first_row, Index rows, const Run& run) {
  const NpyHeader& h = array.header;
  const Index cols = h.cols();
  const auto offsets = column_offsets(h);
  const std::size_t row_step = h.fortran ? 1 : static_cast<std::size_t>(cols);
  Matrix<T> out(rows, cols);
  const Index block = std::clamp<Index>((Index{1} << 16) / cols, 16, 4096);
  parallel_for((rows + block - 1) / block, run, [&](Index b) {
    const Index first = b * block, last = std::min(rows, first + block);
    for (Index i = first; i < last; ++i) {
      const char* row = array.data + static_cast<std::size_t>(first_row + i) * row_step * sizeof(S);
      for (Index j = 0; j < cols; ++j)
        out(i, j) =
            static_cast<T>(load<S>(row + offsets[static_cast<std::size_t>(j)] * sizeof(S), h.swapped));
    }
  });
  return out;
}

template <class T, class S>
Vector<T> converted(const NpyArray& array, const Run& run) {
  const auto count = static_cast<Index>(array.header.count());
  constexpr Index block = Index{1} << 16;
  Vector<T> out(count);
  parallel_for((count + block - 1) / block, run, [&](Index b) {
    for (Index i = b * block; i < std::min(count, (b + 1) * block); ++i)
      out[i] =
          static_cast<T>(load<S>(array.data + static_cast<std::size_t>(i) * sizeof(S), array.header.swapped));
  });
  return out;
}

/// Can the elements be used where they lie?
template <class T>
bool holds(const NpyArray& array) {
  const NpyHeader& h = array.header;
  const bool aligned = reinterpret_cast<std::uintptr_t>(array.data) % alignof(T) == 0;
  return h.kind == 'f' && h.item == sizeof(T) && !h.swapped && aligned;
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18 & 0x7));
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

}  // namespace

void require_numeric(const NpyHeader& h, const std::string& where) {
  if (h.is_numeric()) return;
  const std::string_view what = h.kind == 'f'   ? "half or extended precision"
                                : h.kind == 'c' ? "complex numbers"
                                : h.kind == 'O' ? "Python objects"
                                : h.kind == 'V' ? "records"
                                : h.is_text()   ? "texts"
                                                : "no numbers";
  throw Error(ErrorCode::bad_data, fmt::format("{}: type '{}' ({}) is not read", where, h.descr, what),
              "save it as float32, float64, an integer type or bool");
}

void require_rows(const NpyHeader& h, const std::string& where) {
  require_numeric(h, where);
  if (h.shape.empty()) throw Error(ErrorCode::bad_data, fmt::format("{}: one number, not an array", where));
  if (h.count() == 0)
    throw Error(ErrorCode::bad_data, fmt::format("{}: the array is empty", where),
                "an array of at least one row and one column is needed");
}

template <class T>
Samples<T> array_rows(const NpyArray& array, Index first, Index count, const Run& run) {
  const NpyHeader& h = array.header;
  if (holds<T>(array) && (!h.fortran || h.cols() == 1))
    return Samples<T>::borrow(reinterpret_cast<const T*>(array.data) + first * h.cols(), count, h.cols(),
                              h.cols(), array.owner);
  return with_element_type(
      h, [&]<class S>() -> Samples<T> { return converted<T, S>(array, first, count, run); });
}

template <class T>
Elements<T> array_elements(const NpyArray& array, const Run& run) {
  if (holds<T>(array)) return {reinterpret_cast<const T*>(array.data), array.owner};
  return with_element_type(array.header, [&]<class S>() -> Elements<T> {
    const auto values = std::make_shared<const Vector<T>>(converted<T, S>(array, run));
    return {values->data(), values};
  });
}

std::vector<std::string> array_texts(const NpyArray& array) {
  const NpyHeader& h = array.header;
  std::vector<std::string> out(h.count());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char* item = array.data + i * h.item;
    if (h.kind == 'S') {
      out[i] = std::string(item, ::strnlen(item, h.item));
      continue;
    }
    for (std::size_t k = 0; k + 4 <= h.item; k += 4) {
      const auto c = load<std::uint32_t>(item + k, h.swapped);
      if (c == 0) break;
      append_utf8(out[i], c);
    }
  }
  return out;
}

RawLabel array_label(const NpyArray& array, const std::string& name) {
  RawLabel label;
  label.column = name;
  const NpyHeader& h = array.header;
  if (h.is_text()) {
    auto texts = std::make_shared<const std::vector<std::string>>(array_texts(array));
    label.texts.assign(texts->begin(), texts->end());
    label.owner = texts;
    return label;
  }
  require_numeric(h, array.where);
  label.numbers.resize(h.count());
  with_element_type(h, [&]<class S>() {
    for (std::size_t i = 0; i < label.numbers.size(); ++i)
      label.numbers[i] = static_cast<double>(load<S>(array.data + i * sizeof(S), h.swapped));
  });
  return label;
}

template <class T>
RawTable<T> split_label_column(const Samples<T>& samples, Index column) {
  RawTable<T> out;
  const auto m = samples.dense();
  const Index rows = m.rows(), cols = m.cols();
  RawLabel& label = out.label.emplace();
  label.column = std::to_string(column);
  label.numbers.resize(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i)
    label.numbers[static_cast<std::size_t>(i)] = static_cast<double>(m(i, column));
  if (column == 0 || column == cols - 1) {
    const auto owner = std::make_shared<const Samples<T>>(samples);
    out.samples =
        Samples<T>::borrow(m.data() + (column == 0 ? 1 : 0), rows, cols - 1, m.outerStride(), owner);
    return out;
  }
  Matrix<T> rest(rows, cols - 1);
  rest.leftCols(column) = m.leftCols(column);
  rest.rightCols(cols - 1 - column) = m.rightCols(cols - 1 - column);
  out.samples = std::move(rest);
  return out;
}

template Samples<float> array_rows(const NpyArray&, Index, Index, const Run&);
template Samples<double> array_rows(const NpyArray&, Index, Index, const Run&);
template Elements<float> array_elements(const NpyArray&, const Run&);
template Elements<double> array_elements(const NpyArray&, const Run&);
template RawTable<float> split_label_column(const Samples<float>&, Index);
template RawTable<double> split_label_column(const Samples<double>&, Index);

}  // namespace mercer
