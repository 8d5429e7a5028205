// A linear combination of named functions as people write it: 0.71·x1² + 0.7·x2² − 1.3.
#pragma once

#include <mercer/matrix.hpp>

#include <string>
#include <vector>

namespace mercer {

struct Term {
  double coefficient = 0;
  std::string name;   ///< "1": the constant
  Index degree = -1;  ///< of a monomial; −1 for anything else
  double size = 1;  ///< of the function on the data, root mean square: the term counts for coefficient·size
};

/// Terms of high degree first, functions that are no monomials by the size of their coefficients. Those that
/// count for too little to be seen beside the largest function are left out, and so are all but the largest
/// of many: "+ …".
[[nodiscard]] std::string in_words(std::vector<Term> terms, int digits);

/// Σ terms = 0, divided by the coefficient that makes it easiest to read: the largest one of the highest
/// degree that counts. `rms` is what is left of the sum, root mean square, before that division; `span` how
/// large its terms are about the middle of the data. Far from the origin the terms are far larger than that
/// and cancel: then they have as many digits as the sum needs. 0: not known.
[[nodiscard]] std::string relation_in_words(std::vector<Term> terms, double rms, double span = 0);

}  // namespace mercer
