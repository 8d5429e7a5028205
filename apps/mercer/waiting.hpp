// How OpenMP's threads wait for work. GCC's runtime reads its settings before main and has no call to
// change them, so the program sets them and starts itself again, once.
#pragma once

namespace mercer::app {

/// Threads that wait shall sleep, not spin: a spinning thread holds the core that another process, or
/// our own last worker, needs. Does nothing when the user has set OMP_WAIT_POLICY.
void wait_passively(char** arguments) noexcept;

}  // namespace mercer::app
