// mercer convert: the same table, or the same N-way array, in another format.
#include "files.hpp"
#include "tensor_options.hpp"

#include <mercer/error.hpp>
#include <mercer/tensor_file.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>

namespace mercer::app {
namespace {

struct ConvertFlags {
  std::string in, out, precision = "double";
  ReadFlags read;
};

bool has_table_options(const ConvertFlags& flags) {
  return !flags.read.label.empty() || flags.read.transpose || flags.read.missing != "error";
}

/// What no table is: a .tns file, a folder of images; and an npy or npz of other than two modes that shall
/// keep them.
bool is_array(const ConvertFlags& flags) {
  std::error_code unknown;
  if (is_sparse_tensor_file(flags.in) || std::filesystem::is_directory(flags.in, unknown)) return true;
  return !is_stream(flags.in) && !is_text_table(flags.in) && is_tensor_output(flags.out) &&
         !has_table_options(flags) && tensor_shape(flags.in).size() != 2;
}

/// A sample a row, as tables have arrays of more modes.
template <class T>
Matrix<T> flattened(const TensorView<T>& x) {
  Shape backwards(static_cast<std::size_t>(x.order()));
  std::iota(backwards.rbegin(), backwards.rend(), Index{0});
  const Tensor<T> c_order(x.reordered(backwards));
  return Eigen::Map<const Matrix<T>>(c_order.data(), x.size(0), x.count() / x.size(0));
}

template <class T>
void write_dense(const ConvertFlags& flags, const TensorView<T>& x) {
  if (is_tensor_output(flags.out)) {
    write_tensor<T>(flags.out, x);
    return;
  }
  write_table<T>(flags.out, flattened(x));
}

template <class T>
void convert_array(const ConvertFlags& flags, const Session& session, const Run& run) {
  if (has_table_options(flags))
    throw Error(ErrorCode::usage, "--label, --missing and --transpose are for tables",
                fmt::format("{} is an array", flags.in));
  if (!is_sparse_tensor_file(flags.in)) {
    const auto x = read_tensor<T>(flags.in, run);
    session.interrupts.check();
    write_dense<T>(flags, x);
    return;
  }
  const auto x = read_sparse_tensor<T>(flags.in, {}, run);
  session.interrupts.check();
  if (is_sparse_tensor_file(flags.out)) {
    write_tensor<T>(flags.out, x);
    return;
  }
  const double bytes = static_cast<double>(element_count(x.shape())) * sizeof(T);
  if (bytes > static_cast<double>(run.memory_budget()))
    throw Error(
        ErrorCode::no_memory,
        fmt::format("{} is {}, {:.3g} GB when it is dense", flags.in, to_string(x.shape()), bytes / 1e9),
        "keep it as tns: cp and tucker take it as it is");
  write_dense<T>(flags, x.to_dense().view());
}

/// A table as a 2-way array: what is not 0.
template <class T>
void convert_to_sparse(const ConvertFlags& flags, const Session& session, const Run& run) {
  const Matrix<T> rows = read_dataset<T>(flags.in, flags.read.parsed(), run).samples.to_dense();
  session.interrupts.check();
  write_tensor<T>(flags.out, TensorView<T>::last_fastest(rows.data(), {rows.rows(), rows.cols()}));
}

}  // namespace

Command add_convert(CLI::App& program) {
  auto flags = std::make_shared<ConvertFlags>();
  auto* parser =
      program.add_subcommand("convert", "between csv, tsv, npy, npz, libsvm; arrays: npy, npz, tns");
  parser->add_option("IN", flags->in, "a table, an N-way array, a folder of images; '-': CSV on stdin")
      ->required();
  parser->add_option("OUT", flags->out, "format from the ending; '-' is CSV on stdout")->required();
  flags->read.add_to(*parser, "Reading");
  add_precision(*parser, flags->precision, "Results");
  parser->footer(
      "Arrays of any number of modes go between npy, npz and tns (sparse text: indices from 1, value).\n"
      "Example: mercer convert measurements.csv measurements.npy --missing drop");

  return {parser, [flags](const Session& session) {
            const bool to_sparse = is_sparse_tensor_file(flags->out), from_array = is_array(*flags);
            if (is_tensor_output(flags->out))
              require_tensor_creatable(flags->out);
            else
              require_table_creatable(flags->out);
            ProgressBar bar(true);
            const Run run = RunFlags{}.run(session, bar);
            with_precision(parse_precision(flags->precision), [&]<class T>() {
              if (from_array) {
                convert_array<T>(*flags, session, run);
              } else if (to_sparse) {
                convert_to_sparse<T>(*flags, session, run);
              } else {
                const auto data = read_dataset<T>(flags->in, flags->read.parsed(), run);
                session.interrupts.check();
                write_table<T>(flags->out, data.samples, data.columns, data.label);
              }
            });
          }};
}

}  // namespace mercer::app
