// How OpenMP's threads wait for work. GCC's runtime reads its settings before main and has no call to
// change them, so the program sets them and starts itself again, once.
#pragma once

namespace mercer::app {

/// Threads that wait shall sleep, not spin: beside one other busy process spinning costs a factor of
/// 3, sleeping next to nothing. Does nothing when the user has set OMP_WAIT_POLICY.
void wait_passively(char** arguments) noexcept;

}  // namespace mercer::app
