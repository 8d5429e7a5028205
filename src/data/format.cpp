// The table of formats and how a path is taken apart.
#include "data/format.hpp"

#include "data/row_reader.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace mercer {

namespace {

struct Format {
  std::string_view ending;
  bool text;  ///< may carry .gz
  Reader<float> read_float;
  Reader<double> read_double;
  RowReaderMaker<float> open_float;
  RowReaderMaker<double> open_double;
};

constexpr std::array<Format, 8> formats{{
    {"csv", true, read_delimited<float>, read_delimited<double>, open_delimited<float>,
     open_delimited<double>},
    {"tsv", true, read_delimited<float>, read_delimited<double>, open_delimited<float>,
     open_delimited<double>},
    {"txt", true, read_delimited<float>, read_delimited<double>, open_delimited<float>,
     open_delimited<double>},
    {"dat", true, read_delimited<float>, read_delimited<double>, open_delimited<float>,
     open_delimited<double>},
    {"npy", false, read_npy<float>, read_npy<double>, open_npy<float>, open_npy<double>},
    {"npz", false, read_npz<float>, read_npz<double>, open_npz<float>, open_npz<double>},
    {"libsvm", true, read_libsvm<float>, read_libsvm<double>, open_libsvm<float>, open_libsvm<double>},
    {"svm", true, read_libsvm<float>, read_libsvm<double>, open_libsvm<float>, open_libsvm<double>},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Takes the last ".xyz" off a name and returns "xyz"; empty when there is none.
std::string take_ending(std::string& name) {
  const auto dot = name.find_last_of("./");
  if (dot == std::string::npos || name[dot] == '/') return {};
  std::string ending = lower(std::string_view(name).substr(dot + 1));
  name.resize(dot);
  return ending;
}

const Format* find_format(std::string_view ending) {
  const auto* found =
      std::find_if(formats.begin(), formats.end(), [&](const Format& f) { return f.ending == ending; });
  return found == formats.end() ? nullptr : found;
}

[[noreturn]] void fail_unknown(const std::string& path, std::string_view ending) {
  const std::string what =
      ending.empty() ? "the name has no ending" : fmt::format("unknown ending '.{}'", ending);
  throw Error(ErrorCode::usage, fmt::format("{}: {}", path, what),
              "known: .csv .tsv .txt .dat .npy .npz .npz:ARRAY .libsvm .svm, the text ones also with .gz; "
              "'-' is CSV");
}

}  // namespace

std::string Location::shown() const { return standard_stream ? "stdin" : path; }

Location locate(const std::string& path) {
  Location out{.path = path, .ending = {}, .array = {}};
  if (path == "-") {
    out.ending = "csv";
    out.standard_stream = true;
    return out;
  }
  if (const auto colon = lower(path).rfind(".npz:"); colon != std::string::npos) {
    out.array = path.substr(colon + 5);
    out.path = path.substr(0, colon + 4);
    out.ending = "npz";
    return out;
  }
  std::string name = path;
  out.ending = take_ending(name);
  std::error_code ignored;
  if (out.ending.empty() && std::filesystem::is_other(path, ignored)) {  // /dev/stdin, /dev/null, a pipe
    out.ending = "csv";
    return out;
  }
  if (out.ending == "gz") {
    out.gzip = true;
    out.ending = take_ending(name);
  }
  const Format* format = find_format(out.ending);
  if (format == nullptr) fail_unknown(path, out.ending);
  if (out.gzip && !format->text) fail_unknown(path, out.ending + ".gz");
  return out;
}

Location locate_input(const std::string& path) {
  try {
    return locate(path);
  } catch (const Error&) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw Error(ErrorCode::no_input, fmt::format("{}: is a folder, not a file", path), "name a file in it");
    if (std::filesystem::exists(path, ignored)) throw;
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path), "check the name and the folder");
  }
}

void require_features(Index found, Index expected, const std::string& where) {
  if (expected == 0 || found == expected) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: {} feature{}, expected {}", where, found, found == 1 ? "" : "s", expected),
              "columns that are not features are named with --label");
}

template <class T>
Reader<T> reader_of(const Location& file) {
  const Format* format = find_format(file.ending);
  if (format == nullptr) fail_unknown(file.path, file.ending);
  if constexpr (std::is_same_v<T, float>)
    return format->read_float;
  else
    return format->read_double;
}

template <class T>
std::unique_ptr<RowReader<T>> open_reader(const Location& file, const ReadOptions& options, const Run& run) {
  const Format* format = find_format(file.ending);
  if (format == nullptr) fail_unknown(file.path, file.ending);
  if constexpr (std::is_same_v<T, float>)
    return format->open_float(file, options, run);
  else
    return format->open_double(file, options, run);
}

template Reader<float> reader_of(const Location&);
template Reader<double> reader_of(const Location&);
template std::unique_ptr<RowReader<float>> open_reader(const Location&, const ReadOptions&, const Run&);
template std::unique_ptr<RowReader<double>> open_reader(const Location&, const ReadOptions&, const Run&);

}  // namespace mercer
