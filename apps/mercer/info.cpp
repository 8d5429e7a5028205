// mercer info: what is this model?
#include "command.hpp"
#include "terminal.hpp"
#include "topics.hpp"

#include <mercer/error.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/model.hpp>
#include <mercer/reconstruction.hpp>
#include <mercer/tensor_model.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace mercer::app {
namespace {

constexpr std::size_t most_classes = 12;  // as pictures have it: more numbers are a scale

struct InfoFlags {
  std::string model, words;
  Index topics = 0, top = 8;
  bool json = false, reconstruction = false;
};

/// "a, b, c, ..., z" with at most `most` of them.
std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, ... {}",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), ", "),
                     names.back());
}

/// What was asked for beyond the report.
struct Extras {
  std::vector<Topic> topics;
  std::vector<ReconstructionStep> steps;
};

template <class T>
Extras extras_of(const InfoFlags& flags, const Model<T>& model) {
  if (!flags.words.empty() && flags.topics == 0)
    throw Error(ErrorCode::usage, "--words names the words of --topics", "add --topics N");
  Extras out;
  if (flags.topics > 0)
    out.topics = topics_of(model, flags.topics, flags.top,
                           flags.words.empty() ? std::vector<std::string>{} : read_words(flags.words));
  if (!flags.reconstruction) return out;
  if (!model.loadings())
    throw Error(ErrorCode::usage, fmt::format("{} does not reconstruct by directions", model.method()),
                "pca does");
  out.steps = reconstruction_steps(model.report());
  return out;
}

void add_json(const Extras& extras, nlohmann::ordered_json& json) {
  for (const Topic& topic : extras.topics) {
    nlohmann::ordered_json words = nlohmann::ordered_json::array();
    for (const auto& [word, weight] : topic.words) words.push_back({{"word", word}, {"weight", weight}});
    json["topics"].push_back({{"component", topic.component}, {"share", topic.share}, {"words", words}});
  }
  for (const ReconstructionStep& step : extras.steps)
    json["reconstruction"].push_back({{"components", step.components},
                                      {"share", step.share},
                                      {"rms_error", step.rms_error},
                                      {"numbers", step.numbers},
                                      {"saving", step.saving}});
}

std::string in_words(const Extras& extras) {
  std::string text;
  for (const Topic& topic : extras.topics) {
    text += fmt::format("topic {:<4} {:>5.1f} %  ", topic.component, 100 * topic.share);
    const char* separator = "";
    for (const auto& [word, weight] : topic.words) {
      text += fmt::format("{}{} {:+.2f}", separator, word, weight);
      separator = ", ";
    }
    text += "\n";
  }
  if (!extras.steps.empty())
    text += fmt::format("  {:>10}  {:>9}  {:>10}  {:>12}  {:>8}\n", "components", "captured", "rms error",
                        "numbers", "saving");
  for (const ReconstructionStep& step : extras.steps)
    text += fmt::format("  {:>10}  {:>7.2f} %  {:>10.4g}  {:>12.0f}  {:>6.1f} %\n", step.components,
                        100 * step.share, step.rms_error, step.numbers, 100 * step.saving);
  return text;
}

template <class T>
void print_json(const Model<T>& model, std::uintmax_t file_bytes, const Extras& extras) {
  auto json = nlohmann::ordered_json::parse(model.report().to_json());
  json["features"] = model.features();
  json["columns"] = model.columns();
  const auto* kernel_pca = dynamic_cast<const KernelPca<T>*>(&model);
  const bool tensor = dynamic_cast<const TensorModel<T>*>(&model) != nullptr;
  json["inverse"] = kernel_pca ? !kernel_pca->kernel().is_precomputed() : model.method() == "pca" || tensor;
  json["label"] = nullptr;
  if (const auto& label = model.label())
    json["label"] = {{"column", label->column}, {"classes", label->names}};
  json["file_bytes"] = file_bytes;
  add_json(extras, json);
  print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

template <class T>
void print_words(const Model<T>& model, const std::string& path, std::uintmax_t file_bytes,
                 const Extras& extras) {
  const auto* tensor = dynamic_cast<const TensorModel<T>*>(&model);
  auto text = fmt::format("{}: {} model, {} -> {} components, {} bytes\n", path, model.method(),
                          tensor ? "samples of " + to_string(tensor->sample_shape())
                                 : fmt::format("{} features", model.features()),
                          model.components(), file_bytes);
  if (!model.columns().empty()) text += fmt::format("columns    {}\n", some_of(model.columns(), 8));
  if (const auto& label = model.label(); label && label->names.empty())
    text += fmt::format("label      {}\n", label->column);
  else if (label && label->names.size() > most_classes && !label->values.empty())
    text += fmt::format("label      {} (numbers from {:.4g} to {:.4g})\n", label->column,
                        *std::min_element(label->values.begin(), label->values.end()),
                        *std::max_element(label->values.begin(), label->values.end()));
  else if (label)
    text += fmt::format("label      {} ({} classes: {})\n", label->column, label->names.size(),
                        some_of(label->names, 8));
  text += model.report().to_string();
  if (text.back() != '\n') text += '\n';
  print(text + in_words(extras));
}

}  // namespace

Command add_info(CLI::App& program) {
  auto flags = std::make_shared<InfoFlags>();
  auto* parser = program.add_subcommand("info", "what is this model?");
  parser->add_option("MODEL", flags->model, "a file written by --model")->required();
  parser->add_option("--topics", flags->topics, "the first N components by their heaviest features")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  parser->add_option("--words", flags->words, "what the features (or the rows) are called, one a line")
      ->type_name("FILE");
  parser->add_option("--top", flags->top, "how many features a topic (default 8)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  parser->add_flag("--reconstruction", flags->reconstruction, "error and storage at growing k");
  parser->add_flag("--json", flags->json, "as JSON on stdout");
  parser->footer("Example: mercer info digits.mercer");

  return {parser, [flags](const Session&) {
            with_precision(model_precision(flags->model), [&]<class T>() {
              const auto model = load_model<T>(flags->model);
              const auto bytes = std::filesystem::file_size(flags->model);
              const Extras extras = extras_of(*flags, *model);
              if (flags->json)
                print_json(*model, bytes, extras);
              else
                print_words(*model, flags->model, bytes, extras);
            });
          }};
}

}  // namespace mercer::app
