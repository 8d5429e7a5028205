// The options that maps share: their names and their help, once.
#include "manifold_options.hpp"

#include "files.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

namespace mercer::app {

void add_neighbors(CLI::App& parser, Index& neighbors, const std::string& group, const std::string& text) {
  parser.add_option("--neighbors", neighbors, text)
      ->type_name("K")
      ->check(CLI::Range(Index{1}, Index{1000000}).description(""))
      ->group(group);
}

void add_pieces(CLI::App& parser, std::string& pieces, const std::string& group) {
  parser.add_option("--pieces", pieces, "of a graph that falls apart: refuse, keep the largest, join them")
      ->type_name("error|largest|bridge")
      ->check(CLI::IsMember({"error", "largest", "bridge"}).description(""))
      ->group(group);
}

void add_search(CLI::App& parser, std::string& search, const std::string& group) {
  parser.add_option("--search", search, "for neighbours (default auto); hnsw is approximate")
      ->type_name("auto|brute|kdtree|hnsw")
      ->check(CLI::IsMember({"auto", "brute", "kdtree", "hnsw"}).description(""))
      ->group(group);
}

void GraphFlags::add_to(CLI::App& parser, const std::string& group, Index usual_neighbors) {
  add_neighbors(parser, neighbors, group, fmt::format("of each point (default {})", usual_neighbors));
  parser.add_option("--radius", radius, "all neighbours within it instead, in the units of the data")
      ->type_name("R")
      ->check(positive_number())
      ->group(group);
  add_search(parser, search, group);
  add_pieces(parser, pieces, group);
  parser.add_option("--graph", graph, "a graph saved before, of the same rows, instead of a new one")
      ->type_name("FILE")
      ->group(group);
  parser.add_option("--save-graph", save, "the graph, for other methods")->type_name("FILE")->group(group);
}

NeighborOptions GraphFlags::parsed(NeighborOptions usual) const {
  if (neighbors > 0) usual.count = neighbors;
  usual.radius = radius;
  usual.search = parse_neighbor_search(search);
  usual.disconnected = parse_disconnected(pieces);
  return usual;
}

void GraphFlags::check(const CLI::App& parser, const FitFlags& fit) const {
  if (neighbors > 0 && radius > 0)
    throw Error(ErrorCode::usage, "--neighbors and --radius are two kinds of graphs", "choose one");
  if (!graph.empty())
    for (const char* fixed : {"--neighbors", "--radius", "--search", "--pieces"})
      if (parser.count(fixed) > 0)
        throw Error(ErrorCode::usage, fmt::format("{} is settled by the graph that --graph names", fixed),
                    "leave one of them out");
  if (is_stream(graph) || is_stream(save))
    throw Error(ErrorCode::usage, "a graph is kept in a file, not on a stream", "name a file");
  if (save.empty()) return;
  for (const auto& other : {fit.data, fit.out, fit.model, graph})
    if (same_file(save, other))
      throw Error(ErrorCode::usage, fmt::format("--save-graph would overwrite {}", other),
                  "name another file");
  if (!fit.explain) require_creatable(save);
}

void MapFlags::add_to(CLI::App& parser, const Problem& problem) {
  const std::string what = "Problem";
  parser.add_option("DATA", data, "csv, tsv, npy, npz, libsvm (text also .gz); '-' is CSV on stdin")
      ->required();
  parser.add_option("-k,--components", coordinates, "coordinates of the map (default 2)")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, Index{1000000}).description(""))
      ->group(what);
  problem(parser, what);
  parser.add_option("--scale", scale, "of the inputs, remembered by the model (default none)")
      ->type_name("none|center|standardize")
      ->group(what);
  add_common_to(parser);
}

void MapFlags::add_residual_to(CLI::App& parser) {
  parser.add_option("--residual", residual, "of the eigenvectors, relative (1e-10; 1e-5 in float)")
      ->type_name("R")
      ->check(positive_number())
      ->group("Running");
}

}  // namespace mercer::app
