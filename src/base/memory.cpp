// Memory: how much there is (respecting a container's limit), how much was used.
#include "base/memory.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>

namespace mercer {

std::size_t machine_memory() {
  const auto physical =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");  // "max" when there is no limit
  std::size_t limit = 0;
  if (limit_file >> limit && limit > 0) return std::min(limit, physical);
  return physical;
}

std::size_t peak_memory() {
  // The system's own count begins with that of the process which started this one: the two are one until
  // exec.
  std::ifstream status("/proc/self/status");
  std::string word;
  std::size_t kilobytes = 0;
  while (status >> word)
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::size_t parse_bytes(std::string_view text) {
  double value = 0;
  const auto [rest, code] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(rest, text.data() + text.size());
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
  if (unit.size() > 1 && unit.back() == 'B') unit.pop_back();
  double factor = 0;
  if (unit.empty() || unit == "B") factor = 1;
  if (unit == "K") factor = 1e3;
  if (unit == "M") factor = 1e6;
  if (unit == "G") factor = 1e9;
  if (unit == "T") factor = 1e12;
  if (code != std::errc{} || factor == 0 || !(value > 0) || value * factor > 1e18)
    throw Error(ErrorCode::usage, fmt::format("'{}' is not a size of memory", text),
                "write it like 400M or 4G");
  return static_cast<std::size_t>(std::llround(value * factor));
}

std::string format_bytes(double bytes) {
  static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (bytes >= 999.5 && unit < 5) bytes /= 1000, ++unit;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace mercer
