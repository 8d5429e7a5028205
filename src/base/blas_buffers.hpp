// OpenBLAS's work buffers, taken while there is room for them.
#pragma once

namespace mercer {

/// Where the process's address space is limited (ulimit -v): makes sure that OpenBLAS has its buffer for each
/// of so many threads, and that the threads can be started. OpenBLAS asks for a buffer until it gets one, for
/// ever, and OpenMP ends the process. Throws Error{no_memory}. Elsewhere it does nothing.
void require_blas_buffers(int threads);

}  // namespace mercer
