// mercer tsne: a map whose neighbourhoods match those of the data (mission row M11).
#include "fit.hpp"
#include "manifold_options.hpp"

#include <mercer/tsne.hpp>

#include <memory>

namespace mercer::app {
namespace {

struct TsneFlags : MapFlags {
  std::string gradient = "auto", start = "pca", from, search = "auto";
  TsneOptions map;
};

void add_descent(CLI::App& app, const std::string& group, TsneFlags& flags) {
  app.add_option("--perplexity", flags.map.perplexity, "about how many neighbours count (default 30)")
      ->type_name("P")
      ->check(positive_number())
      ->group(group);
  app.add_option("--iterations", flags.map.iterations, "default 1000")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, Index{1000000}).description(""))
      ->group(group);
  app.add_option("--gradient", flags.gradient, "auto (by n), exact, barnes-hut, interpolation")
      ->type_name("KIND")
      ->check(CLI::IsMember({"auto", "exact", "barnes-hut", "interpolation"}).description(""))
      ->group(group);
  auto* start = app.add_option("--start", flags.start, "of the descent (default pca)")
                    ->type_name("pca|laplacian|random")
                    ->check(CLI::IsMember({"pca", "laplacian", "random"}).description(""))
                    ->group(group);
  app.add_option("--from", flags.from, "begin with this map instead, say with --exaggeration 1")
      ->excludes(start)
      ->type_name("FILE")
      ->group(group);
  app.add_option("--learning-rate", flags.map.learning_rate, "default n / exaggeration, at least 50")
      ->type_name("R")
      ->check(positive_number())
      ->group(group);
  app.add_option("--exaggeration", flags.map.exaggeration, "of attraction, at the beginning (default 12)")
      ->type_name("X")
      ->check(positive_number())
      ->group(group);
  add_search(app, flags.search, group);
}

}  // namespace

Command add_tsne(CLI::App& program) {
  auto flags = std::make_shared<TsneFlags>();
  auto* parser = program.add_subcommand("tsne", "t-SNE: a map whose neighbourhoods match the data's");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) { add_descent(app, group, *flags); });
  parser->footer(
      "van der Maaten and Hinton (2008); transform places new points in the finished map.\n"
      "Example: mercer tsne digits.csv.gz --label 64 --perplexity 30 --out map.csv --model digits.mercer");

  return {parser, [flags](const Session& session) {
            TsneOptions options = flags->map;
            options.components = flags->coordinates;
            options.gradient = parse_tsne_gradient(flags->gradient == "auto" ? "automatic" : flags->gradient);
            options.start = parse_tsne_start(flags->start);
            if (flags->from == "-" && flags->data == "-")
              throw Error(ErrorCode::usage, "'-' stands for DATA and for --from, and can be read once",
                          "give a file for one of them");
            if (!flags->from.empty()) options.initial = read_dataset<double>(flags->from).samples.to_dense();
            options.search = parse_neighbor_search(flags->search);
            options.scale = parse_scale(flags->scale);
            options.exaggerated = std::min(options.exaggerated, options.iterations / 4);
            fit_and_write<Tsne>("tsne", *flags, options, session);
          }};
}

}  // namespace mercer::app
