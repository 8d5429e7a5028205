// What k components keep, lose and save.
#include <mercer/reconstruction.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

std::vector<ReconstructionStep> reconstruction_steps(const Report& report) {
  std::vector<ReconstructionStep> out;
  const double n = double(report.n), d = double(report.d), entries = n * d;
  const Index all = report.gram_eigenvalues.size();
  double held = 0;
  for (Index k = 1, next = 1; k <= all; ++k) {
    held += report.gram_eigenvalues[k - 1];
    if (k != next && k != all) continue;
    next *= 2;
    ReconstructionStep step;
    step.components = k;
    step.share = report.trace > 0 ? std::min(1.0, held / report.trace) : 1;
    step.rms_error = std::sqrt(std::max(0.0, report.trace - held) / entries);
    step.numbers = double(k) * (n + d) + (report.centered ? d : 0);
    step.saving = 1 - step.numbers / entries;
    out.push_back(step);
  }
  return out;
}

}  // namespace mercer
