// Which method reads which model file. A new method adds its line here. In a room of its own: the methods
// live in `model`, `tensor` and `manifold`, which need not know of each other.
#include <mercer/basis_pca.hpp>
#include <mercer/cp.hpp>
#include <mercer/discriminant.hpp>
#include <mercer/error.hpp>
#include <mercer/isomap.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/laplacian.hpp>
#include <mercer/lle.hpp>
#include <mercer/missing_pca.hpp>
#include <mercer/mvu.hpp>
#include <mercer/pca.hpp>
#include <mercer/random_feature_pca.hpp>
#include <mercer/svd2d.hpp>
#include <mercer/tensor_kernel_pca.hpp>
#include <mercer/tsne.hpp>
#include <mercer/tucker.hpp>

#include "model/model_file.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace mercer {

namespace {

template <class T>
struct Method {
  std::string_view name;
  std::unique_ptr<Model<T>> (*read)(ModelReader<T>&);
};

/// PCA of a whole table, or of one with gaps.
template <class T>
std::unique_ptr<Model<T>> read_pca(ModelReader<T>& reader) {
  return reader.has("penalty") ? MissingPca<T>::read(reader) : Pca<T>::read(reader);
}

/// Kernel PCA on the kernel, or on features that stand for it.
template <class T>
std::unique_ptr<Model<T>> read_kernel_pca(ModelReader<T>& reader) {
  return reader.has("frequencies") ? RandomFeaturePca<T>::read(reader) : KernelPca<T>::read(reader);
}

template <class T>
constexpr std::array<Method<T>, 15> methods{{
    {"pca", &read_pca<T>},
    {"kpca", &read_kernel_pca<T>},
    {"basis-pca", &BasisPca<T>::read},
    {"lda", &LinearDiscriminant<T>::read},
    {"klda", &KernelDiscriminant<T>::read},
    {"isomap", &Isomap<T>::read},
    {"lle", &Lle<T>::read},
    {"hlle", &Lle<T>::read},
    {"laplacian", &LaplacianEigenmaps<T>::read},
    {"mvu", &Mvu<T>::read},
    {"tsne", &Tsne<T>::read},
    {"tucker", &Tucker<T>::read},
    {"cp", &Cp<T>::read},
    {"svd2d", &Svd2d<T>::read},
    {"tensor-kpca", &TensorKernelPca<T>::read},
}};

}  // namespace

template <class T>
std::unique_ptr<Model<T>> load_model(const std::string& path, const LoadOptions& options) {
  ModelReader<T> reader(path, options);
  for (const auto& method : methods<T>) {
    if (method.name != reader.method()) continue;
    try {
      return method.read(reader);
    } catch (const nlohmann::json::exception&) {  // a parameter of another type than its method asks for
      reader.damaged(fmt::format("a parameter of its {} is of the wrong kind", method.name));
    }
  }
  throw Error(ErrorCode::bad_data,
              fmt::format("{} holds a model of the method '{}', which this mercer does not know", path,
                          reader.method()));
}

template std::unique_ptr<Model<float>> load_model(const std::string&, const LoadOptions&);
template std::unique_ptr<Model<double>> load_model(const std::string&, const LoadOptions&);

}  // namespace mercer
