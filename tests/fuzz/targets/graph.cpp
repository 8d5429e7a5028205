// Files of neighbour graphs, their checksum made right, and a map of what loads.
#include "fuzz/targets.hpp"
#include "fuzz/ways.hpp"

#include <mercer/isomap.hpp>
#include <mercer/laplacian.hpp>
#include <mercer/neighbors.hpp>

#include <xxhash.h>

#include <cmath>
#include <cstring>

namespace mercer::fuzz {

namespace {

Matrix<double> line_of_points(Index n) {
  Matrix<double> out(n, 2);
  for (Index i = 0; i < n; ++i) out.row(i) << double(i), std::sin(double(i));
  return out;
}

}  // namespace

void fuzz_graph(Bytes bytes) {
  std::string file(bytes);
  if (file.size() >= 8) {
    const std::uint64_t sum = XXH3_64bits(file.data(), file.size() - 8);
    std::memcpy(file.data() + file.size() - 8, &sum, 8);
  }
  const std::string& path = spill("neighbors.graph", file);
  const Ways ways(bytes, 8);
  attempt([&] {
    const NeighborGraph graph = NeighborGraph::load(path);
    if (ways.at(0)) graph.save(path + ".again");
    const Index given = graph.size() + graph.report().left_out;
    if (given > 200) return;
    const Samples<double> points = line_of_points(given);
    if (ways.at(1))
      attempt([&] { (void)Isomap<double>::fit(points, graph, {.components = 1}, small_run()); });
    if (ways.at(2))
      attempt([&] { (void)LaplacianEigenmaps<double>::fit(points, graph, {.components = 1}, small_run()); });
  });
}

}  // namespace mercer::fuzz
