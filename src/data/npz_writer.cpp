// The writer of .npz: array `data` (or the name after 'file.npz:'), the column names as `columns`,
// and the label as an array of its own under its name. Rows wait in a temporary .npy until finish().
#include "base/atomic_file.hpp"
#include "data/npy_stream.hpp"
#include "data/npz_output.hpp"
#include "data/row_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mercer {

namespace {

/// UTF-8 to code points; a stray byte stands for itself.
std::u32string code_points(const std::string& text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 1 || i + length > text.size()) {
      out += static_cast<char32_t>(lead);
      ++i;
      continue;
    }
    char32_t c = lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) c = c << 6 | (byte(i + k) & 0x3fU);
    out += c;
    i += length;
  }
  return out;
}

/// A 1-D array of texts (numpy's <U).
std::string text_array(const std::vector<std::string>& texts) {
  std::vector<std::u32string> decoded;
  std::size_t width = 1;
  for (const auto& t : texts) width = std::max(width, decoded.emplace_back(code_points(t)).size());
  std::string out = format_npy_header(fmt::format("<U{}", width), {static_cast<Index>(texts.size())});
  for (auto& t : decoded) {
    t.resize(width, U'\0');
    out.append(reinterpret_cast<const char*>(t.data()), 4 * width);
  }
  return out;
}

std::string number_array(const std::vector<double>& numbers) {
  std::string out = format_npy_header("<f8", {static_cast<Index>(numbers.size())});
  out.append(reinterpret_cast<const char*>(numbers.data()), sizeof(double) * numbers.size());
  return out;
}

template <class T>
class NpzSink final : public RowSink<T> {
 public:
  NpzSink(const Location& file, TableShape shape)
      : shape_(std::move(shape)),
        name_(file.array.empty() ? "data" : file.array),
        file_(file.path),
        rows_(file.path),
        stream_(rows_, shape_.cols) {}

  void append(const MatrixView<T>& rows) override { stream_.append(rows); }

  void finish() override {
    stream_.close();
    const std::string columns = shape_.columns.empty() ? std::string() : text_array(shape_.columns);
    const std::string label = label_array();
    file_.add_file(name_, rows_);
    if (!columns.empty()) file_.add_bytes("columns", columns);
    if (!label.empty()) file_.add_bytes(label_name(), label);
    file_.finish();
  }

 private:
  [[nodiscard]] std::string label_array() const {
    if (shape_.label == nullptr) return {};
    if (!shape_.label->values.empty()) return number_array(shape_.label->values);
    std::vector<std::string> texts;
    for (Index i = 0; i < static_cast<Index>(shape_.label->codes.size()); ++i)
      texts.push_back(shape_.class_of(i));
    return text_array(texts);
  }

  [[nodiscard]] std::string label_name() const {
    const std::string& name = shape_.label->column;
    const bool index =
        !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    const bool usable =
        !name.empty() && !index && name != name_ && name != "columns" && name.find('/') == std::string::npos;
    return usable ? name : "label";
  }

  TableShape shape_;
  std::string name_;
  NpzOutput file_;
  AtomicFile rows_;  ///< never committed: it goes when the sink goes
  NpyStream<T> stream_;
};

}  // namespace

template <class T>
std::unique_ptr<RowSink<T>> make_npz_sink(const Location& file, TableShape shape) {
  return std::make_unique<NpzSink<T>>(file, std::move(shape));
}

template std::unique_ptr<RowSink<float>> make_npz_sink(const Location&, TableShape);
template std::unique_ptr<RowSink<double>> make_npz_sink(const Location&, TableShape);

}  // namespace mercer
