// A small model of every method, saved: fits on a dozen points that take milliseconds.
#include "fuzz/model_zoo.hpp"

#include <mercer/mercer.hpp>

#include <cmath>
#include <limits>

namespace mercer::fuzz {

namespace {

constexpr Index samples = 12;

/// Points without symmetry, the same everywhere.
template <class T>
Matrix<T> points_of(Index n, Index d) {
  Matrix<T> out(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) out(i, j) = static_cast<T>(std::sin(double(1 + 3 * i + 7 * j * j + i * j)));
  return out;
}

template <class T>
Dataset<T> table(Index n = samples, Index d = 3) {
  Dataset<T> out;
  out.samples = points_of<T>(n, d);
  for (Index j = 0; j < d; ++j) out.columns.push_back("x" + std::to_string(j + 1));
  std::vector<std::string> classes;
  for (Index i = 0; i < n; ++i) classes.emplace_back(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c");
  out.label = make_label("class", classes);
  return out;
}

template <class T>
Samples<T> sparse_points() {
  const Matrix<T> dense = points_of<T>(samples, 4);
  SparseMatrix<T> out(samples, 4);
  for (Index i = 0; i < samples; ++i)
    for (Index j = 0; j < 4; ++j)
      if ((i + j) % 2 == 0) out.insert(i, j) = dense(i, j);
  return out;
}

template <class T>
Tensor<T> stack() {
  Tensor<T> out(Shape{5, 3, 4});
  for (Index i = 0; i < out.count(); ++i) out.values()[i] = static_cast<T>(std::cos(double(i * i) / 7));
  return out;
}

class Zoo {
 public:
  explicit Zoo(std::string folder) : folder_(std::move(folder)) { run_.threads = 1; }

  template <class Model>
  void add(const std::string& name, const Model& model) {
    paths.push_back(folder_ + "/" + name + ".mercer");
    model.save(paths.back());
  }

  template <class T>
  void linear(const std::string& as) {
    const auto data = table<T>();
    add("pca" + as, Pca<T>::fit(data, {.components = 2, .scale = Scale::standardize}, run_));
    add("lda" + as, LinearDiscriminant<T>::fit(data, {}, run_));
    Matrix<T> gaps = points_of<T>(samples, 4);
    for (Index i = 0; i < samples; i += 3) gaps(i, i % 4) = std::numeric_limits<T>::quiet_NaN();
    add("missing" + as, MissingPca<T>::fit(Samples<T>(gaps), {.components = 2, .ridge = 0.1}, run_));
    add("relations" + as, BasisPca<T>::fit(data, {.basis = Basis::monomials(2), .smallest = 2}, run_));
    add("basis" + as,
        BasisPca<T>::fit(
            data,
            {.basis = Basis::parse("radial(count=3, gamma=0.5) + fourier(count=4) + cosines(count=1) "
                                   "+ functions('x1*x2')")},
            run_));
  }

  template <class T>
  void kernels(const std::string& as) {
    const auto data = table<T>();
    add("kpca" + as, KernelPca<T>::fit(data, {.kernel = Kernel::rbf(0.3), .scale = Scale::center}, run_));
    add("kpca-poly" + as, KernelPca<T>::fit(data, {.kernel = Kernel::polynomial(2)}, run_));
    add("kpca-expr" + as,
        KernelPca<T>::fit(data, {.kernel = Kernel::parse("expr('exp(-sqdist)') + 0.5*linear")}, run_));
    add("kpca-chi2" + as, KernelPca<T>::fit(Samples<T>(Matrix<T>(points_of<T>(samples, 3).cwiseAbs())),
                                            {.kernel = Kernel::chi2(0.5)}, run_));
    add("kpca-sparse" + as, KernelPca<T>::fit(sparse_points<T>(), {.kernel = Kernel::rbf(0.3)}, run_));
    const Matrix<T> x = points_of<T>(samples, 3);
    add("kpca-given" + as,
        KernelPca<T>::fit(Samples<T>(Matrix<T>(x * x.transpose())),
                          {.kernel = Kernel::precomputed(), .indefinite = Indefinite::clip}, run_));
    const KernelPcaOptions low{.kernel = Kernel::rbf(0.3), .route = Route::lowrank, .lowrank = {.rank = 5}};
    add("kpca-lowrank" + as, KernelPca<T>::fit(data, low, run_));
    add("kpca-streamed" + as, KernelPca<T>::fit(*rows_of(data.samples, 4), low, run_));
    add("kpca-features" + as,
        RandomFeaturePca<T>::fit(data, {.kernel = Kernel::rbf(0.3), .features = 8}, run_));
    add("klda" + as, KernelDiscriminant<T>::fit(data, {.kernel = Kernel::rbf(0.3)}, run_));
    add("klda-lowrank" + as,
        KernelDiscriminant<T>::fit(
            data, {.kernel = Kernel::rbf(0.3), .route = Route::lowrank, .lowrank = {.rank = 6}}, run_));
  }

  template <class T>
  void maps(const std::string& as) {
    const auto data = table<T>();
    const NeighborOptions near{.count = 5, .disconnected = Disconnected::bridge};
    add("isomap" + as, Isomap<T>::fit(data, {.neighbors = near}, run_));
    add("isomap-landmarks" + as, Isomap<T>::fit(data, {.neighbors = near, .landmarks = 6}, run_));
    add("lle" + as, Lle<T>::fit(data, {.neighbors = near}, run_));
    add("hlle" + as,
        Lle<T>::fit(data, {.components = 1, .variant = LleVariant::hessian, .neighbors = near}, run_));
    add("laplacian" + as, LaplacianEigenmaps<T>::fit(data, {.neighbors = near}, run_));
    add("diffusion" + as, LaplacianEigenmaps<T>::fit(data, {.neighbors = near, .diffusion = true}, run_));
    add("mvu" + as, Mvu<T>::fit(data, {.neighbors = near}, run_));
    add("tsne" + as, Tsne<T>::fit(data, {.perplexity = 3, .iterations = 60, .exaggerated = 20}, run_));
  }

  template <class T>
  void arrays(const std::string& as) {
    const Tensor<T> x = stack<T>();
    add("tucker" + as, Tucker<T>::fit(x, {.ranks = {2, 2, 3}}, run_));
    add("cp" + as, Cp<T>::fit(x, {.rank = 2, .starts = 1, .tolerance = 1e-3, .allow_partial = true}, run_));
    add("svd2d" + as, Svd2d<T>::fit(x, {.ranks = {2, 3}}, run_));
    add("tensor-kpca" + as, TensorKernelPca<T>::fit(x, {.ranks = {2, 2}, .kernel = Kernel::rbf(0.3)}, run_));
  }

  std::vector<std::string> paths;

 private:
  std::string folder_;
  Run run_;
};

}  // namespace

std::vector<std::string> save_model_zoo(const std::string& folder) {
  Zoo zoo(folder);
  zoo.linear<double>("");
  zoo.kernels<double>("");
  zoo.maps<double>("");
  zoo.arrays<double>("");
  zoo.linear<float>("-float");
  zoo.kernels<float>("-float");
  zoo.arrays<float>("-float");
  return zoo.paths;
}

}  // namespace mercer::fuzz
