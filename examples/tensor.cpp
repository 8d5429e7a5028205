// Find three substances in mixtures of them (CP), keep images small (2D-SVD), project new samples.
#include <mercer/mercer.hpp>

#include <iostream>

int main() {
  // Mixtures x emission x excitation, and what was put in.
  auto mix = mercer::generate_tensor("fluorescence", 20, 1);
  auto spectra = mercer::Cp<double>::fit(mix.values, {.rank = 3, .nonnegative = true});
  const mercer::Decomposition& found = *spectra.report().decomposition;
  std::cout << "three substances explain " << 100 * found.explained << " %, core consistency "
            << found.core_consistency.value_or(0) << " %\n";
  mercer::Block<double> emission = spectra.factors()[1];  // 60 x 3, a column a substance
  mercer::Matrix<double> amounts =
      spectra.transform_tensor(mercer::generate_tensor("fluorescence", 5, 2).values);

  // Images x height x width.
  auto images = mercer::generate_tensor("spots", 100, 1);
  auto small = mercer::Svd2d<double>::fit(images.values, {.ranks = {8, 8}});
  std::cout << "64 numbers an image instead of 1024: relative error "
            << small.report().decomposition->relative_error << "\n";
  small.save("spots.mercer");  // load_model<double> reads it
  mercer::Tensor<double> back = small.inverse_tensor(small.scores());

  std::cout << emission.rows() << " wavelengths, " << amounts.rows() << " new mixtures, " << back.size(0)
            << " images of " << back.size(1) << " x " << back.size(2) << "\n";
}
