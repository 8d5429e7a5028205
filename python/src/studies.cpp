// compare: the same points by several methods; tune: which kernel, which width, how many components.
#include "models.hpp"
#include "module.hpp"
#include "neighbors.hpp"
#include "report_parts.hpp"

#include <mercer/compare.hpp>
#include <mercer/tune.hpp>

namespace mercer::python {
namespace {

using namespace py::literals;

template <class T>
py::dict to_python_map(MethodMap<T> map) {
  py::dict out("method"_a = map.method, "title"_a = map.title, "embedding"_a = py::none(),
               "rows"_a = map.rows, "seconds"_a = map.seconds, "quality"_a = py::none(),
               "failure"_a = py::none());
  if (map.failure)
    out["failure"] = map.failure->what();
  else
    out["embedding"] = to_numpy(std::move(map.points));
  if (map.quality) out["quality"] = to_dict(*map.quality);
  return out;
}

py::list compare_methods(const py::object& x, const RunSettings& settings, const py::kwargs& arguments) {
  Given given(arguments, "compare");
  CompareOptions options;
  given.take("methods", options.methods);
  given.take("components", options.components);
  take_neighbors(given, options.neighbors);
  given.take("kernel", options.kernel);
  given.take("perplexity", options.perplexity);
  given.take("scale", options.scale, &parse_scale);
  given.finish();
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto data = to_dataset<T>(x, {});
    auto maps = work(settings, [&](const Run& run) { return compare<T>(data, options, run); });
    py::list out;
    for (auto& map : maps) out.append(to_python_map(std::move(map)));
    return out;
  });
}

py::list to_list(const std::vector<Trial>& trials) {
  py::list out;
  for (const Trial& t : trials)
    out.append(py::dict("kernel"_a = t.kernel, "width"_a = t.width, "error"_a = t.error,
                        "spread"_a = t.spread, "accuracy"_a = t.accuracy, "alignment"_a = t.alignment));
  return out;
}

py::dict to_dict(const ComponentAdvice& advice) {
  return py::dict("by_share"_a = advice.by_share, "by_parallel"_a = advice.by_parallel,
                  "by_knee"_a = advice.by_knee,
                  "eigenvalues"_a = to_numpy(Vector<double>(advice.eigenvalues)),
                  "permuted"_a = to_numpy(Vector<double>(advice.permuted)));
}

py::dict tune_kernel(const py::object& x, const std::vector<std::string>& labels, const RunSettings& settings,
                     const py::kwargs& arguments) {
  Given given(arguments, "tune");
  TuneOptions options;
  given.take("kernels", options.kernels);
  given.take("components", options.components);
  given.take("scale", options.scale, &parse_scale);
  given.take("by", options.by, &parse_tune_by);
  given.take("folds", options.folds);
  given.take("rows", options.rows);
  given.take("permutations", options.permutations);
  given.take("share", options.share);
  given.finish();
  auto data = to_dataset<double>(x, {});
  if (!labels.empty()) data.label = make_label("class", labels);
  const Tuning found = work(settings, [&](const Run& run) { return tune(data, options, run); });
  return py::dict("trials"_a = to_list(found.trials), "by"_a = std::string(name_of(found.by)),
                  "components"_a = found.components, "swept_with"_a = found.swept_with, "rows"_a = found.rows,
                  "folds"_a = found.folds, "advice"_a = to_dict(found.advice), "notes"_a = found.notes);
}

}  // namespace

void bind_studies(py::module_& m) {
  m.def("compare", &compare_methods, py::arg("X"), py::arg("run") = RunSettings{});
  m.def("compared_methods", &compared_methods);
  m.def("tune", &tune_kernel, py::arg("X"), py::arg("labels"), py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
