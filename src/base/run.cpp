// Defaults of a Run that depend on the machine.
#include <mercer/run.hpp>

#include "base/memory.hpp"

#include <omp.h>

namespace mercer {

int Run::thread_count() const { return threads > 0 ? threads : omp_get_max_threads(); }

std::size_t Run::memory_budget() const { return memory > 0 ? memory : machine_memory() / 2; }

}  // namespace mercer
