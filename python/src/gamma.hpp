// gamma as Python gives it: a number, 'auto' or 'median'.
#pragma once

#include <mercer/error.hpp>
#include <mercer/kernel.hpp>

#include <pybind11/pybind11.h>

#include <string>

namespace mercer::python {

[[nodiscard]] inline Gamma to_gamma(const pybind11::object& value) {
  constexpr const char* choices = "a number, 'auto' (1/d) or 'median'";
  if (!pybind11::isinstance<pybind11::str>(value)) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!PyErr_Occurred()) return {number};
    PyErr_Clear();
    throw Error(ErrorCode::usage, "gamma = " + pybind11::repr(value).cast<std::string>() + " is no number",
                choices);
  }
  const auto rule = value.cast<std::string>();
  if (rule == "auto") return Gamma::automatic();
  if (rule == "median") return Gamma::median();
  throw Error(ErrorCode::usage, "gamma = '" + rule + "' is no rule", choices);
}

}  // namespace mercer::python
