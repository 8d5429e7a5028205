// A program as a stranger would write it: fits kernel PCA through the installed headers and library,
// and checks what it must find (the variance shares of a full-rank fit add up to 1).
#include <mercer/mercer.hpp>

#include <cmath>
#include <iostream>

int main() {
  const auto data = mercer::generate("circles", 60, 1);
  const auto model =
      mercer::KernelPca<double>::fit(data, {.components = 59, .kernel = mercer::Kernel::rbf(1.0)});
  const double share = model.report().explained_variance_ratio.sum();
  std::cout << "mercer " << mercer::version << ": " << model.components() << " components explain " << share
            << '\n';
  return std::abs(share - 1) < 1e-8 ? 0 : 1;
}
