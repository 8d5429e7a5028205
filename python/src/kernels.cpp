// Kernels as Python objects: made by the same factories, added, multiplied, printed and parsed.
#include "arrays.hpp"
#include "gamma.hpp"
#include "interpreter_lock.hpp"
#include "module.hpp"
#include "run.hpp"

#include <mercer/kernel.hpp>

#include <pybind11/operators.h>

namespace mercer::python {
namespace {

/// Rows for Python with memory of their own: a function may keep what it is given.
py::array copy_of(const MatrixView<double>& rows) { return to_numpy(Matrix<double>(rows)); }

/// What a function gave for two rows.
double number_of(const py::object& value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number != -1 || !PyErr_Occurred()) return number;
  PyErr_Clear();
  throw Error(ErrorCode::bad_data,
              "a kernel function of two rows must give a number, and this one gave " +
                  std::string(py::str(py::type::of(value).attr("__name__"))),
              "mercer.function(f, blocks=True) takes one of two arrays of rows that gives a matrix");
}

/// Calls f(x, y) for every pair of rows, or f(X, Y) for a block of each.
Kernel from_function(const py::object& function, const std::string& name, bool blocks) {
  const auto kept = keep_alive(function);
  const auto call = [kept, blocks](const MatrixView<double>& x, const MatrixView<double>& y,
                                   MatrixRef<double> k) {
    const Locked locked;
    const py::handle f(static_cast<PyObject*>(const_cast<void*>(kept.get())));
    const py::array rows = copy_of(x), columns = copy_of(y);
    if (blocks) {
      Samples<double> holder;
      const auto values = to_rows<double>(f(rows, columns), holder);
      if (values.rows() != k.rows() || values.cols() != k.cols())
        throw Error(ErrorCode::bad_data, "a kernel function must give a value for each pair of rows");
      k = values;
      return;
    }
    std::vector<py::object> each;
    for (Index j = 0; j < k.cols(); ++j) each.push_back(columns[py::int_(j)]);
    for (Index i = 0; i < k.rows(); ++i) {
      const py::object row = rows[py::int_(i)];
      for (Index j = 0; j < k.cols(); ++j) k(i, j) = number_of(f(row, each[static_cast<std::size_t>(j)]));
    }
  };
  return Kernel::from_tiles(name, call);
}

py::array evaluate(const Kernel& kernel, const py::object& x, const py::object& y,
                   const RunSettings& settings) {
  const bool single = precision_of_array(x) == Precision::float32 &&
                      (y.is_none() || precision_of_array(y) == Precision::float32);
  return with_precision(single ? Precision::float32 : Precision::float64, [&]<class T>() -> py::array {
    const auto rows = to_samples<T>(x), columns = y.is_none() ? rows : to_samples<T>(y);
    return to_numpy(work(settings, [&](const Run& run) {
      require_finite(rows);
      require_finite(columns);
      kernel.check_data(rows);
      const Kernel known = kernel.resolved(rows, run.seed);
      return y.is_none() ? gram<T>(known, rows, run)
                         : gram<T>(known, rows, columns.in_the_form_of(rows), run);
    }));
  });
}

std::string definiteness_of(const Kernel& kernel) {
  switch (kernel.definiteness()) {
    case Definiteness::psd:
      return "psd";
    case Definiteness::conditional:
      return "conditional";
    case Definiteness::unknown:
      return "unknown";
  }
  return "unknown";
}

/// A function of Python's is not in the text.
std::string text_for_pickle(const Kernel& kernel) {
  std::string text = kernel.to_string();
  if (text.find("user(") != std::string::npos)
    throw py::type_error("a kernel with a Python function in it cannot be pickled: " + text +
                         " (give the function itself as kernel=)");
  return text;
}

void bind_kernel_class(py::module_& m) {
  py::class_<Kernel>(m, "Kernel", R"doc(k(x, y), an immutable value: it prints, parses, adds and multiplies.

>>> import mercer
>>> k = mercer.rbf(0.5) + 0.1 * mercer.linear()
>>> print(k)
rbf(gamma=0.5) + 0.1*linear()
>>> mercer.Kernel("rbf(gamma=0.5) + 0.1*linear()") == k
True
>>> k([[0.0, 0.0], [1.0, 0.0]])
array([[1.        , 0.60653066],
       [0.60653066, 1.1       ]])
)doc")
      .def(py::init([](const std::string& text) { return Kernel::parse(text); }), py::arg("text"))
      .def(py::init<const Kernel&>(), py::arg("kernel"))
      .def_static(
          "parse", [](const std::string& text) { return Kernel::parse(text); }, py::arg("text"),
          "Reads what print shows, and everything the command line's --kernel accepts.")
      .def("__str__", &Kernel::to_string)
      .def("__repr__",
           [](const Kernel& k) {
             return "Kernel(" + py::repr(py::str(k.to_string())).cast<std::string>() + ")";
           })
      .def(
          "__eq__", [](const Kernel& a, const Kernel& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const Kernel& k) { return py::hash(py::str(k.to_string())); })
      .def(py::self + py::self)
      .def(py::self * py::self)
      .def(double() * py::self)
      .def(
          "__mul__", [](const Kernel& k, double factor) { return factor * k; }, py::is_operator())
      .def("__call__", &evaluate, py::arg("X"), py::arg("Y") = py::none(), py::arg("run") = RunSettings{},
           "The matrix of k(x, y) for all rows x of X and y of Y (or of X again).")
      .def_property_readonly("definiteness", &definiteness_of,
                             "'psd', 'conditional' (psd once centred) or 'unknown', without looking at data.")
      .def_property_readonly("is_precomputed", &Kernel::is_precomputed)
      .def_property_readonly("is_resolved", &Kernel::is_resolved, "Is every gamma a number?")
      .def(
          "resolved",
          [](const Kernel& k, const py::object& x, std::uint64_t seed) {
            return with_precision(precision_of_array(x),
                                  [&]<class T>() { return k.resolved(to_samples<T>(x), seed); });
          },
          py::arg("X"), py::arg("seed") = 0,
          "gamma='auto' and gamma='median' replaced by numbers taken from X.")
      .def("__copy__", [](const py::object& self) { return self; })
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__reduce__", [](const Kernel& k) {
        return py::make_tuple(py::type::of<Kernel>(), py::make_tuple(text_for_pickle(k)));
      });
}

}  // namespace

