// Counting, adding up and printing.
#include "tally.hpp"

#include <cmath>
#include <istream>
#include <ostream>
#include <set>
#include <sstream>

namespace certify {
namespace {

constexpr double twentieths = 20;

double at_quantile(const std::map<int, long>& histogram, double share) {
  long all = 0, seen = 0;
  for (const auto& [place, count] : histogram) all += count;
  for (const auto& [place, count] : histogram) {
    seen += count;
    if (double(seen) >= share * double(all)) return std::pow(10.0, place / twentieths);
  }
  return 0;
}

/// P[at least `failed` of `times`] ≤ (eμ/failed)^failed e^−μ, Chernoff, with μ = δ·times.
bool is_by_chance(long times, long failed, double delta) {
  const double mean = delta * double(times), count = double(failed);
  if (count <= mean || count == 0) return true;
  return count * (1 + std::log(mean / count)) - mean > std::log(1e-9);
}

}  // namespace

void Tally::add(const FitCase& c, const Outcome& o) {
  ++fits_;
  const bool violated = !o.violations.empty();
  violations_ += violated;
  for (const std::string& tag : tags_of(c)) {
    Counts& counts = tags_[tag];
    ++counts.fits;
    counts.refused += o.refused.has_value();
    counts.violated += violated;
  }
  for (const auto& [claim, times] : o.checked) claims_[claim].fits += times;
  for (const Violation& v : o.violations) ++claims_[v.claim].violated;
  if (o.refused) ++refusals_[c.method + ": " + o.refusal.substr(0, o.refusal.find_first_of("0123456789:("))];
  for (const auto& [delta, held] : o.probable) {
    ++chances_[delta].times;
    chances_[delta].failed += !held;
  }
  for (const auto& [what, ratio] : o.tightness)
    if (ratio > 0) ++tightness_[what][int(std::floor(std::log10(ratio) * twentieths))];
}

void Tally::add(const Tally& other) {
  fits_ += other.fits_;
  violations_ += other.violations_;
  const auto join = [](auto& mine, const auto& theirs) {
    for (const auto& [name, counts] : theirs) {
      mine[name].fits += counts.fits;
      mine[name].refused += counts.refused;
      mine[name].violated += counts.violated;
    }
  };
  join(tags_, other.tags_);
  join(claims_, other.claims_);
  for (const auto& [why, count] : other.refusals_) refusals_[why] += count;
  for (const auto& [delta, chance] : other.chances_) {
    chances_[delta].times += chance.times;
    chances_[delta].failed += chance.failed;
  }
  for (const auto& [what, histogram] : other.tightness_)
    for (const auto& [place, count] : histogram) tightness_[what][place] += count;
}

void Tally::write(std::ostream& out) const {
  out << "fits\t" << fits_ << '\t' << violations_ << '\n';
  const auto counts = [&](const char* kind, const auto& all) {
    for (const auto& [name, c] : all)
      out << kind << '\t' << name << '\t' << c.fits << '\t' << c.refused << '\t' << c.violated << '\n';
  };
  counts("tag", tags_);
  counts("claim", claims_);
  for (const auto& [why, count] : refusals_) out << "refusal\t" << why << '\t' << count << '\n';
  for (const auto& [delta, c] : chances_)
    out << "chance\t" << delta << '\t' << c.times << '\t' << c.failed << '\n';
  for (const auto& [what, histogram] : tightness_)
    for (const auto& [place, count] : histogram)
      out << "tight\t" << what << '\t' << place << '\t' << count << '\n';
}

void Tally::read(std::istream& in) {
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> f;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) f.push_back(field);
    const auto whole = [&](std::size_t i) { return i < f.size() ? std::atol(f[i].c_str()) : 0L; };
    if (f.size() < 3) continue;
    if (f[0] == "fits") {
      fits_ += whole(1), violations_ += whole(2);
    } else if (f[0] == "tag" || f[0] == "claim") {
      Counts& c = (f[0] == "tag" ? tags_ : claims_)[f[1]];
      c.fits += whole(2), c.refused += whole(3), c.violated += whole(4);
    } else if (f[0] == "refusal") {
      refusals_[f[1]] += whole(2);
    } else if (f[0] == "chance") {
      Chance& c = chances_[std::atof(f[1].c_str())];
      c.times += whole(2), c.failed += whole(3);
    } else if (f[0] == "tight") {
      tightness_[f[1]][int(whole(2))] += whole(3);
    }
  }
}

bool Tally::chance_is_kept() const {
  for (const auto& [delta, c] : chances_)
    if (!is_by_chance(c.times, c.failed, delta)) return false;
  return true;
}

void Tally::print(std::ostream& out) const {
  char line[300];
  out << fits_ << " fits, " << violations_
      << " with a violation\n\n| option | fits | refused | violations |\n|---|---|---|---|\n";
  for (const auto& [name, c] : tags_) {
    std::snprintf(line, sizeof line, "| %s | %ld | %ld | %ld |\n", name.c_str(), c.fits, c.refused,
                  c.violated);
    out << line;
  }
  out << "\n| claim | compared | violations |\n|---|---|---|\n";
  for (const auto& [name, c] : claims_) {
    std::snprintf(line, sizeof line, "| %s | %ld | %ld |\n", name.c_str(), c.fits, c.violated);
    out << line;
  }
  out << "\n| bound / true error | times | median | 90 % |\n|---|---|---|---|\n";
  for (const auto& [what, histogram] : tightness_) {
    long times = 0;
    for (const auto& [place, count] : histogram) times += count;
    std::snprintf(line, sizeof line, "| %s | %ld | %.2g | %.2g |\n", what.c_str(), times,
                  at_quantile(histogram, 0.5), at_quantile(histogram, 0.9));
    out << line;
  }
  out << "\n| probable bounds, delta | times | failed |\n|---|---|---|\n";
  for (const auto& [delta, c] : chances_) {
    std::snprintf(line, sizeof line, "| %g | %ld | %ld |%s\n", delta, c.times, c.failed,
                  is_by_chance(c.times, c.failed, delta) ? "" : " more than chance");
    out << line;
  }
  out << "\n| refused | times |\n|---|---|\n";
  for (const auto& [why, count] : refusals_) {
    std::snprintf(line, sizeof line, "| %.200s | %ld |\n", why.c_str(), count);
    out << line;
  }
}

}  // namespace certify
