// mercer basis-pca: principal components of basis functions, and the relations that data obeys (rows M6, M8).
#include "fit.hpp"
#include "suggest.hpp"

#include <mercer/basis_pca.hpp>

#include <cctype>
#include <memory>

namespace mercer::app {
namespace {

/// Basis::parse, whose complaint says also what was probably meant.
Basis parse_basis(const std::string& text) {
  try {
    return Basis::parse(text);
  } catch (const Error& error) {
    std::size_t end = 0;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const std::string word = text.substr(0, end);
    const std::string name =
        nearest_name(word, {"poly", "polynomial", "monomials", "radial", "cosines", "fourier", "functions"});
    if (!name.empty() && name != word)
      throw Error(error.code(), error.message(), fmt::format("did you mean {}?", name));
    throw;
  }
}

}  // namespace

Command add_basis_pca(CLI::App& program) {
  struct Flags : FitFlags {
    std::string basis = "poly(degree=2)";
    long long smallest = 0;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("basis-pca", "principal components of basis functions of the data");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_option("--basis", flags->basis, "default poly(degree=2); see below")
        ->type_name("SPEC")
        ->group(group);
    app.add_option("--smallest", flags->smallest, "so many relations that the data obeys, in place of -k")
        ->type_name("N")
        ->check(CLI::Range(1LL, 1000000LL).description(""))
        ->group(group);
  });
  parser->footer(
      "Bases: poly(degree=2, gamma=1, coef0=1), whose kernel is (gamma x.y + coef0)^degree,\n"
      "  monomials(degree=2), radial(count=20, gamma=median), radial(centers='0 0; 1 1'),\n"
      "  cosines(count=3, length=1), fourier(count=100, kernel='rbf'), and formulas of the columns:\n"
      "  'x1^2, x1*x2, sin(x1)'; sums join them.\n"
      "Example: mercer basis-pca circle.csv --basis 'poly(degree=2)' --center no --smallest 1");

  return {parser, [flags, parser](const Session& session) {
            if (flags->smallest > 0 && parser->count("--components") > 0)
              throw Error(ErrorCode::usage, "--smallest and --components exclude each other",
                          "they count from the two ends of the spectrum: leave out one of the two");
            const BasisPcaOptions options{.basis = parse_basis(flags->basis),
                                          .components = Components::parse(flags->components),
                                          .smallest = static_cast<Index>(flags->smallest),
                                          .center = flags->centered(),
                                          .scale = parse_scale(flags->scale),
                                          .residual = flags->residual,
                                          .route = parse_route(flags->route)};
            fit_and_write<BasisPca>("basis-pca", *flags, options, session);
          }};
}

}  // namespace mercer::app
