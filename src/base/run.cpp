// Defaults of a Run that depend on the machine.
#include <mercer/run.hpp>

#include "base/blas_buffers.hpp"
#include "base/memory.hpp"

#include <omp.h>

namespace mercer {

int Run::thread_count() const {
  const int count = threads > 0 ? threads : omp_get_max_threads();
  require_blas_buffers(count);
  return count;
}

std::size_t Run::memory_budget() const { return memory > 0 ? memory : machine_memory() / 2; }

}  // namespace mercer
