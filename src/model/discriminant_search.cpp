// Kernel width and ridge of a kernel discriminant by cross-validation. Each fold's N is decomposed once for
// all ridges (spectral/discriminant.hpp); folds and widths are dealt out to the threads.
#include <mercer/discriminant.hpp>

#include "base/linalg.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/node.hpp"
#include "model/class_rule.hpp"
#include "model/class_scatter.hpp"
#include "model/discriminant_report.hpp"
#include "model/spectral_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace mercer {
namespace {

/// The kernel with numbers for gamma=auto and gamma=median, times a factor; numbers given stay as they are.
template <class T>
Kernel with_width(const Kernel& kernel, const Samples<T>& points, double factor, std::uint64_t seed) {
  return map_leaves(kernel, [&](const Kernel& part) {
    if (part.is_resolved()) return part;
    const auto& rules = std::get<LeafKernel>(part.node().value);
    const Kernel found = part.resolved(points, seed);
    std::vector<Gamma> parameters = std::get<LeafKernel>(found.node().value).parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (rules.parameters[i].rule != Gamma::Rule::value) parameters[i] = parameters[i].value * factor;
    return make_leaf(rules.kind->name, std::move(parameters));
  });
}

/// Which fold each sample is left out in; every fold has its share of each class.
std::vector<Index> draw_folds(const Label& label, Index folds, std::uint64_t seed) {
  Random random(seed, 0x666f6c6473ULL);
  std::vector<Index> out(label.codes.size());
  Index next = 0;
  for (auto& rows : rows_by_class(label)) {
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    for (const Index row : rows) out[static_cast<std::size_t>(row)] = next++ % folds;
  }
  return out;
}

struct Grid {
  std::vector<Kernel> kernels;
  std::vector<std::vector<double>> ridges;  ///< for each kernel
};

/// Up to ten times the mean eigenvalue of N, rounded to a power of ten.
std::vector<double> usual_ridges(const Kernel& kernel, const Samples<double>& points, const Label& label,
                                 const Run& run) {
  Matrix<double> k = gram<double>(kernel, points, run);
  if (!k.allFinite())
    throw Error(ErrorCode::bad_data, fmt::format("kernel {} overflows on this data", kernel.to_string()),
                "scale the inputs (--scale standardize) or choose smaller parameters");
  (void)subtract_class_means(k, label.codes, static_cast<Index>(label.names.size()), run);
  const double mean = k.squaredNorm() / double(k.rows());
  const double top = mean > 0 ? std::round(std::log10(mean)) + 1 : 0;
  std::vector<double> out;
  for (int i = 9; i >= 0; --i) out.push_back(std::pow(10.0, top - i));
  return out;
}

/// Wrong predictions for the samples that a fold leaves out, one for each ridge.
std::vector<Index> errors_of_fold(const Kernel& kernel, const std::vector<double>& ridges,
                                  const Samples<double>& points, const Label& label,
                                  const std::vector<Index>& fold_of, Index fold, Index count,
                                  Decision decision, const Run& run) {
  std::vector<Index> train, test;
  std::vector<std::int32_t> codes, expected;
  for (std::size_t i = 0; i < fold_of.size(); ++i) {
    const bool out = fold_of[i] == fold;
    (out ? test : train).push_back(static_cast<Index>(i));
    (out ? expected : codes).push_back(label.codes[i]);
  }
  const auto c = static_cast<Index>(label.names.size());
  const Matrix<double> k = gram<double>(kernel, points, run);
  const Matrix<double> own = k(train, train), other = k(test, train);
  std::vector<Index> sizes(label.names.size(), 0);
  for (const std::int32_t code : codes) ++sizes[static_cast<std::size_t>(code)];
  Matrix<double> g = own;
  const Block<double> means = subtract_class_means(g, codes, c, run);
  const RidgeSweep sweep(outer_gram(g, run), between_factor(means, sizes));
  std::vector<Index> wrong;
  for (const double ridge : ridges) {
    const Block<double> alpha = sweep.solve(ridge, count).vectors;
    const Matrix<double> known = own * alpha, unknown = other * alpha;
    const auto predicted = ClassRule::learn(known, codes, c).classify(unknown, decision);
    Index errors = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) errors += predicted[i] != expected[i];
    wrong.push_back(errors);
  }
  return wrong;
}

void require_search(const DiscriminantSearch& search, const KernelDiscriminantOptions& options,
                    const std::vector<Index>& sizes, Index n, const Run& run) {
  if (search.folds < 2 || search.folds > n)
    throw Error(ErrorCode::usage,
                fmt::format("cross-validation with {} folds of {} samples", search.folds, n),
                "5 or 10 are usual");
  require_options(options);
  if (options.route == Route::lowrank)
    throw Error(ErrorCode::usage, "cross-validation works on the whole kernel matrix, not on landmarks",
                "choose kernel and ridge on a sample of the rows, then fit all with --rank");
  for (const double value : search.ridges)
    if (!(value > 0))
      throw Error(ErrorCode::usage, fmt::format("a ridge of {}", value), "it is a number above 0");
  for (const double value : search.widths)
    if (!(value > 0))
      throw Error(ErrorCode::usage, fmt::format("a width of {}", value), "it is a factor above 0");
  (void)wanted_directions(options.components, sizes.size());
  const double bytes = 7 * 8 * double(n) * double(n) * double(run.thread_count());
  if (bytes > double(run.memory_budget()))
    throw Error(
        ErrorCode::no_memory,
        fmt::format("cross-validation of {} samples on {} threads needs {} but the memory budget is {}", n,
                    run.thread_count(), format_bytes(bytes), format_bytes(double(run.memory_budget()))),
        "raise --memory, lower --threads, or choose kernel and ridge on a sample of the rows");
}

}  // namespace

