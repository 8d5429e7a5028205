// tune: a sweep over kernels and widths on one set of distances, cross-validated; then the number of
// components by share of variance, parallel analysis (Horn 1965, by permutations) and knee.
#include <mercer/tune.hpp>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "kernel/catalogue.hpp"
#include "kernel/landmarks.hpp"
#include "kernel/node.hpp"
#include "kernel/primitive_matrices.hpp"
#include "kernel/tiles.hpp"
#include "model/component_rules.hpp"
#include "model/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

constexpr double widths[] = {1.0 / 64, 1.0 / 16, 1.0 / 4, 1, 4, 16, 64};

std::vector<Kernel> default_kernels() {
  return {Kernel::rbf(Gamma::median()), Kernel::laplacian(Gamma::median()), Kernel::matern52(1),
          Kernel::polynomial(2, Gamma::automatic(), 1), Kernel::linear()};
}

bool is_length(const ParameterSpec& spec, const Gamma& value) {
  return spec.name == "length" && value.rule == Gamma::Rule::value && value.value == 1;
}

/// Does a kernel leave a width to be found?
bool has_width(const Kernel& kernel) {
  bool found = false;
  (void)map_leaves(kernel, [&](const Kernel& part) {
    if (const auto* leaf = std::get_if<LeafKernel>(&part.node().value))
      for (std::size_t i = 0; i < leaf->parameters.size(); ++i)
        found = found || leaf->parameters[i].rule != Gamma::Rule::value ||
                is_length(leaf->kind->parameters[i], leaf->parameters[i]);
    return part;
  });
  return found;
}

/// Its widths from the data, gamma times `factor` (lengths over its root: they enter squared).
Kernel with_width(const Kernel& kernel, double factor, const Samples<double>& samples, double median_gamma,
                  std::uint64_t seed) {
  return map_leaves(kernel, [&](const Kernel& part) {
    const auto* leaf = std::get_if<LeafKernel>(&part.node().value);
    if (leaf == nullptr) return part;
    const Kernel resolved = part.resolved(samples, seed);
    std::vector<Gamma> parameters = std::get<LeafKernel>(resolved.node().value).parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (leaf->parameters[i].rule != Gamma::Rule::value)
        parameters[i] = parameters[i].value * factor;
      else if (is_length(leaf->kind->parameters[i], leaf->parameters[i]))
        parameters[i] = std::sqrt(1 / (2 * median_gamma * factor));
    }
    return make_leaf(leaf->kind->name, std::move(parameters));
  });
}

