// The calibration's file: one JSON object, a member for each CPU, number of threads and version.
#include "plan/calibration.hpp"

#include "base/atomic_file.hpp"

#include <mercer/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace mercer {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t lifetime = 30LL * 24 * 3600;  // seconds
constexpr std::uintmax_t largest_file = 1U << 20;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const std::string& cpu_name() {
  static const std::string name = [] {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
      if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
    return std::string("unknown");
  }();
  return name;
}

std::string key_of(int threads) {
  return fmt::format("{}; {} threads; mercer {}", cpu_name(), threads, version);
}

/// The file's entries that are still good for something; an empty object when there are none.
Json entries_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  if (ignored || size > largest_file) return Json::object();
  std::ifstream file(path, std::ios::binary);
  const Json all = Json::parse(file, nullptr, false);
  if (!all.is_object()) return Json::object();
  Json fresh = Json::object();
  for (const auto& [key, entry] : all.items()) {
    if (!entry.is_object() || !entry.contains("measured") || !entry["measured"].is_number_integer()) continue;
    const auto age = now() - entry["measured"].get<std::int64_t>();
    if (age >= 0 && age < lifetime) fresh[key] = entry;
  }
  return fresh;
}

std::optional<MachineRates> rates_of(const Json& entry) {
  const auto number = [&](const char* name) {
    const auto found = entry.find(name);
    return found != entry.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const MachineRates rates{number("gemm_double"),  number("gemm_float"), number("kernel_double"),
                           number("kernel_float"), number("read_bytes"), number("fresh_bytes")};
  if (!rates.plausible()) return std::nullopt;
  return rates;
}

Json entry_of(const MachineRates& rates) {
  return {{"measured", now()},
          {"gemm_double", rates.gemm_double},
          {"gemm_float", rates.gemm_float},
          {"kernel_double", rates.kernel_double},
          {"kernel_float", rates.kernel_float},
          {"read_bytes", rates.read_bytes},
          {"fresh_bytes", rates.fresh_bytes}};
}

void keep(const std::filesystem::path& path, const std::string& key, const MachineRates& rates) {
  try {
    std::filesystem::create_directories(path.parent_path());
    Json all = entries_of(path);
    all[key] = entry_of(rates);
    AtomicFile file(path.string());
    file.write(all.dump(2) + '\n');
    file.commit();
  } catch (const std::exception&) {
    // Without the file the next process measures again.
  }
}

}  // namespace

Calibration::Calibration(std::filesystem::path file, Measure measure)
    : file_(std::move(file)), measure_(std::move(measure)) {}

std::optional<MachineRates> Calibration::known(const Run& run) {
  const std::scoped_lock lock(mutex_);
  const int threads = run.thread_count();
  if (const auto found = by_threads_.find(threads); found != by_threads_.end()) return found->second;
  if (file_.empty()) return std::nullopt;
  const Json entries = entries_of(file_);
  const auto entry = entries.find(key_of(threads));
  if (entry == entries.end()) return std::nullopt;
  const auto rates = rates_of(*entry);
  if (rates) by_threads_[threads] = *rates;
  return rates;
}

MachineRates Calibration::rates(const Run& run) {
  if (const auto before = known(run)) return *before;
  const MachineRates rates = measure_(run);
  const std::scoped_lock lock(mutex_);
  by_threads_[run.thread_count()] = rates;
  if (!file_.empty()) keep(file_, key_of(run.thread_count()), rates);
  return rates;
}

std::filesystem::path calibration_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (variable("MERCER_CACHE") == "off") return {};
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {  // as the XDG base directory specification has it
    folder = variable("HOME");
    if (!folder.is_absolute()) return {};
    folder /= ".cache";
  }
  return folder / "mercer" / "calibration.json";
}

Calibration& machine_calibration() {
  static Calibration one(calibration_file());
  return one;
}

}  // namespace mercer
