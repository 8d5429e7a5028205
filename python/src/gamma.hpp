// gamma as Python gives it: a number, 'auto' or 'median'.
#pragma once

#include <mercer/error.hpp>
#include <mercer/kernel.hpp>

#include <pybind11/pybind11.h>

#include <string>

namespace mercer::python {

[[nodiscard]] inline Gamma to_gamma(const pybind11::object& value) {
  if (!pybind11::isinstance<pybind11::str>(value)) return {value.cast<double>()};
  const auto rule = value.cast<std::string>();
  if (rule == "auto") return Gamma::automatic();
  if (rule == "median") return Gamma::median();
  throw Error(ErrorCode::usage, "gamma = '" + rule + "' is no rule", "a number, 'auto' (1/d) or 'median'");
}

}  // namespace mercer::python
