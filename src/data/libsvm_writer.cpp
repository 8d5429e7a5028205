// The writer of libsvm text: the target (a class in words becomes its number, no label becomes 0,
// since other programs expect one) and the entries that are not 0. Column names have no place here.
#include "data/row_sink.hpp"
#include "data/text_output.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace mercer {

namespace {

template <class T>
void put_entry(fmt::memory_buffer& out, Index column, T value) {
  if (value != 0) fmt::format_to(std::back_inserter(out), FMT_COMPILE(" {}:{}"), column + 1, value);
}

}  // namespace

template <class T>
void write_libsvm(const Location& file, const Samples<T>& rows, const TableShape& shape) {
  TextOutput output(file);
  fmt::memory_buffer line;
  for (Index i = 0; i < rows.rows(); ++i) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"),
                   shape.label != nullptr ? shape.number_of(i) : 0.0);
    if (rows.is_sparse()) {
      const auto s = rows.sparse();
      for (auto p = s.outerIndexPtr()[i]; p < s.outerIndexPtr()[i + 1]; ++p)
        put_entry(line, s.innerIndexPtr()[p], s.valuePtr()[p]);
    } else {
      const auto m = rows.dense();
      for (Index j = 0; j < m.cols(); ++j) put_entry(line, j, m(i, j));
    }
    line.push_back('\n');
    if (line.size() < (std::size_t{1} << 20)) continue;
    output.write(std::string_view(line.data(), line.size()));
    line.clear();
  }
  output.write(std::string_view(line.data(), line.size()));
  output.finish();
}

template void write_libsvm(const Location&, const Samples<float>&, const TableShape&);
template void write_libsvm(const Location&, const Samples<double>&, const TableShape&);

}  // namespace mercer
