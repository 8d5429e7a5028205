// The one place that chooses for t-SNE, and the costs that it counts with.
#include "manifold/tsne_plan.hpp"

#include "base/memory.hpp"
#include "manifold/tsne_affinities.hpp"
#include "manifold/tsne_field.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {
namespace {

/// The exact gradient's n² pairs go through vectors without a gap; the grid costs the same for few points as
/// for many; in three dimensions there is no grid. A thousand steps on two cores: of 5,000 points 1.2 s by
/// the tree and 4.0 s by the grid, of 60,000 points 14 s by the grid.
constexpr Index exact_most = 2000, interpolation_least = 20000;
constexpr Index most_nodes = 2048, least_nodes = 128;
constexpr double least_rate = 50;

void require_sensible(const TsneOptions& o, Index n) {
  const auto refuse = [](std::string what, std::string hint = {}) {
    throw Error(ErrorCode::usage, std::move(what), std::move(hint));
  };
  if (o.components < 1 || o.components > 3)
    refuse(fmt::format("t-SNE makes maps of 1, 2 or 3 components, not {}", o.components));
  if (o.gradient == TsneGradient::interpolation && o.components > 2)
    refuse("the interpolated gradient is for maps of 1 or 2 components", "use barnes-hut for 3");
  if (!(o.perplexity > 1) || !std::isfinite(o.perplexity))
    refuse(fmt::format("a perplexity of {} makes no sense", o.perplexity), "above 1; 5 to 50 is usual");
  if (n < 5)
    throw Error(ErrorCode::bad_data, fmt::format("t-SNE of {} point{} makes no sense", n, n == 1 ? "" : "s"),
                "give at least 5");
  if (!perplexity_suits(o.perplexity, n))
    refuse(fmt::format("a perplexity of {} needs more than {:.0f} points, and there are {}", o.perplexity,
                       std::ceil(o.perplexity + 1), n),
           fmt::format("at most {}, and better a third of that", n - 2));
  if (o.iterations < 1 || o.exaggerated < 0)
    refuse("the number of iterations must be at least 1, and of exaggerated ones at least 0");
  if (!(o.exaggeration >= 1) || !std::isfinite(o.exaggeration))
    refuse(fmt::format("an exaggeration of {} makes no sense", o.exaggeration), "1 or more; 12 is usual");
  if (!(o.learning_rate >= 0) || !std::isfinite(o.learning_rate))
    refuse(fmt::format("a learning rate of {} makes no sense", o.learning_rate),
           "above 0, or 0 to have it chosen");
  if (o.initial.size() > 0 && (o.initial.rows() != n || o.initial.cols() != o.components))
    refuse(fmt::format("the map to begin with is {}x{}, and one of {} points has {}x{}", o.initial.rows(),
                       o.initial.cols(), n, n, o.components));
  if (!o.initial.allFinite())
    throw Error(ErrorCode::bad_data, "the map to begin with has a number that is not finite");
  if (o.initial.size() > 0 && (o.initial.rowwise() - o.initial.row(0)).isZero(0))
    throw Error(ErrorCode::bad_data, "all points of the map to begin with are in one place",
                "no force moves them apart: give them different places");
  if (!(o.angle >= 0 && o.angle <= 1))
    refuse(fmt::format("an angle of {} makes no sense", o.angle), "from 0, exact, to 1; 0.5 is usual");
}

TsneGradient choose(const TsneOptions& o, Index n) {
  if (o.gradient != TsneGradient::automatic) return o.gradient;
  if (n <= exact_most) return TsneGradient::exact;
  return n < interpolation_least || o.components == 3 ? TsneGradient::barnes_hut
                                                      : TsneGradient::interpolation;
}

std::string reason_for(const TsneOptions& o, TsneGradient gradient) {
  if (o.gradient != TsneGradient::automatic) return fmt::format("{} was asked for", name_of(gradient));
  switch (gradient) {
    case TsneGradient::exact:
      return fmt::format("up to {} points all pairs are soon summed", exact_most);
    case TsneGradient::interpolation:
      return fmt::format("from {} points on a grid is sooner done than a tree", interpolation_least);
    default:
      return o.components == 3 ? "a map of three components needs a tree"
                               : fmt::format("between {} and {} points a tree is sooner done", exact_most,
                                             interpolation_least);
  }
}

/// Neighbours, p_{j|i} by rows and by columns, P and the optimiser's memory; forces are in float.
double linked_bytes(double n, double neighbors, double components) {
  constexpr double item = sizeof(float), link = 4 + item;
  return n * neighbors * (12 + 2 * link + 2.2 * link) + n * components * item * 6;
}

}  // namespace

