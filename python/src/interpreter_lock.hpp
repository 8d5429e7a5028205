// The interpreter lock: given up while the library works, taken for what Python does meanwhile. Once the
// interpreter goes down Python ends every other thread that asks for the lock (by pthread_exit), and that
// would go through C++ destructors and end the process with an abort. Such threads wait here for the end
// instead, as from Python 3.14 on.
#pragma once

#include <pybind11/pybind11.h>

#include <cxxabi.h>
#include <unistd.h>

#include <optional>

namespace mercer::python {

namespace py = pybind11;

[[noreturn]] inline void wait_for_the_end() {
  for (;;) ::pause();
}

class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      wait_for_the_end();
    }
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

class Locked {
 public:
  Locked() {
    try {
      lock_.emplace();
    } catch (abi::__forced_unwind&) {
      wait_for_the_end();
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  std::optional<py::gil_scoped_acquire> lock_;
};

}  // namespace mercer::python
