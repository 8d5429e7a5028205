// Counts of a campaign: fits, refusals and violations per option, claims compared, how tight the bounds were.
// Written as lines of text, so that campaigns that were split add up.
#pragma once

#include "fit_case.hpp"
#include "outcome.hpp"

#include <iosfwd>
#include <map>

namespace certify {

class Tally {
 public:
  void add(const FitCase& c, const Outcome& outcome);
  void add(const Tally& other);
  void write(std::ostream& out) const;
  void read(std::istream& in);
  /// Tables for people, in Markdown.
  void print(std::ostream& out) const;
  [[nodiscard]] long fits() const { return fits_; }
  [[nodiscard]] long violations() const { return violations_; }
  /// Do the probable bounds fail more often than their δ allows, beyond chance?
  [[nodiscard]] bool chance_is_kept() const;

 private:
  struct Counts {
    long fits = 0, refused = 0, violated = 0;
  };
  struct Chance {
    long times = 0, failed = 0;
  };
  using Histogram = std::map<int, long>;  ///< by the logarithm, in twentieths of a decade

  long fits_ = 0, violations_ = 0;
  std::map<std::string, Counts> tags_;
  std::map<std::string, Counts> claims_;  ///< fits: how often compared
  std::map<std::string, long> refusals_;
  std::map<double, Chance> chances_;
  std::map<std::string, Histogram> tightness_;
};

}  // namespace certify
