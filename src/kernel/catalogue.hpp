// The catalogue of named kernels. To add one: an element-wise function in elementwise.cpp, an entry
// in catalogue.cpp, a factory in Kernel. Parsing, printing and tiles follow from the entry.
#pragma once

#include <mercer/kernel.hpp>

#include "kernel/primitive.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace mercer {

/// What values a parameter may take.
enum class Domain { any, positive, positive_integer };

struct ParameterSpec {
  std::string_view name;
  Gamma fallback;
  Domain domain = Domain::any;
  bool takes_auto = false;    ///< accepts gamma=auto (1/d)
  bool takes_median = false;  ///< accepts gamma=median
};

struct LeafKind {
  std::string_view name;
  std::string_view formula;
  Primitive primitive;
  std::vector<ParameterSpec> parameters;
  Definiteness (*definiteness)(std::span<const double> parameters);
  /// What the primitive, a sum of products, is multiplied with before anything else; 0: with nothing.
  double (*steepness)(std::span<const double> parameters);
  /// Turns n values of the primitive into kernel values, in place.
  void (*apply_double)(double* values, Index n, std::span<const double> parameters);
  void (*apply_float)(float* values, Index n, std::span<const double> parameters);
};

[[nodiscard]] std::span<const LeafKind> catalogue();
/// nullptr when there is none; knows the aliases (gaussian, polynomial).
[[nodiscard]] const LeafKind* find_leaf(std::string_view name);

}  // namespace mercer
