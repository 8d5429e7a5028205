// The reader of .npz: which array holds the samples, which one the label.
#include "data/format.hpp"
#include "data/npy_reader.hpp"
#include "data/npz_archive.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer {

namespace {

using Entry = NpzArchive::Entry;

const Entry& named(const NpzArchive& archive, const Location& file) {
  if (const Entry* found = archive.find(file.array)) return *found;
  throw Error(ErrorCode::usage, fmt::format("{}: no array '{}'", file.path, file.array), archive.list());
}

/// The only array of numbers; else the only one with two axes or more; else the only one with two.
const Entry& choose(const NpzArchive& archive, const Location& file, const Entry* label) {
  for (const auto& [least, most] : {std::pair<std::size_t, std::size_t>{1, 64}, {2, 64}, {2, 2}}) {
    const Entry* only = nullptr;
    int count = 0;
    for (const Entry& e : archive.entries()) {
      const auto axes = e.header.shape.size();
      if (&e == label || !e.header.is_numeric() || axes < least || axes > most) continue;
      only = &e;
      ++count;
    }
    if (count == 1) return *only;
  }
  if (archive.entries().size() == 1) return archive.entries().front();  // not numbers: its error says so
  throw Error(ErrorCode::usage, fmt::format("{}: which array holds the samples?", file.path),
              fmt::format("say {}:NAME; {}", file.path, archive.list()));
}

/// Names that write_table left beside the data.
std::vector<std::string> column_names(const NpzArchive& archive, Index count) {
  const Entry* entry = archive.find("columns");
  if (entry == nullptr || !entry->header.is_text() ||
      entry->header.count() != static_cast<std::size_t>(count))
    return {};
  return array_texts(archive.read(*entry));
}

}  // namespace

template <class T>
RawTable<T> read_npz(const Location& file, const ReadOptions& options, const Run& run) {
  const NpzArchive archive(file.path);
  const Entry* label = options.label.empty() ? nullptr : archive.find(options.label);
  const Entry& entry = file.array.empty() ? choose(archive, file, label) : named(archive, file);
  if (label == nullptr) {
    RawTable<T> out = table_of<T>(archive.read(entry), options, run);
    if (options.label.empty()) out.columns = column_names(archive, out.samples.cols());
    return out;
  }
  if (label->header.count() != static_cast<std::size_t>(entry.header.rows()))
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: {} labels in '{}' for {} samples in '{}'", file.path, label->header.count(),
                            label->name, entry.header.rows(), entry.name),
                archive.list());
  ReadOptions features_only = options;
  features_only.label.clear();
  RawTable<T> out = table_of<T>(archive.read(entry), features_only, run);
  out.columns = column_names(archive, out.samples.cols());
  out.label = array_label(archive.read(*label), label->name);
  out.has_missing |= check_label(*out.label, options.missing, file.path + ':' + label->name);
  return out;
}

template RawTable<float> read_npz(const Location&, const ReadOptions&, const Run&);
template RawTable<double> read_npz(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
