// mercer svd2d: row and column bases of a stack of matrices (mission row M16).
#include "tensor_fit.hpp"

#include <mercer/svd2d.hpp>

#include <memory>

namespace mercer::app {
namespace {

struct Svd2dFlags : TensorFlags {
  std::string ranks;
  Svd2dOptions svd;
};

Svd2dOptions options_of(const Svd2dFlags& flags, const Ranks& ranks, const Shape& shape) {
  if (shape.size() != 3)
    throw Error(ErrorCode::bad_data,
                fmt::format("{} is {}; svd2d needs samples x height x width", flags.data, to_string(shape)),
                shape.size() == 2 ? "for a table, pca is the SVD" : "tucker takes any number of modes");
  Svd2dOptions options = flags.svd;
  options.ranks = ranks.of({shape[1], shape[2]}, fmt::format("matrices of {} x {}", shape[1], shape[2]));
  options.center = flags.centered();
  return options;
}

void fit(const Svd2dFlags& flags, const Session& session) {
  const Ranks ranks = Ranks::parse(flags.ranks);
  fit_tensor(
      "svd2d", flags, session,
      [&]<class T>(const Stack<T>& x, const Run& run) {
        return Svd2d<T>::plan(x.shape(), options_of(flags, ranks, x.shape()), run);
      },
      [&]<class T>(const Stack<T>& x, const Run& run) {
        return Svd2d<T>::fit(x.dense("svd2d"), options_of(flags, ranks, x.shape()), run);
      });
}

}  // namespace

Command add_svd2d(CLI::App& program) {
  auto flags = std::make_shared<Svd2dFlags>();
  auto* parser = program.add_subcommand("svd2d", "a stack of matrices by common row and column bases");
  flags->add_to(
      *parser,
      [&](CLI::App& app, const std::string& group) {
        app.add_option("--ranks", flags->ranks, "of rows and columns; 'all' leaves a side as it is")
            ->type_name("P,Q")
            ->required()
            ->group(group);
        app.add_option("--center", flags->center, "subtract the mean matrix, kept in the model (default yes)")
            ->type_name("yes|no")
            ->check(CLI::IsMember({"yes", "no"}).description(""))
            ->group(group);
        app.add_option("--iterations", flags->svd.iterations,
                       "GLRAM: at most N rounds, each side given the other")
            ->type_name("N")
            ->check(CLI::Range(0, 1000000).description(""))
            ->group(group);
        app.add_option("--tolerance", flags->svd.tolerance,
                       "end when a round gains less, beside what varies (default 1e-10)")
            ->type_name("T")
            ->check(positive_number(true))
            ->group(group);
      },
      false);
  parser->footer(
      "A_i ~ A + U M_i V', U and V from the row and column covariances; scores: the cores M_i, row by\n"
      "row. --ranks all,Q is 2DPCA; --iterations 20 is GLRAM, the best U and V for each other. STACK is\n"
      "dense: a sparse .tns is made so by mercer convert.\n"
      "Example: mercer svd2d faces.npy --ranks 20,20 --model faces.mercer --reconstruct rebuilt.npy");
  return {parser, [flags](const Session& session) { fit(*flags, session); }};
}

}  // namespace mercer::app
