// mercer cp: an N-way array as a sum of few outer products (mission row M15).
#include "tensor_fit.hpp"

#include <mercer/cp.hpp>

#include <memory>

namespace mercer::app {
namespace {

struct CpFlags : TensorFlags {
  CpOptions cp;
  std::string start = "auto", missing = "error", weights;
  bool no_line_search = false;

  [[nodiscard]] CpOptions options() const {
    CpOptions chosen = cp;
    chosen.start = parse_cp_start(start);
    chosen.missing = missing == "fit";
    chosen.line_search = !no_line_search;
    chosen.sample_mode = sample_mode;
    return chosen;
  }
};

template <class T>
Cp<T> fit_stack(const CpFlags& flags, const CpOptions& options, const Stack<T>& x, const Run& run) {
  if (flags.weights.empty())
    return x.visit([&](const auto& values) { return Cp<T>::fit(values, options, run); });
  const TensorView<T> weights = read_tensor<T>(flags.weights, run);
  if (weights.shape() != x.shape())
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: the weights are {}, the stack is {}", flags.weights,
                            to_string(weights.shape()), to_string(x.shape())),
                "one weight an entry");
  return Cp<T>::fit(x.dense("cp with weights"), weights, options, run);
}

void fit(const CpFlags& flags, const Session& session) {
  const CpOptions options = flags.options();
  fit_tensor(
      "cp", flags, session,
      [&]<class T>(const Stack<T>& x, const Run& run) {
        return Cp<T>::plan(x.shape(), x.stored(), options, run);
      },
      [&]<class T>(const Stack<T>& x, const Run& run) { return fit_stack<T>(flags, options, x, run); });
}

void add_problem(CLI::App& app, const std::string& group, CpFlags& flags) {
  const auto count = CLI::Range(1, 1000000).description("");
  app.add_option("--rank", flags.cp.rank, "how many components")
      ->type_name("R")
      ->check(count)
      ->required()
      ->group(group);
  app.add_flag("--nonnegative", flags.cp.nonnegative, "no negative entry in any factor")->group(group);
  app.add_option("--missing", flags.missing, "fit: NaN (tns: what is not stored) is unknown (default error)")
      ->type_name("error|fit")
      ->check(CLI::IsMember({"error", "fit"}).description(""))
      ->group(group);
  app.add_option("--weights", flags.weights, "how much each entry counts: an array like STACK")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--starts", flags.cp.starts, "the best of so many (default: as many as it takes)")
      ->type_name("N")
      ->check(count)
      ->group(group);
  app.add_option("--start", flags.start, "where they begin (default auto)")
      ->type_name("auto|random|hosvd")
      ->check(CLI::IsMember({"auto", "random", "hosvd"}).description(""))
      ->group(group);
  app.add_option("--iterations", flags.cp.iterations, "sweeps at most, each start (default 1000)")
      ->type_name("N")
      ->check(count)
      ->group(group);
  app.add_option("--tolerance", flags.cp.tolerance,
                 "end when a sweep changes the error by less (default 1e-8)")
      ->type_name("T")
      ->check(positive_number())
      ->group(group);
  app.add_flag("--partial", flags.cp.allow_partial, "not converged is a note, not an error")->group(group);
  app.add_flag("--no-line-search", flags.no_line_search, "plain alternating least squares")->group(group);
  flags.add_sample_mode(app, group);
}

}  // namespace

Command add_cp(CLI::App& program) {
  auto flags = std::make_shared<CpFlags>();
  auto* parser = program.add_subcommand("cp", "an N-way array as a sum of few outer products (PARAFAC)");
  flags->add_to(*parser, [&](CLI::App& app, const std::string& group) { add_problem(app, group, *flags); });
  parser->footer(
      "X ~ sum of lambda_r a_r o b_r o c_r, lambda descending, unit columns. The report's core consistency\n"
      "tells whether R is too large (far below 100 %); swamps and cancelling components are said.\n"
      "Example: mercer cp fluorescence.npy --rank 3 --nonnegative --model spectra.mercer");
  return {parser, [flags](const Session& session) { fit(*flags, session); }};
}

}  // namespace mercer::app
