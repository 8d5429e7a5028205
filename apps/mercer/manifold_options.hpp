// What the commands of maps take: how many coordinates, which graph, what becomes of its pieces.
#pragma once

#include "fit_options.hpp"

#include <mercer/neighbors.hpp>

#include <functional>
#include <string>

namespace mercer::app {

/// Where the graph comes from.
struct GraphFlags {
  Index neighbors = 0;  ///< 0: as the method has it
  double radius = 0;
  std::string search = "auto", pieces = "error";
  std::string graph, save;  ///< files

  void add_to(CLI::App& parser, const std::string& group, Index usual_neighbors);
  /// Of a graph that is to be built; `usual` where nothing was said.
  [[nodiscard]] NeighborOptions parsed(NeighborOptions usual) const;
  /// Throws Error{usage} for options that contradict each other, Error{cannot_create} for the file.
  void check(const CLI::App& parser, const FitFlags& fit) const;
};

void add_neighbors(CLI::App& parser, Index& neighbors, const std::string& group, const std::string& text);
void add_pieces(CLI::App& parser, std::string& pieces, const std::string& group);
void add_search(CLI::App& parser, std::string& search, const std::string& group);

struct MapFlags : FitFlags {
  Index coordinates = 2;

  using Problem = std::function<void(CLI::App&, const std::string& group)>;
  /// `problem`: what the command adds to the group of the same name after the number of coordinates.
  void add_to(CLI::App& parser, const Problem& problem);
  void add_residual_to(CLI::App& parser);
};

}  // namespace mercer::app
