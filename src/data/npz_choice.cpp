// Which array holds the samples, which one the label.
#include "data/npz_choice.hpp"

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

}  // namespace

NpzChoice choose_arrays(const NpzArchive& archive, const Location& file, const ReadOptions& options) {
  NpzChoice out;
  out.label = options.label.empty() ? nullptr : archive.find(options.label);
  const Entry& entry = file.array.empty() ? choose(archive, file, out.label) : named(archive, file);
  out.samples = &entry;
  if (out.label != nullptr && out.label->header.count() != static_cast<std::size_t>(entry.header.rows()))
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: {} labels in '{}' for {} samples in '{}'", file.path,
                            out.label->header.count(), out.label->name, entry.header.rows(), entry.name),
                archive.list());
  return out;
}

std::vector<std::string> npz_columns(const NpzArchive& archive, const NpzChoice& choice,
                                     const ReadOptions& options) {
  if (choice.label == nullptr && !options.label.empty()) return {};
  const Entry* entry = archive.find("columns");
  if (entry == nullptr || !entry->header.is_text() ||
      entry->header.count() != static_cast<std::size_t>(choice.samples->header.cols()))
    return {};
  return array_texts(archive.read(*entry));
}

}  // namespace mercer
