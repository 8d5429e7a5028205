// Passive waiting by environment variable and a second start.
#include "waiting.hpp"

#include <unistd.h>

#include <cstdlib>

namespace mercer::app {

void wait_passively(char** arguments) noexcept {
  if (std::getenv("OMP_WAIT_POLICY")) return;
  if (::setenv("OMP_WAIT_POLICY", "passive", 1) == 0) ::execv("/proc/self/exe", arguments);
  // Without /proc the first start simply goes on.
}

}  // namespace mercer::app
