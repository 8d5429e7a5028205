// mercer denoise: fit on clean points, project noisy ones on the leading components and come back (M12).
#include "files.hpp"
#include "fit_options.hpp"
#include "kernels.hpp"
#include "model_points.hpp"
#include "preimage_options.hpp"

#include <mercer/error.hpp>
#include <mercer/pca.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

namespace mercer::app {
namespace {

struct DenoiseFlags {
  std::string data, noisy, clean, out, components = "2", method = "kpca", kernel = "rbf(gamma=median)";
  std::string center = "yes", scale = "none", precision = "double";
  bool json = false;
  ReadFlags read;
  PreimageFlags preimage;
  RunFlags run;
};

/// "8,16,32" -> 8, 16, 32 in order; one count or share is a list of one.
std::vector<Components> parse_list(const std::string& text) {
  std::vector<Components> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(Components::parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (out.size() > 1)
    for (const Components& c : out)
      if (c.share > 0)
        throw Error(ErrorCode::usage, fmt::format("-k {}: a list is of counts, not of shares", text));
  return out;
}

/// Fitted, with the way back from the scores of the first components.
template <class T>
struct Fitted {
  std::unique_ptr<Model<T>> model;
  std::string preimage = "exact";
  std::function<Preimages<T>(const Matrix<T>& scores, const Samples<T>& noisy, const Run& run)> back;
};

template <class T>
Fitted<T> fit_pca(const Dataset<T>& data, const Components& components, const DenoiseFlags& flags,
                  const Run& run) {
  auto model = std::make_unique<Pca<T>>(Pca<T>::fit(
      data, {.components = components, .center = flags.center == "yes", .scale = parse_scale(flags.scale)},
      run));
  const Pca<T>* pca = model.get();
  return {std::move(model), "exact", [pca](const Matrix<T>& scores, const Samples<T>&, const Run& r) {
            Matrix<T> all = Matrix<T>::Zero(scores.rows(), pca->components());
            all.leftCols(scores.cols()) = scores;
            return Preimages<T>{pca->inverse(all, r), Vector<double>::Zero(scores.rows()), 0};
          }};
}

template <class T>
Fitted<T> fit_kpca(const Dataset<T>& data, const Components& components, const DenoiseFlags& flags,
                   const Run& run) {
  auto model = std::make_unique<KernelPca<T>>(KernelPca<T>::fit(data,
                                                                {.components = components,
                                                                 .kernel = parse_kernel(flags.kernel),
                                                                 .center = flags.center == "yes",
                                                                 .scale = parse_scale(flags.scale)},
                                                                run));
  auto back = std::make_shared<const Preimage<T>>(*model, flags.preimage.parsed(), run);
  return {std::move(model), std::string(name_of(back->method())),
          [back](const Matrix<T>& scores, const Samples<T>& noisy, const Run& r) {
            return back->find(scores, noisy, r);
          }};
}

/// Mean over the rows of ‖x − y‖².
template <class T>
double mean_squared_distance(const Matrix<T>& x, const Matrix<T>& y) {
  return (x - y).template cast<double>().squaredNorm() / std::max(1.0, static_cast<double>(x.rows()));
}

template <class T>
struct Attempt {
  Index components = 0;
  Matrix<T> points;
  PreimageErrors errors;
  double distance = 0;  ///< to the clean points
};

/// All rows or none: those of --noisy and --clean belong together one by one, and so do those of --out.
template <class T>
Dataset<T> read_whole(const std::string& path, const DenoiseFlags& flags, const Model<T>& model,
                      const Run& run) {
  const ReadOptions gaps_stay{.missing = Missing::fit, .transpose = flags.read.transpose};
  auto data = read_model_points<T>(path, gaps_stay, model, run, flags.run.quiet);
  require_no_gaps(path, data.samples);
  return data;
}

template <class T>
void denoise(const DenoiseFlags& flags, const std::vector<Components>& list, const Session& session) {
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  const auto data = read_dataset<T>(flags.data, flags.read.parsed(), run);
  Components most = list.front();
  for (const Components& c : list)
    if (c.count > most.count) most = c;
  const Fitted<T> fitted =
      flags.method == "pca" ? fit_pca<T>(data, most, flags, run) : fit_kpca<T>(data, most, flags, run);
  if (list.size() > 1 && fitted.preimage == "ridge")
    throw Error(ErrorCode::usage, "a learned map belongs to one number of components", "give one -k");
  const auto noisy = read_whole(flags.noisy, flags, *fitted.model, run);
  std::optional<Matrix<T>> clean;
  if (!flags.clean.empty()) {
    clean = read_whole(flags.clean, flags, *fitted.model, run).samples.to_dense();
    if (clean->rows() != noisy.samples.rows())
      throw Error(ErrorCode::bad_data,
                  fmt::format("{} has {} rows and {} has {}", flags.clean, clean->rows(), flags.noisy,
                              noisy.samples.rows()),
                  "a clean row for each noisy one");
  }

  const Matrix<T> scores = fitted.model->transform(noisy.samples, run);
  std::optional<Attempt<T>> best;
  auto sweep = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Index k = list[i].share > 0 ? scores.cols() : std::min(list[i].count, scores.cols());
    Attempt<T> now{k, {}, {.preimage = fitted.preimage}, 0};
    Preimages<T> found = fitted.back(scores.leftCols(k), noisy.samples, run);
    now.errors.add(found);
    now.points = std::move(found.points);
    nlohmann::ordered_json entry = {{"components", k}, {"mean_error", now.errors.mean()}};
    if (clean) entry["mean_squared_distance"] = now.distance = mean_squared_distance(now.points, *clean);
    sweep.push_back(std::move(entry));
    if (!best || now.distance < best->distance) best = std::move(now);
    run.report("denoise", static_cast<double>(i + 1) / static_cast<double>(list.size()));
    run.check();
  }
  session.interrupts.check();
  write_table<T>(flags.out, best->points, fitted.model->columns());

  if (flags.json) {
    auto json = nlohmann::ordered_json::parse(fitted.model->report().to_json());
    json["components"] = best->components;
    json["denoised"] = best->points.rows();
    if (clean) {
      json["noisy_squared_distance"] = mean_squared_distance<T>(noisy.samples.to_dense(), *clean);
      json["mean_squared_distance"] = best->distance;
    }
    if (list.size() > 1) json["sweep"] = std::move(sweep);
    best->errors.put_into(json);
    print(json.dump(2) + "\n");
  } else if (!flags.run.quiet) {
    say(fmt::format("{} rows denoised with {} components of {}{}; {}", best->points.rows(), best->components,
                    flags.method, flags.method == "kpca" ? ", " + fitted.model->report().kernel : "",
                    best->errors.in_words()));
    if (clean)
      say(fmt::format("mean squared distance to {}: {:.5g} before, {:.5g} now", flags.clean,
                      mean_squared_distance<T>(noisy.samples.to_dense(), *clean), best->distance));
  }
}

}  // namespace

Command add_denoise(CLI::App& program) {
  auto flags = std::make_shared<DenoiseFlags>();
  auto* parser = program.add_subcommand("denoise", "project noisy points on the components of clean ones");
  parser->add_option("DATA", flags->data, "the points to fit on")->required();
  parser->add_option("--noisy", flags->noisy, "the points to denoise")->type_name("FILE")->required();
  const std::string what = "Problem", results = "Results", how = "Running";
  parser
      ->add_option("-k,--components", flags->components,
                   "a count (default 2), a share, or a list a,b,c to try on --clean")
      ->type_name("N|FRACTION")
      ->group(what);
  parser->add_option("--method", flags->method, "default kpca")
      ->type_name("kpca|pca")
      ->check(CLI::IsMember({"kpca", "pca"}).description(""))
      ->group(what);
  parser->add_option("--kernel", flags->kernel, "default rbf(gamma=median)")->type_name("SPEC")->group(what);
  parser->add_option("--center", flags->center, "in feature space (default yes)")
      ->type_name("yes|no")
      ->check(CLI::IsMember({"yes", "no"}).description(""))
      ->group(what);
  parser->add_option("--scale", flags->scale, "of the inputs (default none)")
      ->type_name("none|center|standardize")
      ->group(what);
  flags->preimage.add_to(*parser, "Pre-images of kernel PCA");
  parser->add_option("--pull", flags->preimage.pull, "of the fixed point towards the noisy input (default 0)")
      ->type_name("P")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group("Pre-images of kernel PCA");
  flags->read.add_to(*parser, "Reading");
  parser->add_option("--out", flags->out, "the denoised points")
      ->type_name("FILE")
      ->required()
      ->group(results);
  parser->add_option("--clean", flags->clean, "the truth, row by row: how far from it?")
      ->type_name("FILE")
      ->group(results);
  parser->add_flag("--json", flags->json, "the fit, and each point's error, as JSON on stdout")
      ->group(results);
  add_quiet(*parser, flags->run, results);
  add_precision(*parser, flags->precision, how);
  add_memory(*parser, flags->run, how);
  add_threads(*parser, flags->run, how);
  add_seed(*parser, flags->run, how);
  parser->footer("Example: mercer denoise clean.csv --noisy noisy.csv -k 32 --out denoised.csv");

  return {parser, [flags, parser](const Session& session) {
            const auto list = parse_list(flags->components);
            if (list.size() > 1 && flags->clean.empty())
              throw Error(ErrorCode::usage, "several -k need --clean, to tell which is best", "give one -k");
            if (flags->method == "pca") {
              PreimageFlags::refuse_for(*parser, "pca");
              if (parser->count("--kernel") > 0)
                throw Error(ErrorCode::usage, "pca has no kernel", "leave out --kernel or --method pca");
            }
            if (flags->json && is_stream(flags->out))
              throw Error(ErrorCode::usage, "--json and --out - both want standard output",
                          "write the points to a file");
            (void)flags->preimage.parsed();
            require_table_creatable(flags->out);
            with_precision(parse_precision(flags->precision),
                           [&]<class T>() { denoise<T>(*flags, list, session); });
          }};
}

}  // namespace mercer::app
