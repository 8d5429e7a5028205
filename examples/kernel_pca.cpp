// Fit kernel PCA on the digits, look at the certificate, project points the model has not seen.
#include <mercer/mercer.hpp>

#include <iostream>

int main(int argc, char** argv) try {
  auto digits = mercer::read_dataset<double>(argc > 1 ? argv[1] : "digits.csv.gz", {.label = "64"});
  auto model =
      mercer::KernelPca<double>::fit(digits, {.components = 10, .kernel = mercer::Kernel::rbf(0.001)});

  const mercer::Report& report = model.report();
  std::cout << "ten components hold " << 100 * report.explained_variance_ratio.sum() << " % of the variance\n"
            << "largest residual " << report.residuals.maxCoeff() << ", nothing missed above "
            << report.missed.probable << "\n";

  mercer::Matrix<double> scores = model.transform(digits.samples.middle_rows(0, 5));  // new points
  model.save("digits.mercer");  // load_model<double> reads it
  std::cout << scores.leftCols(2) << "\n";
} catch (const mercer::Error& error) {  // no such file, a wrong option, ...
  std::cerr << error.what() << "\n";
  return static_cast<int>(error.code());
}
