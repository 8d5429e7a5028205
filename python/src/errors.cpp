// mercer::Error as the exceptions that Python programmers expect, with the library's own words.
#include "module.hpp"

#include <mercer/error.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <string>

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

/// The command line's options in Python's words: "raise --memory" is "raise memory=".
std::string in_pythons_words(const std::string& text) {
  static const std::map<std::string, std::string> other_names{
      {"neighbors", "n_neighbors"}, {"route", "solver"}, {"threads", "n_jobs"}};
  static const std::regex option("(^|[ (])--([a-z][a-z-]*[a-z])");  // not within a file's name
  std::string out;
  auto rest = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
    std::string name = (*at)[2];
    std::replace(name.begin(), name.end(), '-', '_');
    const auto other = other_names.find(name);
    out.append(rest, (*at)[1].second).append(other == other_names.end() ? name : other->second).append("=");
    rest = (*at)[0].second;
  }
  return out.append(rest, text.cend());
}

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