bool perplexity_suits(double perplexity, Index n) { return perplexity > 1 && perplexity <= double(n - 2); }

template <class T>
TsnePlan plan_tsne(const Samples<T>& samples, const TsneOptions& options, const Run& run) {
  const Index n = samples.rows();
  require_sensible(options, n);
  TsnePlan out;
  out.gradient = choose(options, n);
  out.neighbors = out.gradient == TsneGradient::exact ? n - 1 : neighbors_for(options.perplexity, n);
  out.learning_rate = options.learning_rate > 0 ? options.learning_rate
                                                : std::max(double(n) / options.exaggeration, least_rate);

  const double points = double(n), k = double(out.neighbors), components = double(options.components);
  const double iterations = double(options.iterations), pair_flops = 4 * components + 12;
  Plan& plan = out.plan;
  plan.budget = run.memory_budget();
  plan.reason = reason_for(options, out.gradient);
  const double distances = 2 * points * double(samples.stored());
  if (out.gradient == TsneGradient::exact) {
    plan.route = Route::dense;
    plan.problem = fmt::format("t-SNE of {} points, all pairs", n);
    plan.bytes = points * points * double(sizeof(T)) * 1.1 + points * components * double(sizeof(T)) * 6;
    plan.flops = distances + iterations * points * points * pair_flops;
  } else {
    plan.route = Route::stored;
    plan.problem = fmt::format("t-SNE of {} points with {} neighbours each, {}", n, out.neighbors,
                               name_of(out.gradient));
    plan.bytes = linked_bytes(points, k, components);
    const double links = 1.5 * points * k;
    plan.flops = distances + iterations * links * pair_flops;
    if (out.gradient == TsneGradient::barnes_hut) {
      plan.bytes += points * 60;
      plan.flops += iterations * points * std::log2(points) * 60 * pair_flops;
    } else {
      const double room = double(plan.budget) - plan.bytes;
      out.most_nodes = most_nodes;
      while (out.most_nodes > least_nodes &&
             TsneField<float>::bytes(options.components, out.most_nodes) > room)
        out.most_nodes = out.most_nodes * 3 / 4;
      // A map grows with the root of n; two nodes a unit.
      const double nodes = std::min(double(out.most_nodes), 200 + 1.5 * std::sqrt(points));
      plan.bytes += TsneField<float>::bytes(options.components, static_cast<Index>(nodes));
      const double grid = 4 * nodes * (options.components == 2 ? nodes : 1);
      plan.flops += iterations * (grid * (components + 2) * 2.5 * std::log2(grid) + points * 200);
    }
  }
  if (plan.bytes > double(plan.budget))
    throw Error(ErrorCode::no_memory,
                fmt::format("{} need {} but the memory budget is {}", plan.problem, format_bytes(plan.bytes),
                            format_bytes(double(plan.budget))),
                out.gradient == TsneGradient::exact ? "raise --memory, or use barnes-hut or interpolation"
                                                    : "raise --memory, or lower --perplexity");
  return out;
}

template TsnePlan plan_tsne(const Samples<float>&, const TsneOptions&, const Run&);
template TsnePlan plan_tsne(const Samples<double>&, const TsneOptions&, const Run&);

}  // namespace mercer
