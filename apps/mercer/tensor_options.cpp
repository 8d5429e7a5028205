// The options that the decompositions share.
#include "tensor_options.hpp"

#include "files.hpp"

#include <mercer/error.hpp>
#include <mercer/tensor_file.hpp>

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace mercer::app {

void TensorFlags::add_to(CLI::App& parser, const std::function<void(CLI::App&, const std::string&)>& problem,
                         bool sparse) {
  parser
      .add_option(
          "STACK", data,
          fmt::format("npy, npz(:array), {}a folder of PGM or PNG images", sparse ? "tns (sparse), " : ""))
      ->required();
  const std::string what = "Problem", result = "Results", how = "Running";
  problem(parser, what);
  parser.add_option("--out", out, "the samples' scores: csv, tsv, npy, npz; '-' is CSV on stdout")
      ->type_name("FILE")
      ->group(result);
  parser.add_option("--model", model, "the fitted model, for transform, inverse, info and plot")
      ->type_name("FILE")
      ->group(result);
  parser.add_option("--reconstruct", reconstruct, "what the model makes of the stack: npy, npz, tns")
      ->type_name("FILE")
      ->group(result);
  parser.add_flag("--json", json, "the report as JSON on stdout")->group(result);
  add_quiet(parser, run, result);
  add_running_to(parser);
}

void TensorFlags::add_sample_mode(CLI::App& parser, const std::string& group) {
  parser.add_option("--sample-mode", sample_mode, "which mode counts the samples, from 0 (default 0)")
      ->type_name("M")
      ->check(CLI::Range(0, 1000).description(""))
      ->group(group);
}

void TensorFlags::check() const {
  FitFlags::check();
  if (reconstruct.empty()) return;
  for (const auto& other : {data, out, model})
    if (same_file(reconstruct, other))
      throw Error(ErrorCode::usage, fmt::format("{} would be written over by --reconstruct", other),
                  "name another file");
  if (!explain) require_tensor_creatable(reconstruct);
}

Ranks Ranks::parse(const std::string& text) {
  Ranks out;
  out.text_ = text;
  std::size_t at = 0;
  while (!text.empty() && at <= text.size()) {
    const std::string word = text.substr(at, text.find(',', at) - at);
    Index rank = 0;
    const char* end = word.data() + word.size();
    const auto [rest, code] = std::from_chars(word.data(), end, rank);
    if (word != "all" && (code != std::errc{} || rest != end || rank < 1))
      throw Error(ErrorCode::usage, fmt::format("--ranks {}: '{}' is no rank", text, word),
                  "a number of 1 or more for each mode, such as 10,10,5; 'all' leaves a mode as it is");
    out.ranks_.push_back(rank);
    at += word.size() + 1;
  }
  return out;
}

Shape Ranks::of(const Shape& sizes, const std::string& what) const {
  if (text_ == "all") return sizes;
  if (ranks_.size() != sizes.size())
    throw Error(ErrorCode::usage,
                fmt::format("--ranks {}: {} rank{} for {}", text_, ranks_.size(),
                            ranks_.size() == 1 ? "" : "s", what),
                fmt::format("{} {} needed, one a mode", sizes.size(), sizes.size() == 1 ? "is" : "are"));
  Shape out = ranks_;
  for (std::size_t m = 0; m < out.size(); ++m)
    if (out[m] == 0) out[m] = sizes[m];
  return out;
}

bool is_tensor_output(const std::string& path) {
  auto name = path;
  if (const auto array = name.rfind(".npz:"); array != std::string::npos) name.resize(array + 4);
  const auto ending = std::filesystem::path(name).extension();
  return ending == ".npy" || ending == ".npz" || is_sparse_tensor_file(path);
}

void require_tensor_creatable(const std::string& path) {
  if (path.empty()) return;
  if (!is_tensor_output(path))
    throw Error(ErrorCode::usage, fmt::format("{}: this ending names no format of N-way arrays", path),
                "npy, npz or tns");
  require_creatable(path);
}

}  // namespace mercer::app
