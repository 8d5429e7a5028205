// Keyword arguments of Python as a method's options: each is taken by its name, what is not given keeps the
// library's default, and what nobody took is refused.
//
//     Given given(arguments, "isomap");
//     given.take("landmarks", options.landmarks);
//     given.take("scale", options.scale, &parse_scale);
//     given.finish();
//
// and the two functions by which Python reaches a method of tables.
#pragma once

#include "models.hpp"

#include <mercer/plan.hpp>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <set>
#include <string>
#include <type_traits>

namespace mercer::python {

/// An int is a count, a float the share of variance to reach.
[[nodiscard]] Components to_components(const py::object& count_or_share);

class Given {
 public:
  Given(py::kwargs arguments, std::string method)
      : arguments_(std::move(arguments)), method_(std::move(method)) {}

  template <class V>
  void take(const char* name, V& value) {
    if (const py::object given = find(name)) value = cast<V>(name, given);
  }
  /// A choice by name; `parse` refuses names that it does not know.
  template <class V, class Parse>
  void take(const char* name, V& value, Parse parse) {
    if (const py::object given = find(name)) value = parse(cast<std::string>(name, given));
  }
  /// The argument itself, or a null object where it is not given.
  [[nodiscard]] py::object find(const char* name) {
    taken_.insert(name);
    if (!arguments_.contains(name)) return {};
    return arguments_[name];
  }
  void finish() const {
    for (const auto& item : arguments_)
      if (const auto name = item.first.cast<std::string>(); !taken_.contains(name))
        throw py::type_error(method_ + " has no option '" + name + "'");
  }

 private:
  template <class V>
  [[nodiscard]] V cast(const char* name, const py::object& given) const {
    if constexpr (std::is_same_v<V, Components>) return to_components(given);
    try {
      return given.cast<V>();
    } catch (const py::cast_error&) {
      throw py::type_error(method_ + ": " + name + " cannot be " + py::repr(given).cast<std::string>());
    }
  }

  py::kwargs arguments_;
  std::string method_;
  std::set<std::string> taken_;
};

/// fit_NAME(X, columns=[], run=Run(), **options)
template <template <class> class M, auto to_options>
void bind_fit(py::module_& m, const std::string& name) {
  m.def(("fit_" + name).c_str(),
        [](const py::object& x, const std::vector<std::string>& columns, const RunSettings& settings,
           const py::kwargs& arguments) { return fit_table<M>(x, columns, settings, to_options(arguments)); },
        py::arg("X"), py::arg("columns") = std::vector<std::string>{}, py::arg("run") = RunSettings{});
}

/// plan_NAME(X, run=Run(), **options)
template <template <class> class M, auto to_options>
void bind_plan(py::module_& m, const std::string& name) {
  m.def(("plan_" + name).c_str(),
        [](const py::object& x, const RunSettings& settings, const py::kwargs& arguments) {
          return plan_table<M>(x, settings, to_options(arguments));
        },
        py::arg("X"), py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