void bind_kernels(py::module_& m) {
  using py::arg;
  bind_kernel_class(m);
  const py::str median("median");
  m.def("linear", &Kernel::linear, "x·y");
  m.def(
      "polynomial",
      [](int degree, const py::object& gamma, double c) {
        return Kernel::polynomial(degree, to_gamma(gamma), c);
      },
      arg("degree") = 3, arg("gamma") = 1.0, arg("coef0") = 1.0, "(gamma x·y + coef0)^degree");
  m.def(
      "rbf", [](const py::object& gamma) { return Kernel::rbf(to_gamma(gamma)); }, arg("gamma") = median,
      "exp(-gamma |x-y|²); gamma is a number, 'auto' (1/d) or 'median'");
  m.def("rbf_sigma", &Kernel::rbf_sigma, arg("sigma"), "exp(-|x-y|² / 2 sigma²)");
  m.def(
      "laplacian", [](const py::object& gamma) { return Kernel::laplacian(to_gamma(gamma)); },
      arg("gamma") = median, "exp(-gamma |x-y|₁)");
  m.def(
      "sigmoid", [](const py::object& gamma, double c) { return Kernel::sigmoid(to_gamma(gamma), c); },
      arg("gamma") = py::str("auto"), arg("coef0") = 1.0, "tanh(gamma x·y + coef0)");
  m.def("cosine", &Kernel::cosine, "x·y / |x||y|");
  m.def("matern32", &Kernel::matern32, arg("length"), "(1 + √3 r/length) exp(-√3 r/length)");
  m.def("matern52", &Kernel::matern52, arg("length"), "(1 + √5 r/length + 5r²/3length²) exp(-√5 r/length)");
  m.def("rational_quadratic", &Kernel::rational_quadratic, arg("length"), arg("alpha") = 1.0,
        "(1 + r²/(2 alpha length²))^-alpha");
  m.def(
      "chi2", [](const py::object& gamma) { return Kernel::chi2(to_gamma(gamma)); }, arg("gamma") = median,
      "exp(-gamma Σ(x-y)²/(x+y))");
  m.def("additive_chi2", &Kernel::additive_chi2, "-Σ(x-y)²/(x+y)");
  m.def("precomputed", &Kernel::precomputed, "The samples are the rows of the kernel matrix itself.");
  m.def("expression", &Kernel::expression, arg("formula"),
        "A formula in dot, sqdist and l1dist, such as 'exp(-sqdist)*(1+dot)^2'.");
  m.def("function", &from_function, arg("function"), arg("name"), py::kw_only(), arg("blocks") = false,
        "A Python function of two rows, or with blocks=True of two arrays of rows that gives a matrix.\n"
        "Model files know it by its name alone.");
}

}  // namespace mercer::python
