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

/// An int is a count, a float the share of variance to reach.
[[nodiscard]] Components to_components(const py::object& count_or_share);

}  // namespace mercer::python
