// Our side of the neighbours in bench/manifolds.py: `neighbors_bench FILE COUNT` finds them once and prints a
// line of JSON. A process of its own, so that its peak is theirs and not a map's.
#include <mercer/mercer.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) try {
  if (argc != 3) {
    fmt::print(stderr, "usage: neighbors_bench FILE COUNT\n");
    return 2;
  }
  const auto points = mercer::read_dataset<double>(argv[1]).samples;
  const auto start = std::chrono::steady_clock::now();
  const mercer::NeighborIndex<double> index(points, mercer::NeighborSearch::automatic);
  const mercer::NeighborLists lists = index.nearest(std::atoll(argv[2]));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{{\"seconds\": {{\"neighbors\": {}}}, \"recall\": {}}}\n", seconds, lists.recall);
} catch (const mercer::Error& e) {
  fmt::print(stderr, "neighbors_bench: {}\n", e.message());
  return 1;
}
