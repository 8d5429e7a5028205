// X ≈ Z Uᵀ + μ at growing k (mission row M10): what the first k components of a PCA keep, lose and save.
//
//     for (const auto& step : mercer::reconstruction_steps(pca.report())) step.rms_error, step.saving;
#pragma once

#include <mercer/report.hpp>

#include <vector>

namespace mercer {

struct ReconstructionStep {
  Index components = 0;
  double share = 0;      ///< of the variance (not centred: of ‖X‖²) that they hold
  double rms_error = 0;  ///< root mean square over the entries of X − X̂, in the units of the (scaled) data
  double numbers = 0;    ///< to be stored: k(n + d), and d for the mean where there is one
  double saving = 0;     ///< 1 − numbers/(nd); negative where the components take more than the data
};

/// After 1, 2, 4, 8, ... components and after all that the report has; found from the eigenvalues and the
/// exact trace alone: ‖X − X̂‖² = tr − Σ θ.
[[nodiscard]] std::vector<ReconstructionStep> reconstruction_steps(const Report& report);

}  // namespace mercer
