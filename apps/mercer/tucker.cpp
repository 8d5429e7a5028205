// mercer tucker: a small core and a basis for each mode (mission row M14).
#include "tensor_fit.hpp"

#include <mercer/tucker.hpp>

#include <memory>

namespace mercer::app {
namespace {

struct TuckerFlags : TensorFlags {
  std::string ranks, method = "st-hosvd";
  double error = -1, tolerance = 1e-8;
  Index hooi = 0;
};

TuckerOptions options_of(const TuckerFlags& flags, const Ranks& ranks, const Shape& shape) {
  return {.ranks = ranks.given() ? ranks.of(shape, "an array of " + to_string(shape)) : Shape{},
          .error = ranks.given() ? 0 : flags.error,
          .method = parse_tucker_method(flags.method),
          .hooi = flags.hooi,
          .tolerance = flags.tolerance,
          .sample_mode = flags.sample_mode};
}

void fit(const TuckerFlags& flags, const Session& session) {
  const Ranks ranks = Ranks::parse(flags.ranks);
  if (ranks.given() == (flags.error >= 0))
    throw Error(ErrorCode::usage,
                ranks.given() ? "--ranks and --error both say how small" : "how small shall the core be?",
                "give --ranks A,B,C, or --error E to reach");
  fit_tensor(
      "tucker", flags, session,
      [&]<class T>(const Stack<T>& x, const Run& run) {
        return Tucker<T>::plan(x.shape(), x.stored(), options_of(flags, ranks, x.shape()), run);
      },
      [&]<class T>(const Stack<T>& x, const Run& run) {
        const TuckerOptions options = options_of(flags, ranks, x.shape());
        return x.visit([&](const auto& values) { return Tucker<T>::fit(values, options, run); });
      });
}

}  // namespace

Command add_tucker(CLI::App& program) {
  auto flags = std::make_shared<TuckerFlags>();
  auto* parser = program.add_subcommand("tucker", "an N-way array as a small core and a basis for each mode");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) {
    app.add_option("--ranks", flags->ranks, "the core's size, one number a mode, or 'all'")
        ->type_name("A,B,C")
        ->group(group);
    app.add_option("--error", flags->error, "instead: the relative error to stay below, such as 0.01")
        ->type_name("E")
        ->check(positive_number(true))
        ->group(group);
    app.add_option("--method", flags->method, "st-hosvd (default): truncates mode after mode")
        ->type_name("st-hosvd|hosvd")
        ->check(CLI::IsMember({"st-hosvd", "hosvd"}).description(""))
        ->group(group);
    app.add_option("--hooi", flags->hooi, "polish by at most N sweeps, each mode given the others")
        ->type_name("N")
        ->check(CLI::Range(0, 1000000).description(""))
        ->group(group);
    app.add_option("--tolerance", flags->tolerance, "end when a sweep gains less (default 1e-8)")
        ->type_name("T")
        ->check(positive_number(true))
        ->group(group);
    flags->add_sample_mode(app, group);
  });
  parser->footer(
      "X ~ G x1 U x2 V x3 W: orthonormal U, V, W, relative error |X - X'|/|X| exact. Scores: coordinates of\n"
      "each sample among the slices that the model can represent; transform gives them for new samples.\n"
      "Example: mercer tucker stack.npy --ranks 10,10,5 --hooi 5 --model stack.mercer --json");
  return {parser, [flags](const Session& session) { fit(*flags, session); }};
}

}  // namespace mercer::app