/// Σ K̃ ∘ Ỹ over their norms, Y = 1 for a pair of one class (Cortes, Mohri, Rostamizadeh 2012).
double alignment(const Matrix<double>& centred, const std::vector<std::int32_t>& codes) {
  const Index n = centred.rows();
  Matrix<double> same(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      same(i, j) = codes[static_cast<std::size_t>(i)] == codes[static_cast<std::size_t>(j)];
  center_kernel(same);
  const double size = centred.norm() * same.norm();
  return size > 0 ? centred.cwiseProduct(same).sum() / size : 0;
}

/// The rows, the label and the folds of a sweep.
struct Ground {
  Samples<double> samples;
  std::vector<std::int32_t> codes;  ///< empty without classes
  std::vector<Index> fold;          ///< of each row
};

/// Of n x n there are at once a matrix for each primitive, a kernel's own and another term's, and those of
/// the folds at work: five each, since eigenvectors want twice their matrix again as room to work in.
void require_memory(Index n, Index d, const std::vector<Kernel>& kernels, Index folds, const Run& run) {
  PrimitiveSet all;
  for (const Kernel& k : kernels) all |= primitives_of(k);
  const double train = 1 - 1 / double(folds);
  const double at_once = double(std::min<Index>(folds, run.thread_count()));
  const double squares = std::popcount(all.bits) + 2 + std::max(3.0, 5 * at_once * train * train);
  const double bytes =
      sizeof(double) * (squares * double(n) * double(n) + (3 + 4 * at_once) * double(n) * double(d));
  const double budget = double(run.memory_budget());
  if (bytes <= budget) return;
  throw Error(ErrorCode::no_memory,
              fmt::format("a sweep over {} rows needs {}, and the memory budget is {}", n,
                          format_bytes(bytes), format_bytes(budget)),
              "fewer --rows, or a larger --memory");
}

/// Beyond the rank of K̃ there are none: it is n − 1 at most, and told by the spectrum where that has ended.
Index attainable(const ComponentAdvice& advice, Index rows, Index all_rows) {
  if (rows < all_rows) return all_rows - 1;
  const double rounding = 1e-12 * advice.eigenvalues.sum();
  const Index found = (advice.eigenvalues.array() > rounding).count();
  return found < advice.eigenvalues.size() ? std::max<Index>(1, found) : all_rows - 1;
}

Ground prepare(const Dataset<double>& data, const TuneOptions& options, const Run& run,
               std::vector<std::string>& notes) {
  Ground out;
  Samples<double> samples = data.samples;
  if (data.label && !data.label->codes.empty()) out.codes = data.label->codes;
  if (samples.rows() > options.rows) {
    const auto rows = uniform_rows(samples.rows(), options.rows, run.seed, 5);
    notes.push_back(
        fmt::format("{} of {} rows were drawn for the sweep (--rows)", options.rows, samples.rows()));
    samples = samples.select_rows(rows);
    std::vector<std::int32_t> codes;
    for (const Index r : rows)
      if (!out.codes.empty()) codes.push_back(out.codes[static_cast<std::size_t>(r)]);
    out.codes = std::move(codes);
  }
  out.samples = Scaling<double>::fit(options.scale, samples).apply(samples);
  const Index n = out.samples.rows();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index(0));
  Random random(run.seed, 0x666f6c6473ULL);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  // Dealt out class by class, so that every fold has some of each.
  if (!out.codes.empty())
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return out.codes[static_cast<std::size_t>(a)] < out.codes[static_cast<std::size_t>(b)];
    });
  out.fold.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    out.fold[static_cast<std::size_t>(order[i])] = static_cast<Index>(i) % options.folds;
  return out;
}

void require_options(const Dataset<double>& data, const TuneOptions& o, TuneBy by) {
  const auto fail = [](const std::string& what, const std::string& hint) {
    throw Error(ErrorCode::usage, what, hint);
  };
  if (o.folds < 2) fail(fmt::format("{} folds: cross-validation needs at least 2", o.folds), "--folds 5");
  if (o.rows < 10) fail(fmt::format("{} rows are too few to choose by", o.rows), "at least 10");
  if (o.components < 0) fail(fmt::format("{} components", o.components), "a count");
  if (data.samples.rows() < std::max<Index>(2 * o.folds, 6))
    throw Error(ErrorCode::bad_data,
                fmt::format("{} samples are too few for {} folds", data.samples.rows(), o.folds),
                "each fold needs two, and all of them six: fewer folds (--folds), or more samples");
  if ((by == TuneBy::accuracy || by == TuneBy::alignment) && (!data.label || data.label->names.size() < 2))
    fail(fmt::format("choosing by {} needs classes, two at least", name_of(by)),
         "name their column with --label");
  for (const Kernel& k : o.kernels)
    if (k.is_precomputed())
      fail("a precomputed kernel leaves nothing to choose", "give the points themselves");
}

double worth(const Trial& t, TuneBy by) {  // more is better
  if (by == TuneBy::accuracy) return *t.accuracy;
  return by == TuneBy::alignment ? *t.alignment : -t.error;
}

}  // namespace

std::string_view name_of(TuneBy by) {
  switch (by) {
    case TuneBy::automatic:
      return "auto";
    case TuneBy::error:
      return "error";
    case TuneBy::accuracy:
      return "accuracy";
    case TuneBy::alignment:
      return "alignment";
  }
  return "auto";
}

TuneBy parse_tune_by(std::string_view name) {
  for (const TuneBy by : {TuneBy::automatic, TuneBy::error, TuneBy::accuracy, TuneBy::alignment})
    if (name == name_of(by)) return by;
  throw Error(ErrorCode::usage, fmt::format("'{}' is nothing to choose by", name),
              "error, accuracy or alignment");
}

