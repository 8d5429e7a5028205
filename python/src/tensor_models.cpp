// Decompositions of N-way arrays: Tucker, CP, 2D-SVD, and kernel PCA on the cores.
#include "models.hpp"
#include "module.hpp"
#include "options.hpp"
#include "tensors.hpp"

#include <mercer/cp.hpp>
#include <mercer/svd2d.hpp>
#include <mercer/tensor_kernel_pca.hpp>
#include <mercer/tucker.hpp>

namespace mercer::python {
namespace {

TuckerOptions tucker_options(const py::kwargs& arguments) {
  Given given(arguments, "tucker");
  TuckerOptions options;
  given.take("ranks", options.ranks);
  given.take("error", options.error);
  given.take("method", options.method, &parse_tucker_method);
  given.take("hooi", options.hooi);
  given.take("tolerance", options.tolerance);
  given.take("sample_mode", options.sample_mode);
  given.finish();
  return options;
}

CpOptions cp_options(const py::kwargs& arguments) {
  Given given(arguments, "cp");
  CpOptions options;
  given.take("rank", options.rank);
  given.take("nonnegative", options.nonnegative);
  given.take("starts", options.starts);
  given.take("start", options.start, &parse_cp_start);
  given.take("iterations", options.iterations);
  given.take("tolerance", options.tolerance);
  given.take("line_search", options.line_search);
  given.take("missing", options.missing);
  given.take("core_consistency", options.core_consistency);
  given.take("sample_mode", options.sample_mode);
  given.take("allow_partial", options.allow_partial);
  given.finish();
  return options;
}

Svd2dOptions svd2d_options(const py::kwargs& arguments) {
  Given given(arguments, "svd2d");
  Svd2dOptions options;
  given.take("ranks", options.ranks);
  given.take("center", options.center);
  given.take("iterations", options.iterations);
  given.take("tolerance", options.tolerance);
  given.finish();
  return options;
}

TensorKernelPcaOptions kernel_options(const py::kwargs& arguments) {
  Given given(arguments, "kernel PCA of arrays");
  TensorKernelPcaOptions options;
  given.take("ranks", options.ranks);
  given.take("components", options.components);
  given.take("kernel", options.kernel);
  given.take("center", options.center);
  given.take("sample_mode", options.sample_mode);
  given.finish();
  return options;
}

/// f(x) with a SparseTensor or a TensorView, whichever x is.
template <class T, class F>
auto with_tensor(const py::object& x, F&& f) {
  if (py::isinstance<SparseTensor<T>>(x)) return f(x.cast<const SparseTensor<T>&>());
  return f(to_tensor<T>(x));
}

/// Of whole arrays or sparse ones.
template <template <class> class M, auto to_options>
py::object fit_any(const py::object& x, const RunSettings& settings, const py::kwargs& arguments) {
  const auto options = to_options(arguments);
  return with_precision(precision_of_tensor(x), [&]<class T>() {
    return to_object(with_tensor<T>(x, [&](const auto& tensor) {
      return work(settings, [&](const Run& run) { return M<T>::fit(tensor, options, run); });
    }));
  });
}

/// Of whole arrays.
template <template <class> class M, auto to_options>
py::object fit_dense(const py::object& x, const RunSettings& settings, const py::kwargs& arguments) {
  const auto options = to_options(arguments);
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto tensor = to_tensor<T>(x);
    return to_object(work(settings, [&](const Run& run) { return M<T>::fit(tensor, options, run); }));
  });
}

py::object fit_weighted_cp(const py::object& x, const py::object& weights, const RunSettings& settings,
                           const py::kwargs& arguments) {
  const auto options = cp_options(arguments);
  return with_precision(precision_of_array(x), [&]<class T>() {
    const auto tensor = to_tensor<T>(x), factor = to_tensor<T>(weights);
    return to_object(
        work(settings, [&](const Run& run) { return Cp<T>::fit(tensor, factor, options, run); }));
  });
}