template <class T>
KernelDiscriminant<T> KernelDiscriminant<T>::search(const Dataset<T>& data,
                                                    const KernelDiscriminantOptions& options,
                                                    const DiscriminantSearch& search, const Run& run) {
  KernelDiscriminant model = KernelDiscriminant::search(data.samples, classes_of(data), options, search, run);
  model.columns_ = data.columns;
  return model;
}

template <class T>
KernelDiscriminant<T> KernelDiscriminant<T>::search(const Samples<T>& samples, const Label& label,
                                                    const KernelDiscriminantOptions& options,
                                                    const DiscriminantSearch& search, const Run& caller) {
  require_samples(samples);
  const std::vector<Index> sizes = require_classes(label, samples.rows());
  require_search(search, options, sizes, samples.rows(), caller);
  Stopwatch watch;
  KernelDiscriminantOptions chosen = options;
  Discrimination trials;
  {
    const SteadyRun steady(caller);
    const Run& run = steady;
    const Samples<T> scaled = Scaling<T>::fit(options.scale, samples).apply(samples);
    options.kernel.check_data(scaled);
    const Samples<double> points = scaled.template cast<double>();
    Grid grid;
    std::vector<double> widths = search.widths;
    if (widths.empty())
      for (int i = -3; i <= 4; ++i) widths.push_back(std::pow(4.0, i));
    if (options.kernel.is_resolved()) widths = {1};
    for (const double factor : widths) {
      grid.kernels.push_back(with_width(options.kernel, scaled, factor, run.seed));
      grid.ridges.push_back(search.ridges.empty() ? usual_ridges(grid.kernels.back(), points, label, run)
                                                  : search.ridges);
    }

    const std::vector<Index> fold_of = draw_folds(label, search.folds, run.seed);
    const auto tasks = static_cast<Index>(widths.size()) * search.folds;
    std::vector<std::vector<Index>> wrong(static_cast<std::size_t>(tasks));
    std::atomic<Index> done{0};
    const auto caller_thread = std::this_thread::get_id();
    parallel_for(tasks, run, [&](Index task) {
      const auto width = static_cast<std::size_t>(task / search.folds);
      wrong[static_cast<std::size_t>(task)] =
          errors_of_fold(grid.kernels[width], grid.ridges[width], points, label, fold_of, task % search.folds,
                         wanted_directions(options.components, sizes.size()), search.decision, run);
      const Index so_far = ++done;
      if (std::this_thread::get_id() == caller_thread)
        run.report("cross-validation", double(so_far) / double(tasks));
    });

    std::vector<double> left_out(static_cast<std::size_t>(search.folds), 0);
    for (const Index fold : fold_of) left_out[static_cast<std::size_t>(fold)] += 1;
    trials.folds = search.folds;
    for (std::size_t width = 0; width < widths.size(); ++width)
      for (std::size_t r = 0; r < grid.ridges[width].size(); ++r) {
        Vector<double> shares(search.folds);
        double errors = 0;
        for (Index fold = 0; fold < search.folds; ++fold) {
          const auto count = double(
              wrong[width * static_cast<std::size_t>(search.folds) + static_cast<std::size_t>(fold)][r]);
          errors += count;
          shares[fold] = count / left_out[static_cast<std::size_t>(fold)];
        }
        const double spread =
            std::sqrt((shares.array() - shares.mean()).square().sum() / double(search.folds - 1));
        trials.trials.push_back({grid.kernels[width].to_string(), grid.ridges[width][r],
                                 errors / double(samples.rows()), spread});
        // Of equals the smoothest: the wider kernel comes first, the larger ridge last.
        const auto& best = trials.trials[static_cast<std::size_t>(trials.chosen)];
        const bool same_width = best.kernel == trials.trials.back().kernel;
        if (trials.trials.back().error < best.error ||
            (same_width && trials.trials.back().error == best.error)) {
          trials.chosen = static_cast<Index>(trials.trials.size()) - 1;
          chosen.kernel = grid.kernels[width];
          chosen.ridge = grid.ridges[width][r];
        }
      }
  }
  watch.lap("cross-validation");
  KernelDiscriminant model = fit(samples, label, chosen, caller);
  Discrimination& found = *model.report_.discrimination;
  found.folds = trials.folds;
  found.trials = std::move(trials.trials);
  found.chosen = trials.chosen;
  auto& seconds = model.report_.seconds;
  const double spent = watch.laps_and_total().front().second;
  seconds.insert(seconds.begin(), {"cross-validation", spent});
  for (auto& [stage, time] : seconds)
    if (stage == "total") time += spent;
  return model;
}

template KernelDiscriminant<float> KernelDiscriminant<float>::search(const Samples<float>&, const Label&,
                                                                     const KernelDiscriminantOptions&,
                                                                     const DiscriminantSearch&, const Run&);
template KernelDiscriminant<double> KernelDiscriminant<double>::search(const Samples<double>&, const Label&,
                                                                       const KernelDiscriminantOptions&,
                                                                       const DiscriminantSearch&, const Run&);
template KernelDiscriminant<float> KernelDiscriminant<float>::search(const Dataset<float>&,
                                                                     const KernelDiscriminantOptions&,
                                                                     const DiscriminantSearch&, const Run&);
template KernelDiscriminant<double> KernelDiscriminant<double>::search(const Dataset<double>&,
                                                                       const KernelDiscriminantOptions&,
                                                                       const DiscriminantSearch&, const Run&);

}  // namespace mercer
