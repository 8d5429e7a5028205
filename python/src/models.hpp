// What the bindings of every method share: models come in two precisions and are held by shared_ptr.
#pragma once

#include "arrays.hpp"
#include "run.hpp"

#include <mercer/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mercer::python {

/// "KernelPca" -> "KernelPca32" or "KernelPca64".
template <class T>
[[nodiscard]] std::string class_name(const char* name) {
  return std::string(name) + (sizeof(T) == sizeof(float) ? "32" : "64");
}

/// A model for Python, as the most derived class that is bound.
template <class M>
[[nodiscard]] py::object to_object(M model) {
  return py::cast(std::make_shared<M>(std::move(model)));
}

template <class T>
[[nodiscard]] Dataset<T> to_dataset(const py::handle& x, std::vector<std::string> columns) {
  Dataset<T> data;
  data.samples = to_samples<T>(x);
  data.columns = std::move(columns);
  return data;
}

/// A method fitted to a table, in the precision that the table has.
template <template <class> class M, class Options>
[[nodiscard]] py::object fit_table(const py::object& x, const std::vector<std::string>& columns,
                                   const RunSettings& settings, const Options& options) {
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto data = to_dataset<T>(x, columns);
    return to_object(work(settings, [&](const Run& run) { return M<T>::fit(data, options, run); }));
  });
}

/// What that would do and cost.
template <template <class> class M, class Options>
[[nodiscard]] Plan plan_table(const py::object& x, const RunSettings& settings, const Options& options) {
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto samples = to_samples<T>(x);
    return work(settings, [&](const Run& run) { return M<T>::plan(samples, options, run); });
  });
}

}  // namespace mercer::python
