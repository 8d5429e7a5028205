// mercer check-kernel: is this function a kernel? (row M7). A verdict, whatever it is, is success.
#include "fit_options.hpp"
#include "kernels.hpp"

#include <mercer/dataset.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel_check.hpp>
#include <mercer/scaling.hpp>

#include <memory>

namespace mercer::app {

Command add_check_kernel(CLI::App& program) {
  struct Flags {
    std::string kernel, data, scale = "none", precision = "double";
    bool json = false;
    ReadFlags read;
    RunFlags run;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("check-kernel", "is this function a kernel? Mercer's conditions");
  parser->add_option("SPEC", flags->kernel, "the kernel, as for kpca --kernel; see mercer kernels")
      ->required();
  parser->add_option("DATA", flags->data, "csv, tsv, npy, npz, libsvm (text also .gz); '-' is CSV on stdin")
      ->required();
  parser->add_option("--scale", flags->scale, "of the inputs (default none)")
      ->type_name("none|center|standardize")
      ->group("Problem");
  flags->read.add_to(*parser, "Reading");
  parser->add_flag("--json", flags->json, "the verdict as JSON on stdout")->group("Results");
  add_quiet(*parser, flags->run, "Results");
  add_precision(*parser, flags->precision, "Running");
  add_memory(*parser, flags->run, "Running");
  add_threads(*parser, flags->run, "Running");
  add_seed(*parser, flags->run, "Running");
  parser->footer(
      "Verdicts: valid (on every data set: its feature map is known), valid-here (on this data),\n"
      "  conditional (K is not PSD but HKH is: kernel PCA is sound), invalid (a witness is shown).\n"
      "Example: mercer check-kernel 'sigmoid(gamma=0.1, coef0=-1)' points.csv");

  return {parser, [flags](const Session& session) {
            const Kernel kernel = parse_kernel(flags->kernel);
            const Scale scale = parse_scale(flags->scale);
            if (kernel.is_precomputed() && scale != Scale::none)
              throw Error(ErrorCode::usage, "a precomputed kernel matrix cannot be scaled like samples",
                          "leave out --scale");
            const auto read = flags->read.parsed();
            ProgressBar bar(!flags->run.quiet);
            const Run run = flags->run.run(session, bar);
            with_precision(parse_precision(flags->precision), [&]<class T>() {
              const auto data = read_dataset<T>(flags->data, read, run);
              session.interrupts.check();
              const auto scaling = Scaling<T>::fit(scale, data.samples);
              const KernelCheck check = check_kernel(kernel, scaling.apply(data.samples), run);
              print(flags->json ? check.to_json() : check.to_string());
            });
          }};
}

}  // namespace mercer::app
