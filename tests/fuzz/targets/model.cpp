// Model files, their checksum made right: info, transform, inverse, scores, pictures and saving of what
// loads.
#include "fuzz/model_bytes.hpp"
#include "fuzz/targets.hpp"
#include "fuzz/use_model.hpp"
#include "fuzz/ways.hpp"

namespace mercer::fuzz {

void fuzz_model(Bytes bytes) {
  // Pictures and updates cost as much as all the rest: one file in eight has them.
  const Ways ways(bytes, 8);
  const Uses uses{.growth = ways.at(0), .pictures = ways.at(1)};
  (void)use_model_file(spill("model.mercer", sealed(std::string(bytes))), uses);
}

}  // namespace mercer::fuzz
