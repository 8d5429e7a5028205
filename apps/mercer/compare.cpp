// mercer compare: what several methods make of the same data, as one table and one picture (mission row M11).
#include "comparison.hpp"
#include "files.hpp"
#include "fit_options.hpp"
#include "kernels.hpp"
#include "manifold_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace mercer::app {
namespace {

using Maps = std::vector<MethodMap<double>>;
using Json = nlohmann::ordered_json;

struct CompareFlags {
  std::string data, out, scale = "none", kernel = "rbf(gamma=median)", pieces = "error";
  std::vector<std::string> methods{"pca", "kpca", "isomap", "lle", "hlle", "laplacian", "mvu", "tsne"};
  Index components = 2, neighbors = 12;
  double perplexity = 0;
  bool json = false;
  ReadFlags read;
  RunFlags run;
};

/// Cut rather than rounded to a 1 that it is not.
std::string share(double value, int decimals) {
  const double unit = std::pow(10.0, -decimals);
  return fmt::format("{:.{}f}", value < 1 ? std::min(value, 1 - unit) : value, decimals);
}

Json entry_of(const MethodMap<double>& map) {
  if (map.failure) return {{"method", map.method}, {"failure", map.failure->what()}};
  Json entry = {{"method", map.method}, {"seconds", map.seconds}, {"points", map.points.rows()}};
  if (map.quality)
    entry.update(Json{{"trustworthiness", map.quality->trustworthiness},
                      {"continuity", map.quality->continuity},
                      {"neighborhood_preservation", map.quality->preservation},
                      {"stress", map.quality->stress}});
  return entry;
}

void print_json(const CompareFlags& flags, const Dataset<double>& data, const Maps& maps) {
  Json json = {{"command", "compare"},           {"n", data.samples.rows()},     {"d", data.samples.cols()},
               {"components", flags.components}, {"neighbors", flags.neighbors}, {"methods", Json::array()}};
  for (const auto& map : maps) json["methods"].push_back(entry_of(map));
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string line_of(const MethodMap<double>& map) {
  if (map.failure) return fmt::format("{:<10}  failed: {}\n", map.method, map.failure->what());
  std::string out = fmt::format("{:<10}  {:>8.3f}", map.method, map.seconds);
  if (!map.quality) return out + "\n";
  const EmbeddingQuality& q = *map.quality;
  out += fmt::format("  {:>15}  {:>10}  {:>13.1f} %  {:>7.4f}", share(q.trustworthiness, 4),
                     share(q.continuity, 4), 100 * q.preservation, q.stress);
  if (!map.rows.empty()) out += fmt::format("  ({} points: the others are left out)", map.rows.size());
  return out + "\n";
}

void print_words(const CompareFlags& flags, const Maps& maps) {
  std::string text = fmt::format("{:<10}  {:>8}  {:>15}  {:>10}  {:>15}  {:>7}\n", "method", "seconds",
                                 "trustworthiness", "continuity", "neighbours kept", "stress");
  for (const auto& map : maps) text += line_of(map);
  if (!flags.out.empty()) text += fmt::format("picture    {}\n", flags.out);
  print(text);
}

void compare_and_report(const CompareFlags& flags, const CompareOptions& options, const Session& session) {
  Maps maps;
  Dataset<double> data;
  {
    ProgressBar bar(!flags.run.quiet);
    const Run run = flags.run.run(session, bar);
    data = read_dataset<double>(flags.data, flags.read.parsed(), run);
    session.interrupts.check();
    maps = compare<double>(data, options, run);
  }
  if (std::all_of(maps.begin(), maps.end(), [](const auto& map) { return map.failure.has_value(); }))
    throw Error(
        maps.front().failure->code(),
        fmt::format("no method succeeded; {}: {}", maps.front().method, maps.front().failure->message()),
        maps.front().failure->hint());
  if (!flags.out.empty()) plot::maps(flags.out, compared_maps(data, maps), data.label);
  if (flags.json)
    print_json(flags, data, maps);
  else
    print_words(flags, maps);
}

/// "84 ms", "1.4 s"
std::string duration(double seconds) {
  return seconds < 0.0995 ? fmt::format("{:.0f} ms", std::max(1.0, 1000 * seconds))
                          : fmt::format("{:.2g} s", seconds);
}

}  // namespace

std::vector<plot::PointMap> compared_maps(const Dataset<double>& data, const Maps& maps) {
  std::vector<plot::PointMap> out;
  const Index d = data.samples.cols();
  if (d == 2 || d == 3)
    out.push_back(
        {"the data", fmt::format("{} points, {}-D", data.samples.rows(), d), data.samples.to_dense()});
  for (const auto& map : maps) {
    plot::PointMap drawn{map.title};
    if (map.failure) {
      drawn.caption = map.failure->message();
    } else {
      drawn.points = map.points;
      drawn.rows = map.rows;
      if (map.quality)
        drawn.caption = fmt::format("trustworthiness {}, {}", share(map.quality->trustworthiness, 3),
                                    duration(map.seconds));
    }
    out.push_back(std::move(drawn));
  }
  return out;
}

Command add_compare(CLI::App& program) {
  auto flags = std::make_shared<CompareFlags>();
  auto* parser = program.add_subcommand("compare", "methods side by side: one table, one picture");
  const std::string what = "Problem", results = "Results", how = "Running";
  parser->add_option("DATA", flags->data, "csv, tsv, npy, npz, libsvm (text also .gz); '-' is CSV on stdin")
      ->required();
  parser
      ->add_option("--methods", flags->methods, "of those below, by commas (default all but mlle, diffusion)")
      ->type_name("LIST")
      ->delimiter(',')
      ->group(what);
  parser->add_option("-k,--components", flags->components, "coordinates of the maps (default 2)")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, Index{1000}).description(""))
      ->group(what);
  add_neighbors(*parser, flags->neighbors, what, "of each point, in graphs and measures (default 12)");
  add_pieces(*parser, flags->pieces, what);
  parser->add_option("--kernel", flags->kernel, "of kpca (default rbf(gamma=median))")
      ->type_name("SPEC")
      ->group(what);
  parser->add_option("--perplexity", flags->perplexity, "of tsne (default 30, less for few points)")
      ->type_name("P")
      ->check(positive_number())
      ->group(what);
  parser->add_option("--scale", flags->scale, "of the inputs (default none)")
      ->type_name("none|center|standardize")
      ->group(what);
  flags->read.add_to(*parser, "Reading");
  parser->add_option("--out", flags->out, "the maps side by side, coloured by --label: svg, png, pdf")
      ->type_name("PICTURE")
      ->group(results);
  parser->add_flag("--json", flags->json, "the table as JSON on stdout")->group(results);
  add_quiet(*parser, flags->run, results);
  add_memory(*parser, flags->run, how);
  add_threads(*parser, flags->run, how);
  add_seed(*parser, flags->run, how);
  parser->footer(fmt::format(
      "Methods: {}.\n"
      "Measures are best at 1; stress, how far straight distances are off, at 0: unrolling raises it.\n"
      "Example: mercer compare roll.csv --label t --methods pca,isomap,hlle,tsne --out maps.png",
      fmt::join(compared_methods(), ", ")));

  return {parser, [flags](const Session& session) {
            CompareOptions options;
            options.methods = flags->methods;
            for (const std::string& method : options.methods) (void)title_of_method(method);
            options.components = flags->components;
            options.neighbors.count = flags->neighbors;
            options.neighbors.disconnected = parse_disconnected(flags->pieces);
            options.kernel = parse_kernel(flags->kernel);
            options.perplexity = flags->perplexity;
            options.scale = parse_scale(flags->scale);
            if (!flags->out.empty()) plot::require_picture(flags->out);
            require_creatable(flags->out);
            compare_and_report(*flags, options, session);
          }};
}

}  // namespace mercer::app
