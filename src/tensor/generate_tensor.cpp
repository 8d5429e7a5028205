// Arrays for examples and tests: mixtures whose spectra are known (a CP tensor with noise), and small images
// that a few row and column patterns make up. Like the tables of data/generate.cpp they depend on name, size
// and seed alone.
#include <mercer/error.hpp>
#include <mercer/tensor_generate.hpp>

#include "base/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

struct Peak {
  double at, width, height;
};

/// A sum of Gaussian peaks over 0 … 1, of unit length.
Vector<double> spectrum(Index points, const std::vector<Peak>& peaks) {
  Vector<double> out = Vector<double>::Zero(points);
  for (Index i = 0; i < points; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    for (const Peak& p : peaks) out[i] += p.height * std::exp(-0.5 * std::pow((x - p.at) / p.width, 2));
  }
  return out.normalized();
}

/// x_ijk = Σ_r c_ir e_jr f_kr + noise, not negative: n mixtures of three substances, each with a spectrum of
/// emission and one of excitation.
GeneratedTensor fluorescence(Index n, std::uint64_t seed) {
  constexpr Index emissions = 60, excitations = 40, substances = 3;
  constexpr double noise = 0.004;  // of the largest entry
  GeneratedTensor out;
  out.modes = {"sample", "emission", "excitation"};
  Random random(seed);
  Block<double> amounts(n, substances), emission(emissions, substances), excitation(excitations, substances);
  for (Index i = 0; i < n; ++i)
    for (Index r = 0; r < substances; ++r) amounts(i, r) = random.uniform();
  emission << spectrum(emissions, {{0.28, 0.08, 1}}),
      spectrum(emissions, {{0.45, 0.09, 1}, {0.62, 0.07, 0.4}}), spectrum(emissions, {{0.70, 0.10, 1}});
  excitation << spectrum(excitations, {{0.25, 0.09, 1}, {0.05, 0.06, 0.5}}),
      spectrum(excitations, {{0.45, 0.10, 1}}), spectrum(excitations, {{0.72, 0.08, 1}, {0.40, 0.09, 0.35}});

  out.values = Tensor<double>({n, emissions, excitations});
  double* x = out.values.data();
  for (Index k = 0; k < excitations; ++k)
    for (Index j = 0; j < emissions; ++j) {
      const Vector<double> pure = emission.row(j).cwiseProduct(excitation.row(k)).transpose();
      Eigen::Map<Vector<double>>(x + n * (j + emissions * k), n) = amounts * pure;
    }
  const double deviation = noise * out.values.values().maxCoeff();
  for (double& value : out.values.values()) value = std::max(0.0, value + deviation * random.normal());
  out.factors = {amounts, emission, excitation};
  return out;
}

/// Two soft spots an image, at random places: each is a pattern of rows times one of columns.
GeneratedTensor spots(Index n, std::uint64_t seed) {
  constexpr Index size = 32;
  GeneratedTensor out;
  out.modes = {"image", "row", "column"};
  out.values = Tensor<double>({n, size, size});
  Random random(seed);
  const auto between = [&](double low, double high) { return low + (high - low) * random.uniform(); };
  for (Index i = 0; i < n; ++i)
    for (int spot = 0; spot < 2; ++spot) {
      const double width = between(0.08, 0.14), brightness = between(0.5, 1) * size * width;
      const Vector<double> rows = spectrum(size, {{between(0.2, 0.8), width, 1}}),
                           columns = spectrum(size, {{between(0.2, 0.8), width, 1}});
      for (Index k = 0; k < size; ++k)
        for (Index j = 0; j < size; ++j) out.values({i, j, k}) += brightness * rows[j] * columns[k];
    }
  return out;
}

struct Recipe {
  Generator generator;
  GeneratedTensor (*make)(Index n, std::uint64_t seed);
};

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {{"fluorescence", "mixtures of three substances: n x 60 emissions x 40 excitations", 20}, fluorescence},
      {{"spots", "images of two soft spots: n x 32 x 32", 100}, spots},
  };
  return all;
}

}  // namespace

const std::vector<Generator>& tensor_generators() {
  static const std::vector<Generator> all = [] {
    std::vector<Generator> out;
    for (const Recipe& r : recipes()) out.push_back(r.generator);
    return out;
  }();
  return all;
}

bool is_tensor_generator(std::string_view name) {
  return std::any_of(recipes().begin(), recipes().end(),
                     [&](const Recipe& r) { return r.generator.name == name; });
}

GeneratedTensor generate_tensor(std::string_view name, Index n, std::uint64_t seed) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.generator.name != name) continue;
    if (n < 0)
      throw Error(ErrorCode::usage, fmt::format("{} of {} samples", name, n), "n must be at least 1");
    return recipe.make(n > 0 ? n : recipe.generator.default_n, seed);
  }
  std::vector<std::string> names;
  for (const Recipe& r : recipes()) names.push_back(r.generator.name);
  throw Error(ErrorCode::usage, fmt::format("unknown array '{}'", name),
              fmt::format("known: {}", fmt::join(names, ", ")));
}

}  // namespace mercer
