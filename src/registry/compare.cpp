// Methods side by side: a table of how each is fitted, and one loop that times and measures them.
#include <mercer/compare.hpp>
#include <mercer/isomap.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/laplacian.hpp>
#include <mercer/lle.hpp>
#include <mercer/mvu.hpp>
#include <mercer/pca.hpp>
#include <mercer/tsne.hpp>

#include "model/spectral_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <new>

namespace mercer {

namespace {

constexpr double usual_perplexity = 30;

template <class T>
struct Fitted {
  Matrix<T> points;
  std::vector<Index> rows;
  Report report;
};

/// Manifold models know which rows they kept; the others keep all.
template <class M>
auto fitted(const M& model) {
  Fitted<typename decltype(model.scores())::Scalar> out{model.scores(), {}, model.report()};
  if constexpr (requires { model.rows(); }) out.rows = model.rows();
  return out;
}

template <class T>
struct Fits {
  using Data = Samples<T>;
  using O = CompareOptions;

  static Fitted<T> pca(const Data& x, const O& o, const Run& run) {
    return fitted(Pca<T>::fit(x, {.components = o.components}, run));
  }
  static Fitted<T> kpca(const Data& x, const O& o, const Run& run) {
    return fitted(KernelPca<T>::fit(x, {.components = o.components, .kernel = o.kernel}, run));
  }
  static Fitted<T> isomap(const Data& x, const O& o, const Run& run) {
    return fitted(Isomap<T>::fit(x, {.components = o.components, .neighbors = o.neighbors}, run));
  }
  template <LleVariant variant>
  static Fitted<T> lle(const Data& x, const O& o, const Run& run) {
    return fitted(
        Lle<T>::fit(x, {.components = o.components, .variant = variant, .neighbors = o.neighbors}, run));
  }
  template <bool diffusion>
  static Fitted<T> laplacian(const Data& x, const O& o, const Run& run) {
    return fitted(LaplacianEigenmaps<T>::fit(
        x, {.components = o.components, .neighbors = o.neighbors, .diffusion = diffusion}, run));
  }
  static Fitted<T> mvu(const Data& x, const O& o, const Run& run) {
    return fitted(Mvu<T>::fit(x, {.components = o.components, .neighbors = o.neighbors}, run));
  }
  static Fitted<T> tsne(const Data& x, const O& o, const Run& run) {
    const double most = double(x.rows() - 1) / 3;
    const double perplexity = o.perplexity > 0 ? o.perplexity : std::min(usual_perplexity, most);
    return fitted(Tsne<T>::fit(
        x, {.components = o.components, .perplexity = perplexity, .search = o.neighbors.search}, run));
  }
};

template <class T>
struct Way {
  std::string_view name, title;
  Fitted<T> (*fit)(const Samples<T>&, const CompareOptions&, const Run&);
};

template <class T>
constexpr std::array<Way<T>, 10> ways{{
    {"pca", "PCA", &Fits<T>::pca},
    {"kpca", "kernel PCA", &Fits<T>::kpca},
    {"isomap", "Isomap", &Fits<T>::isomap},
    {"lle", "LLE", &Fits<T>::template lle<LleVariant::standard>},
    {"mlle", "modified LLE", &Fits<T>::template lle<LleVariant::modified>},
    {"hlle", "Hessian LLE", &Fits<T>::template lle<LleVariant::hessian>},
    {"laplacian", "Laplacian eigenmaps", &Fits<T>::template laplacian<false>},
    {"diffusion", "diffusion map", &Fits<T>::template laplacian<true>},
    {"mvu", "MVU", &Fits<T>::mvu},
    {"tsne", "t-SNE", &Fits<T>::tsne},
}};

template <class T>
const Way<T>& way_of(std::string_view method) {
  for (const Way<T>& way : ways<T>)
    if (way.name == method) return way;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no method that can be compared", method),
              fmt::format("one of {}", fmt::join(compared_methods(), ", ")));
}

/// The same run, whose progress names the method before the stage.
Run within(const Run& run, std::string_view method) {
  Run out = run;
  if (run.progress)
    out.progress = [report = run.progress, method](std::string_view stage, double fraction) {
      report(fmt::format("{}: {}", method, stage), fraction);
    };
  return out;
}

/// Maps measure their quality as a part of their fit; here that is done for all alike, outside of it.
double seconds_without_quality(double seconds, const Report& report) {
  for (const auto& [stage, time] : report.seconds)
    if (stage == "quality") seconds -= time;
  return seconds;
}

template <class T>
void fit_and_measure(MethodMap<T>& out, const Way<T>& way, const Samples<T>& samples,
                     const CompareOptions& options, const Run& run) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Fitted<T> found = way.fit(samples, options, run);
  out.seconds =
      seconds_without_quality(std::chrono::duration<double>(Clock::now() - start).count(), found.report);
  if (found.points.cols() == 0) throw Error(ErrorCode::bad_data, "the points do not vary");
  const bool some = !found.rows.empty() && static_cast<Index>(found.rows.size()) < samples.rows();
  const Samples<T> kept = some ? samples.select_rows(found.rows) : samples;
  QualityOptions quality;
  quality.neighbors = std::max<Index>(1, std::min(options.neighbors.count, (kept.rows() - 1) / 2));
  if (kept.rows() > 2) out.quality = embedding_quality<T>(kept, found.points, quality, run);
  out.points = std::move(found.points);
  if (some) out.rows = std::move(found.rows);
}

}  // namespace

std::vector<std::string> compared_methods() {
  std::vector<std::string> names;
  for (const auto& way : ways<double>) names.emplace_back(way.name);
  return names;
}

std::string title_of_method(std::string_view method) { return std::string(way_of<double>(method).title); }

template <class T>
std::vector<MethodMap<T>> compare(const Dataset<T>& data, const CompareOptions& options, const Run& run) {
  const auto methods = options.methods.empty() ? compared_methods() : options.methods;
  for (const std::string& method : methods) (void)way_of<T>(method);
  require_samples(data.samples);
  const Samples<T> samples = Scaling<T>::fit(options.scale, data.samples).apply(data.samples);
  std::vector<MethodMap<T>> out;
  for (const std::string& method : methods) {
    run.check();
    const Way<T>& way = way_of<T>(method);
    MethodMap<T> map{method, std::string(way.title)};
    try {
      fit_and_measure(map, way, samples, options, within(run, way.name));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      map.failure = error;
    } catch (const std::bad_alloc&) {
      map.failure = Error(ErrorCode::no_memory, "out of memory");
    }
    out.push_back(std::move(map));
  }
  return out;
}

template std::vector<MethodMap<float>> compare(const Dataset<float>&, const CompareOptions&, const Run&);
template std::vector<MethodMap<double>> compare(const Dataset<double>&, const CompareOptions&, const Run&);

}  // namespace mercer
