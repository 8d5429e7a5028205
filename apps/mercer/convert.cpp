// mercer convert: the same table in another format.
#include "files.hpp"
#include "fit_options.hpp"

#include <memory>

namespace mercer::app {

Command add_convert(CLI::App& program) {
  struct Flags {
    std::string in, out, precision = "double";
    ReadFlags read;
  };
  auto flags = std::make_shared<Flags>();
  auto* parser = program.add_subcommand("convert", "between csv, tsv, npy, npz and libsvm");
  parser->add_option("IN", flags->in, "the table; '-' is CSV on stdin")->required();
  parser->add_option("OUT", flags->out, "format from the ending; '-' is CSV on stdout")->required();
  flags->read.add_to(*parser, "Reading");
  add_precision(*parser, flags->precision, "Results");
  parser->footer("Example: mercer convert measurements.csv measurements.npy --missing drop");

  return {parser, [flags](const Session& session) {
            require_table_creatable(flags->out);
            ProgressBar bar(true);
            const Run run = RunFlags{}.run(session, bar);
            with_precision(parse_precision(flags->precision), [&]<class T>() {
              const auto data = read_dataset<T>(flags->in, flags->read.parsed(), run);
              session.interrupts.check();
              write_table<T>(flags->out, data.samples, data.columns, data.label);
            });
          }};
}

}  // namespace mercer::app
