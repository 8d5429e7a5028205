// mercer info: what is this model?
#include "command.hpp"
#include "terminal.hpp"

#include <mercer/kernel_pca.hpp>
#include <mercer/model.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace mercer::app {
namespace {

struct Flags {
  std::string model;
  bool json = false;
};

/// "a, b, c, ..., z" with at most `most` of them.
std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, ... {}",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), ", "),
                     names.back());
}

template <class T>
void print_json(const Model<T>& model, std::uintmax_t file_bytes) {
  auto json = nlohmann::ordered_json::parse(model.report().to_json());
  json["features"] = model.features();
  json["columns"] = model.columns();
  const auto* kernel_pca = dynamic_cast<const KernelPca<T>*>(&model);
  json["inverse"] = kernel_pca ? !kernel_pca->kernel().is_precomputed() : model.method() == "pca";
  json["label"] = nullptr;
  if (const auto& label = model.label())
    json["label"] = {{"column", label->column}, {"classes", label->names}};
  json["file_bytes"] = file_bytes;
  print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

template <class T>
void print_words(const Model<T>& model, const std::string& path, std::uintmax_t file_bytes) {
  auto text = fmt::format("{}: {} model, {} features -> {} components, {} bytes\n", path, model.method(),
                          model.features(), model.components(), file_bytes);
  if (!model.columns().empty()) text += fmt::format("columns    {}\n", some_of(model.columns(), 8));
  if (const auto& label = model.label(); label && label->names.empty())
    text += fmt::format("label      {}\n", label->column);
  else if (label)
    text += fmt::format("label      {} ({} classes: {})\n", label->column, label->names.size(),
                        some_of(label->names, 8));
  text += model.report().to_string();
  if (text.back() != '\n') text += '\n';
  print(text);
}

}  // namespace

Command add_info(CLI::App& program) {
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("info", "what is this model?");
  parser->add_option("MODEL", flags->model, "a file written by --model")->required();
  parser->add_flag("--json", flags->json, "as JSON on stdout");
  parser->footer("Example: mercer info digits.mercer");

  return {parser, [flags](const Session&) {
            with_precision(model_precision(flags->model), [&]<class T>() {
              const auto model = load_model<T>(flags->model);
              const auto bytes = std::filesystem::file_size(flags->model);
              if (flags->json)
                print_json(*model, bytes);
              else
                print_words(*model, flags->model, bytes);
            });
          }};
}

}  // namespace mercer::app
