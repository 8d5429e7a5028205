// What a Basis is made of: families of functions, side by side.
#pragma once

#include <mercer/basis.hpp>

#include "kernel/random_features.hpp"

#include <variant>

namespace mercer {

/// Monomials up to a degree; weighted: φ(x)·φ(y) = (gamma x·y + coef0)^degree.
struct MonomialPart {
  int degree = 2;
  bool weighted = true;
  double gamma = 1, coef0 = 1;
};
struct RadialPart {
  Index count = 0;
  Gamma gamma = Gamma::median();
  bool given = false;                             ///< the centres are part of the text
  std::shared_ptr<const Matrix<double>> centers;  ///< null until they are drawn from the data
};
struct CosinePart {
  Index count = 3;
  double length = 1;
};
struct FourierPart {
  Index count = 100;
  Kernel kernel;
  bool orthogonal = true;
  std::shared_ptr<const RandomFeatures<double>> map;  ///< null until drawn
};
struct FormulaPart {
  std::vector<std::string> formulas;
};
struct UserPart {
  std::string name;
  std::vector<std::string> names;
  Basis::Functions functions;  ///< empty when only the name is known (parsed from a model file)
};

struct BasisPart {
  std::variant<MonomialPart, RadialPart, CosinePart, FourierPart, FormulaPart, UserPart> value;
};

/// Names that --basis knows, with their parameters: for messages.
[[nodiscard]] std::string known_bases();

}  // namespace mercer
