// Keyword arguments of Python as a method's options: each is taken by its name, what is not given keeps the
// library's default, and what nobody took is refused.
//
//     Given given(arguments, "isomap");
//     given.take("landmarks", options.landmarks);
//     given.take("scale", options.scale, &parse_scale);
//     given.finish();
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <set>
#include <string>

namespace mercer::python {

namespace py = pybind11;

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

}  // namespace mercer::python
