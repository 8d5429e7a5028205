// What people write on the command line: kernels, bases, formulas and the values of options. What parses
// prints, parses back as the same, and can be evaluated.
#include "fuzz/targets.hpp"
#include "fuzz/ways.hpp"

#include <mercer/mercer.hpp>

#include <cmath>
#include <iterator>
#include <stdexcept>

namespace mercer::fuzz {

namespace {

constexpr std::size_t longest_text = 4096;

Samples<double> few_points() {
  Matrix<double> out(4, 3);
  out << 0.1, 0.2, 0.7, 1, 0, 2, 0.5, 0.5, 0.5, 3, 1, 0.25;
  return out;
}

void evaluate(const Kernel& kernel) {
  static const Samples<double> points = few_points();
  (void)kernel.definiteness();
  if (kernel.is_precomputed()) return;
  attempt([&] { (void)gram(kernel.resolved(points, 1), points, small_run()); });
}

void evaluate(const Basis& basis) {
  static const Samples<double> points = few_points();
  if (!(basis.count(3) <= 2000)) return;
  attempt([&] { (void)basis.names(3); });
  attempt([&] { (void)basis.resolved(points, small_run()).evaluate(points, small_run()); });
}

}  // namespace

void fuzz_kernel(Bytes bytes) {
  if (bytes.size() > longest_text) return;
  attempt([&] {
    const Kernel kernel = Kernel::parse(bytes);
    if (!(Kernel::parse(kernel.to_string()) == kernel)) throw std::logic_error("a kernel prints as another");
    evaluate(kernel);
  });
}

void fuzz_basis(Bytes bytes) {
  if (bytes.size() > longest_text) return;
  attempt([&] {
    const Basis basis = Basis::parse(bytes);
    if (!(Basis::parse(basis.to_string()) == basis)) throw std::logic_error("a basis prints as another");
    evaluate(basis);
  });
}

void fuzz_formula(Bytes bytes) {
  if (bytes.size() > longest_text) return;
  const Ways ways(bytes, 2);
  if (ways.at(0)) attempt([&] { evaluate(Kernel::expression(std::string(bytes))); });
  if (ways.at(1)) attempt([&] { evaluate(Basis::formulas({std::string(bytes)})); });
}

/// What reads the value of an option, each a way of its own.
template <auto parse>
void read_value(Bytes text) {
  (void)parse(text);
}
constexpr void (*option_values[])(Bytes){
    read_value<parse_bytes>,           read_value<Components::parse>,   read_value<parse_route>,
    read_value<parse_scale>,           read_value<parse_missing>,       read_value<parse_indefinite>,
    read_value<parse_landmarks>,       read_value<parse_decision>,      read_value<parse_preimage_method>,
    read_value<parse_neighbor_search>, read_value<parse_disconnected>,  read_value<parse_laplacian>,
    read_value<parse_graph_weights>,   read_value<parse_lle_variant>,   read_value<parse_tsne_gradient>,
    read_value<parse_tsne_start>,      read_value<parse_tucker_method>, read_value<parse_cp_start>,
};

void fuzz_options(Bytes bytes) {
  if (bytes.size() > longest_text) return;
  constexpr auto values = static_cast<unsigned>(std::size(option_values));
  const Ways ways(bytes, values + 1);
  for (unsigned way = 0; way < values; ++way)
    if (ways.at(way)) attempt([&] { option_values[way](bytes); });
  if (ways.at(values)) {  // what is there to read, by its name alone
    const std::string name = "/nonexistent/" + std::string(bytes.substr(0, bytes.find('\0')));
    attempt([&] { (void)read_dataset<double>(name, {}, small_run()); });
    attempt([&] { (void)tensor_shape(name); });
  }
}

}  // namespace mercer::fuzz
