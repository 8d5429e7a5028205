// mercer::Error as the exceptions that Python programmers expect, with the library's own words.
#include "module.hpp"

#include <mercer/error.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mercer::python {
namespace {

/// Borrowed; lives as long as the module.
PyObject* not_psd = nullptr;
PyObject* not_converged = nullptr;

PyObject* type_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::bad_data:
      return PyExc_ValueError;
    case ErrorCode::not_psd:
      return not_psd;
    case ErrorCode::not_converged:
      return not_converged;
    case ErrorCode::no_memory:
      return PyExc_MemoryError;
    case ErrorCode::no_input:
      return PyExc_FileNotFoundError;
    case ErrorCode::cannot_create:
    case ErrorCode::io:
      return PyExc_OSError;
    case ErrorCode::cancelled:
      return PyExc_KeyboardInterrupt;
    case ErrorCode::no_backend:
    case ErrorCode::internal:
      return PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

/// Where Python has another word for it altogether.
const std::vector<std::pair<std::regex, std::string>> phrases{
    {std::regex("keep the positive part with --indefinite clip"),
     "ask for a number of components, which keeps the positive part"},
    {std::regex("kpca --indefinite clip"), "KernelPCA with a number of components"},
    {std::regex("load it from C\\+\\+ with LoadOptions::kernels\\[\"([^\"]*)\"\\] = the kernel"),
     "load it with mercer.load(path, kernels={'$1': the function})"},
    {std::regex("scale the inputs \\(--scale standardize\\)"), "scale the inputs (StandardScaler)"},
    {std::regex(" \\(keep --center yes\\)"), ""},
    {std::regex("--precision float"), "float32 data"},
    {std::regex("written by --model or save\\(\\)"), "written by save()"},
};
const std::map<std::string, std::string> other_names{{"neighbors", "n_neighbors"},
                                                     {"route", "solver"},
                                                     {"threads", "n_jobs"},
                                                     {"partial", "allow_partial"},
                                                     {"features", "n_features_map"}};
/// What an option may be followed by, if it is one of a few words.
const std::map<std::string, std::set<std::string>> choices{
    {"pieces", {"error", "largest", "bridge"}},   {"missing", {"error", "drop", "mean", "fit"}},
    {"scale", {"none", "center", "standardize"}}, {"route", {"auto", "dense", "stored", "tiled", "lowrank"}},
    {"kernel", {"precomputed", "linear"}},        {"landmarks", {"pivoted", "uniform", "kmeans"}}};

}  // namespace

// "raise --memory" is "raise memory=", "--pieces largest" is "pieces='largest'".
std::string in_pythons_words(std::string text) {
  for (const auto& [theirs, ours] : phrases) text = std::regex_replace(text, theirs, ours);
  // (not within a file's name)
  static const std::regex option(
      "(^|[ (])--([a-z][a-z-]*[a-z])( [a-z]+| [A-Z]\\b| [0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?\\b)?");
  std::string out;
  auto rest = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
    std::string name = (*at)[2];
    std::replace(name.begin(), name.end(), '-', '_');
    const auto other = other_names.find(name);
    out.append(rest, (*at)[1].second).append(other == other_names.end() ? name : other->second).append("=");
    rest = (*at)[2].second;
    if (!(*at)[3].matched) continue;
    const std::string value((*at)[3].first + 1, (*at)[3].second);
    const auto known = choices.find(name);
    const bool as_it_is = value[0] < 'a';  // a number, or a letter for one
    if (!as_it_is && (known == choices.end() || !known->second.contains(value))) continue;
    out.append(as_it_is ? value : "'" + value + "'");
    rest = (*at)[3].second;
  }
  return out.append(rest, text.cend());
}

namespace {

PyObject* add_exception(py::module_& m, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("mercer.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (!type) throw py::error_already_set();
  m.add_object(name, type);
  return type;
}

}  // namespace

void bind_errors(py::module_& m) {
  not_psd = add_exception(m, "NotPositiveSemidefiniteError", PyExc_ValueError,
                          "The kernel matrix has negative eigenvalues where none may be.");
  not_converged = add_exception(m, "NotConvergedError", PyExc_RuntimeError,
                                "The solver ran out of passes before the tolerance was met.");
  py::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const Error& error) {
      PyErr_SetString(type_of(error.code()), in_pythons_words(error.what()).c_str());
    } catch (const py::cast_error& error) {  // an argument of another kind than is asked for
      PyErr_SetString(PyExc_TypeError, error.what());
    }
  });
}

}  // namespace mercer::python
