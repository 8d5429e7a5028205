// Kernel PCA that looks at images as images: at the cores that 2D-SVD or Tucker's projection leave of them.
#include "tensor_kernel.hpp"

#include "kernels.hpp"
#include "tensor_fit.hpp"

#include <mercer/tensor_kernel_pca.hpp>

namespace mercer::app {
namespace {

const std::string prefix = "tensor-";

/// tensor-rbf(gamma=1) is rbf(gamma=1) of the cores.
std::string without_prefix(std::string kernel) {
  for (auto at = kernel.find(prefix); at != std::string::npos; at = kernel.find(prefix, at))
    kernel.erase(at, prefix.size());
  return kernel;
}

TensorKernelPcaOptions options_of(const FitFlags& flags, const Ranks& ranks, const Kernel& kernel,
                                  const Shape& shape) {
  if (shape.size() < 2)
    throw Error(ErrorCode::bad_data, fmt::format("{} has one mode: there are no samples", flags.data),
                "a stack has samples along its first mode");
  const Shape sample(shape.begin() + 1, shape.end());
  return {.ranks = ranks.of(sample, "samples of " + to_string(sample)),
          .components = Components::parse(flags.components),
          .kernel = kernel,
          .center = flags.centered()};
}

}  // namespace

void CoreFlags::add_to(CLI::App& parser, const std::string& group) {
  parser.add_flag("--tensor", tensor, "DATA is a stack (npy, npz, images): the kernel is of its cores")
      ->group(group);
  parser.add_option("--ranks", ranks, "with --tensor: the cores' size, a number a mode of a sample")
      ->type_name("P,Q")
      ->group(group);
}

bool CoreFlags::chosen(const CLI::App& parser, const std::string& kernel) const {
  if (!tensor) {
    if (!ranks.empty()) throw Error(ErrorCode::usage, "--ranks is for a stack", "add --tensor");
    if (kernel.find(prefix) != std::string::npos)
      throw Error(ErrorCode::usage, fmt::format("the kernel '{}' is of the samples' cores", kernel),
                  "add --tensor --ranks P,Q");
    return false;
  }
  for (const char* other :
       {"--label", "--missing", "--transpose", "--keep-label", "--scale", "--indefinite", "--rank",
        "--tolerance", "--landmarks", "--features", "--feature-kind", "--route", "--residual"})
    if (parser.count(other) > 0)
      throw Error(ErrorCode::usage, fmt::format("{} is for tables, and --tensor takes a stack", other),
                  "leave out one of the two");
  if (ranks.empty()) throw Error(ErrorCode::usage, "how large shall the cores be?", "add --ranks P,Q");
  return true;
}

void fit_tensor_kernel(const FitFlags& flags, const CoreFlags& cores, const std::string& kernel,
                       const Session& session) {
  const Ranks ranks = Ranks::parse(cores.ranks);
  const Kernel parsed = parse_kernel(without_prefix(kernel));
  (void)Components::parse(flags.components);
  TensorFlags tensor;
  static_cast<FitFlags&>(tensor) = flags;
  fit_tensor(
      "tensor-kpca", tensor, session,
      [&]<class T>(const Stack<T>& x, const Run& run) {
        return TensorKernelPca<T>::plan(x.shape(), options_of(flags, ranks, parsed, x.shape()), run);
      },
      [&]<class T>(const Stack<T>& x, const Run& run) {
        return TensorKernelPca<T>::fit(x.dense("kpca --tensor"), options_of(flags, ranks, parsed, x.shape()),
                                       run);
      });
}

}  // namespace mercer::app
