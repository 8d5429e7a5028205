// mercer generate: data sets made by a formula and a seed.
#include "files.hpp"
#include "fit_options.hpp"
#include "tensor_options.hpp"

#include <mercer/error.hpp>
#include <mercer/generate.hpp>
#include <mercer/scaling.hpp>
#include <mercer/tensor_file.hpp>
#include <mercer/tensor_generate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mercer::app {
namespace {

struct GenerateFlags {
  std::string name, out = "-", scale = "none";
  Index n = 0, d = 0, clusters = 0;
  std::uint64_t seed = 0;
  bool list = false;
};

/// Tables first, then arrays.
std::vector<Generator> all_generators() {
  std::vector<Generator> out = generators();
  out.insert(out.end(), tensor_generators().begin(), tensor_generators().end());
  return out;
}

void require_known(const std::string& name) {
  std::vector<std::string> names;
  for (const Generator& g : all_generators()) names.push_back(g.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Error(ErrorCode::usage, fmt::format("unknown data set '{}'", name),
              fmt::format("known: {}", fmt::join(names, ", ")));
}

void write_array(const GenerateFlags& flags) {
  if (flags.d > 0 || flags.clusters > 0 || flags.scale != "none")
    throw Error(ErrorCode::usage, fmt::format("{} is an N-way array with a shape of its own", flags.name),
                "it takes --n and --seed");
  if (is_stream(flags.out))
    throw Error(ErrorCode::usage, fmt::format("{} is an N-way array, which CSV cannot hold", flags.name),
                "name a file: --out FILE.npy, npz or tns");
  require_tensor_creatable(flags.out);
  write_tensor<double>(flags.out, generate_tensor(flags.name, flags.n, flags.seed).values.view());
}

}  // namespace

Command add_generate(CLI::App& program) {
  auto flags = std::make_shared<GenerateFlags>();
  auto* parser = program.add_subcommand("generate", "example data: circles, swiss-roll, fluorescence, ...");
  parser->add_option("NAME", flags->name, "one of those --list shows");
  parser->add_flag("--list", flags->list, "what can be made");
  parser->add_option("--n", flags->n, "how many points")->type_name("N")->check(positive_number());
  parser->add_option("--seed", flags->seed, "same name, n and seed: same data (default 0)")
      ->type_name("N")
      ->check(seed_number());
  parser->add_option("--d", flags->d, "gaussians: how many features (default 20)")
      ->type_name("N")
      ->check(positive_number());
  parser->add_option("--clusters", flags->clusters, "gaussians: how many of them (default 15)")
      ->type_name("N")
      ->check(positive_number());
  parser->add_option("--scale", flags->scale, "of the features (default none)")
      ->type_name("none|center|standardize");
  parser->add_option("--out", flags->out, "csv, tsv, npy, npz, libsvm; '-': CSV; arrays: npy, npz, tns")
      ->type_name("FILE");
  parser->footer("Example: mercer generate circles --n 400 --seed 1 --out circles.csv");

  return {parser, [flags](const Session&) {
            if (flags->list) {
              for (const auto& g : all_generators())
                print(fmt::format("{:<18} {} (n = {})\n", g.name, g.description, g.default_n));
              return;
            }
            if (flags->name.empty())
              throw Error(ErrorCode::usage, "generate needs the name of a data set", "--list shows them");
            if (is_tensor_generator(flags->name)) {
              write_array(*flags);
              return;
            }
            require_known(flags->name);
            require_table_creatable(flags->out);
            const Scale scale = parse_scale(flags->scale);
            const auto data = generate(flags->name, flags->n, flags->seed,
                                       {.features = flags->d, .clusters = flags->clusters});
            const auto scaling = Scaling<double>::fit(scale, data.samples);
            write_table<double>(flags->out, scaling.apply(data.samples), data.columns, data.label);
          }};
}

}  // namespace mercer::app
