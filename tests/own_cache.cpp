// Linked into every test program: tests never read or write the user's own cache, whoever starts them.
#include <cstdlib>

namespace {

[[maybe_unused]] const int off = ::setenv("MERCER_CACHE", "off", 1);

}  // namespace
