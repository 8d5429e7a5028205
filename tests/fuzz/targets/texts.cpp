// What people write on the command line: kernels, bases, formulas and the values of options. What parses
// prints, parses back as the same, and can be evaluated.
#include "fuzz/targets.hpp"

#include <mercer/mercer.hpp>

#include <cmath>
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
  const Samples<double> points = few_points();
  (void)kernel.definiteness();
  if (kernel.is_precomputed()) return;
  attempt([&] { (void)gram(kernel.resolved(points, 1), points, small_run()); });
}

void evaluate(const Basis& basis) {
  const Samples<double> points = few_points();
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
  attempt([&] { evaluate(Kernel::expression(std::string(bytes))); });
  attempt([&] { evaluate(Basis::formulas({std::string(bytes)})); });
}

void fuzz_options(Bytes bytes) {
  if (bytes.size() > longest_text) return;
  attempt([&] { (void)parse_bytes(bytes); });
  attempt([&] { (void)Components::parse(bytes); });
  attempt([&] { (void)parse_route(bytes); });
  attempt([&] { (void)parse_scale(bytes); });
  attempt([&] { (void)parse_missing(bytes); });
  attempt([&] { (void)parse_indefinite(bytes); });
  attempt([&] { (void)parse_landmarks(bytes); });
  attempt([&] { (void)parse_decision(bytes); });
  attempt([&] { (void)parse_preimage_method(bytes); });
  attempt([&] { (void)parse_neighbor_search(bytes); });
  attempt([&] { (void)parse_disconnected(bytes); });
  attempt([&] { (void)parse_laplacian(bytes); });
  attempt([&] { (void)parse_graph_weights(bytes); });
  attempt([&] { (void)parse_lle_variant(bytes); });
  attempt([&] { (void)parse_tsne_gradient(bytes); });
  attempt([&] { (void)parse_tsne_start(bytes); });
  attempt([&] { (void)parse_tucker_method(bytes); });
  attempt([&] { (void)parse_cp_start(bytes); });
  attempt([&] { (void)parse_tune_by(bytes); });
  // What is there to read, by its name alone.
  const std::string name = "/nonexistent/" + std::string(bytes.substr(0, bytes.find('\0')));
  attempt([&] { (void)read_dataset<double>(name, {}, small_run()); });
  attempt([&] { (void)tensor_shape(name); });
}

}  // namespace mercer::fuzz