Tuning tune(const Dataset<double>& data, const TuneOptions& options, const Run& run) {
  const bool classes = data.label && data.label->names.size() > 1;
  Tuning out;
  out.by = options.by != TuneBy::automatic ? options.by : classes ? TuneBy::accuracy : TuneBy::error;
  require_options(data, options, out.by);
  require_finite(data.samples, "the data");
  const SteadyRun steady(run);
  const std::vector<Kernel> families = options.kernels.empty() ? default_kernels() : options.kernels;
  require_memory(std::min(options.rows, data.samples.rows()), data.samples.cols(), families, options.folds,
                 steady);
  const Ground ground = prepare(data, options, run, out.notes);
  for (const Kernel& k : families) k.check_data(ground.samples);
  const Kernel reference = Kernel::rbf(Gamma::median()).resolved(ground.samples, run.seed);
  const double median_gamma = std::get<LeafKernel>(reference.node().value).parameters[0].value;
  out.rows = ground.samples.rows();
  out.folds = options.folds;
  const Index most = std::max<Index>(1, std::min<Index>(100, out.rows - out.rows / options.folds - 2));

  PrimitiveMatrices matrices(ground.samples, steady);
  const Matrix<double> inputs = ground.samples.to_dense();
  const auto kernel_at = [&](std::size_t family, double width) {
    return with_width(families[family], width, ground.samples, median_gamma, run.seed);
  };
  out.swept_with = options.components;
  if (out.swept_with == 0)  // begin from the median heuristic
    out.swept_with =
        component_advice(matrices, kernel_at(0, 1), most, options.share, options.permutations, steady)
            .by_parallel;
  out.swept_with = std::clamp<Index>(out.swept_with, 1, most);

  const auto attempt = [&](std::size_t family, double width) {
    run.check();
    Trial t;
    t.kernel = kernel_at(family, width);
    t.family = family;
    t.width = width;
    const Matrix<double> k = matrices.kernel(t.kernel);
    if (!k.allFinite())
      throw Error(ErrorCode::bad_data, fmt::format("kernel {} overflows on this data", t.kernel.to_string()),
                  "scale the inputs (--scale standardize)");
    const HeldOut held =
        held_out_errors(k, inputs, ground.codes, ground.fold, options.folds, out.swept_with, steady);
    t.error = held.error;
    t.spread = held.spread;
    if (classes) {
      t.accuracy = held.accuracy;
      Matrix<double> centred = k;
      center_kernel(centred);
      t.alignment = alignment(centred, ground.codes);
    }
    return t;
  };
  for (std::size_t f = 0; f < families.size(); ++f) {
    const std::size_t first = out.trials.size();
    if (!has_width(families[f])) {
      out.trials.push_back(attempt(f, 1));
    } else {
      for (const double w : widths) out.trials.push_back(attempt(f, w));
      const auto best = *std::max_element(
          out.trials.begin() + static_cast<std::ptrdiff_t>(first), out.trials.end(),
          [&](const Trial& a, const Trial& b) { return worth(a, out.by) < worth(b, out.by); });
      for (const double w : {best.width / 2, best.width * 2}) out.trials.push_back(attempt(f, w));
    }
    run.report("tune", double(f + 1) / double(families.size()));
  }
  std::stable_sort(out.trials.begin(), out.trials.end(), [&](const Trial& a, const Trial& b) {
    const double x = worth(a, out.by), y = worth(b, out.by);
    return x != y ? x > y : a.error < b.error;
  });
  out.advice = component_advice(matrices, out.trials.front().kernel, most, options.share,
                                options.permutations, steady);
  out.components = options.components > 0 ? options.components : std::max<Index>(1, out.advice.by_parallel);
  if (const Index most_there_are = attainable(out.advice, out.rows, data.samples.rows());
      out.components > most_there_are) {
    out.notes.push_back(
        fmt::format("{} components were asked for, and there are {}", out.components, most_there_are));
    out.components = most_there_are;
  }
  if (options.components == 0 && out.advice.by_parallel == 0)
    out.notes.emplace_back("no component stands out from shuffled data: is there structure?");
  return out;
}

}  // namespace mercer