template <class T>
py::list factors_of(const TensorModel<T>& model) {
  py::list out;
  for (Block<T>& factor : model.factors()) out.append(to_numpy(std::move(factor)));
  return out;
}

template <class T>
void bind_base(py::module_& m) {
  using M = TensorModel<T>;
  py::class_<M, Model<T>, std::shared_ptr<M>>(m, class_name<T>("TensorModel").c_str())
      .def_property_readonly("shape", [](const M& model) { return py::tuple(py::cast(model.shape())); })
      .def_property_readonly("sample_mode", &M::sample_mode)
      .def_property_readonly("sample_shape",
                             [](const M& model) { return py::tuple(py::cast(model.sample_shape())); })
      .def_property_readonly("factors", &factors_of<T>)
      .def(
          "transform_tensor",
          [](const M& model, const py::object& x, const RunSettings& settings) {
            return to_numpy(with_tensor<T>(x, [&](const auto& tensor) {
              return work(settings, [&](const Run& run) { return model.transform_tensor(tensor, run); });
            }));
          },
          py::arg("X"), py::arg("run") = RunSettings{})
      .def(
          "inverse_tensor",
          [](const M& model, const py::object& z, const RunSettings& settings) {
            Samples<T> holder;
            const auto scores = to_rows<T>(z, holder);
            return to_numpy(
                work(settings, [&](const Run& run) { return model.inverse_tensor(scores, run); }));
          },
          py::arg("scores"), py::arg("run") = RunSettings{})
      .def(
          "reconstruction",
          [](const M& model, const RunSettings& settings) {
            return to_numpy(work(settings, [&](const Run& run) { return model.reconstruction(run); }));
          },
          py::arg("run") = RunSettings{});
}

template <class T>
void bind_classes(py::module_& m) {
  bind_base<T>(m);
  using Base = TensorModel<T>;
  py::class_<Tucker<T>, Base, std::shared_ptr<Tucker<T>>>(m, class_name<T>("Tucker").c_str())
      .def_property_readonly("core",
                             [](const Tucker<T>& model) { return to_numpy(Tensor<T>(model.core())); });
  py::class_<Cp<T>, Base, std::shared_ptr<Cp<T>>>(m, class_name<T>("Cp").c_str())
      .def_property_readonly("weights",
                             [](const Cp<T>& model) { return to_numpy(Vector<double>(model.weights())); })
      .def_property_readonly("takes_gaps", &Cp<T>::takes_gaps);
  using Flat = Svd2d<T>;
  py::class_<Flat, Base, std::shared_ptr<Flat>>(m, class_name<T>("Svd2d").c_str())
      .def_property_readonly("mean", [](const Flat& model) { return to_numpy(Matrix<double>(model.mean())); })
      .def_property_readonly("left_values",
                             [](const Flat& model) { return to_numpy(Vector<double>(model.left_values())); })
      .def_property_readonly(
          "right_values", [](const Flat& model) { return to_numpy(Vector<double>(model.right_values())); });
  using Curved = TensorKernelPca<T>;
  py::class_<Curved, Base, std::shared_ptr<Curved>>(m, class_name<T>("TensorKernelPca").c_str())
      .def_property_readonly("kernel", [](const Curved& model) { return model.on_cores().kernel(); });
}

}  // namespace

void bind_tensor_models(py::module_& m) {
  bind_classes<float>(m);
  bind_classes<double>(m);
  m.def("fit_tucker", &fit_any<Tucker, &tucker_options>, py::arg("X"), py::arg("run") = RunSettings{});
  m.def("fit_cp", &fit_any<Cp, &cp_options>, py::arg("X"), py::arg("run") = RunSettings{});
  m.def("fit_weighted_cp", &fit_weighted_cp, py::arg("X"), py::arg("weights"),
        py::arg("run") = RunSettings{});
  m.def("fit_svd2d", &fit_dense<Svd2d, &svd2d_options>, py::arg("X"), py::arg("run") = RunSettings{});
  m.def("fit_tensor_kernel_pca", &fit_dense<TensorKernelPca, &kernel_options>, py::arg("X"),
        py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
