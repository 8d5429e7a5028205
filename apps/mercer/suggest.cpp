// Edit distance with neighbours swapped (optimal string alignment; Damerau 1964).
#include "suggest.hpp"

#include <algorithm>
#include <cctype>

namespace mercer::app {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::size_t slips(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  const std::string typed = lower(word);
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : names)
    if (const std::size_t count = slips(typed, name); count < fewest) {
      best = name;
      fewest = count;
    }
  if (!best.empty() || typed.size() < 3) return best;
  for (const std::string& name : names)
    if (name.rfind(typed, 0) == 0 || (name.size() >= 3 && typed.rfind(name, 0) == 0)) return name;
  return "";
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string name = nearest_name(word, names);
  return name.empty() ? "" : ": did you mean " + name + "?";
}

}  // namespace mercer::app
