// Lists of neighbours, and the names of searches and policies.
#include <mercer/error.hpp>
#include <mercer/neighbors.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace mercer {
namespace {

constexpr std::array<std::pair<NeighborSearch, std::string_view>, 4> searches{{
    {NeighborSearch::automatic, "auto"},
    {NeighborSearch::brute, "brute"},
    {NeighborSearch::kdtree, "kdtree"},
    {NeighborSearch::hnsw, "hnsw"},
}};
constexpr std::array<std::pair<Disconnected, std::string_view>, 3> policies{{
    {Disconnected::error, "error"},
    {Disconnected::largest, "largest"},
    {Disconnected::bridge, "bridge"},
}};

template <class Table, class E>
std::string_view name_in(const Table& table, E value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  throw Error(ErrorCode::internal, "a choice without a name");
}

template <class Table>
auto parse_in(const Table& table, std::string_view name, std::string_view what) {
  std::string all;
  for (const auto& [value, known] : table) {
    if (known == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is no {}", name, what), "one of " + all);
}

}  // namespace

std::string_view name_of(NeighborSearch search) { return name_in(searches, search); }
std::string_view name_of(Disconnected policy) { return name_in(policies, policy); }
NeighborSearch parse_neighbor_search(std::string_view name) {
  return parse_in(searches, name, "way to search for neighbours");
}
Disconnected parse_disconnected(std::string_view name) {
  return parse_in(policies, name, "way to treat a graph in pieces");
}

std::span<const std::int32_t> NeighborLists::neighbors(Index i) const {
  const auto from = begin[static_cast<std::size_t>(i)], to = begin[static_cast<std::size_t>(i) + 1];
  return {index.data() + from, static_cast<std::size_t>(to - from)};
}

std::span<const double> NeighborLists::distances(Index i) const {
  const auto from = begin[static_cast<std::size_t>(i)], to = begin[static_cast<std::size_t>(i) + 1];
  return {distance.data() + from, static_cast<std::size_t>(to - from)};
}

}  // namespace mercer
