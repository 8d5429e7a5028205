// The reader of csv, tsv, txt and dat: the text's layout, then its rows.
#include "data/delimited_layout.hpp"
#include "data/delimited_rows.hpp"
#include "data/file_bytes.hpp"
#include "data/format.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer {

template <class T>
RawTable<T> read_delimited(const Location& file, const ReadOptions& options, const Run& run) {
  const std::string where = file.shown();
  const FileBytes bytes = text_bytes(file);
  const DelimitedLayout layout = find_layout(bytes.text, file.ending, options.label, where);
  auto rows = parse_rows<T>(layout, options.missing, where, run);

  RawTable<T> out;
  out.samples = std::move(rows.values);
  out.has_missing = rows.has_missing;
  for (Index i = 0; i < static_cast<Index>(layout.names.size()); ++i)
    if (i != layout.label) out.columns.push_back(layout.names[static_cast<std::size_t>(i)]);
  if (layout.label >= 0) {
    RawLabel& label = out.label.emplace();
    label.column = layout.label_name();
    label.texts = std::move(rows.labels);
    struct Owners {
      std::shared_ptr<const void> text, unescaped;
    };
    label.owner = std::make_shared<const Owners>(Owners{bytes.owner, rows.owner});
  }
  return out;
}

template RawTable<float> read_delimited(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_delimited(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
