// Model files, their checksum made right: info, transform, inverse, scores, pictures and saving of what
// loads.
#include "fuzz/model_bytes.hpp"
#include "fuzz/targets.hpp"
#include "fuzz/use_model.hpp"

namespace mercer::fuzz {

void fuzz_model(Bytes bytes) {
  // Pictures and updates cost as much as all the rest: each file has one of them in eight, by what is in it.
  const std::uint64_t draw = XXH3_64bits(bytes.data(), bytes.size());
  const Uses uses{.growth = draw % 8 == 0, .pictures = draw % 8 == 1};
  (void)use_model_file(spill("model.mercer", sealed(std::string(bytes))), uses);
}

}  // namespace mercer::fuzz
