// Options of pre-images, and their errors in words and as JSON.
#include "preimage_options.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace mercer::app {
namespace {

constexpr const char* method_names[] = {"--preimage", "--ridge", "--neighbors", "--starts", "--pull"};

}  // namespace

void PreimageFlags::add_to(CLI::App& parser, const std::string& group) {
  parser.add_option("--preimage", method, "fixed-point, distances, ridge (default: as the kernel allows)")
      ->type_name("METHOD")
      ->group(group);
  parser.add_option("--starts", starts, "places the fixed point begins from (default 3)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->group(group);
  parser.add_option("--neighbors", neighbors, "whose distances are met (default 10)")
      ->type_name("N")
      ->check(CLI::Range(2, 100000).description(""))
      ->group(group);
  parser.add_option("--ridge", ridge, "of the learned map (default 1), or auto: by leave-one-out")
      ->type_name("MU|auto")
      ->group(group);
}

PreimageOptions PreimageFlags::parsed() const {
  PreimageOptions out{
      .method = parse_preimage_method(method), .starts = starts, .pull = pull, .neighbors = neighbors};
  if (ridge == "auto") {
    out.ridge = 0;
    return out;
  }
  char* end = nullptr;
  out.ridge = std::strtod(ridge.c_str(), &end);
  if (end == ridge.c_str() || *end != '\0' || !(out.ridge > 0))
    throw Error(ErrorCode::usage, fmt::format("--ridge: '{}' is neither a number above 0 nor auto", ridge));
  return out;
}

void PreimageFlags::refuse_for(const CLI::App& parser, const std::string& method, const std::string& why) {
  for (const char* name : method_names)
    if (parser.get_option_no_throw(name) != nullptr && parser.count(name) > 0)
      throw Error(ErrorCode::usage, fmt::format("{} means nothing for {}, {}", name, method, why),
                  "leave it out");
}

double PreimageErrors::mean() const {
  return errors.empty()
             ? 0
             : std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

void PreimageErrors::put_into(nlohmann::ordered_json& json) const {
  json["preimage"] = preimage;
  json["mean_error"] = mean();
  json["max_error"] = errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
  json["unconverged"] = unconverged;
  json["errors"] = errors;
}

std::string PreimageErrors::in_words() const {
  if (is_exact()) return "the inverse is exact";
  const auto worst = std::max_element(errors.begin(), errors.end());
  auto text = fmt::format("pre-images {}: mean error {:.3g}, largest {:.3g} in row {} (from 0)",
                          preimage == "exact" ? "of the least error there is" : "by " + preimage, mean(),
                          *worst, worst - errors.begin());
  if (unconverged > 0) text += fmt::format("; {} had not converged", unconverged);
  return text;
}

}  // namespace mercer::app
