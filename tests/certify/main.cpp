// certify: random fits over all options against references in long double. See docs/reliability.md.
#include "campaign.hpp"
#include "shrink.hpp"
#include "trial.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

using namespace certify;

const char* const usage =
    "usage: certify [options]              random fits, each compared with a reference in long double\n"
    "  --fits N           how many (default 2000)\n"
    "  --seed S           the first one's (default 1): S, S + 1, ...\n"
    "  --only OPTION      those alone that have it: route=lowrank, kernel=poly, shape=clusters, ...\n"
    "  --without OPTION   those alone that have it not\n"
    "  --processes P      at once (default: one a core)\n"
    "  --small            few rows\n"
    "  --shrink           the worst case of each kind made small, with a command that shows it\n"
    "  --state FILE       adds the counts to those of the file\n"
    "  --out DIR          for data of shrunk cases and a list of all violations (default certify-output)\n"
    "       certify --case SEED [--small] [--shrink]      one case: what it claims and what fails\n"
    "       certify --total FILE ...                      the tables of several states together\n"
    "exits 1 where a claim did not hold\n";

struct Arguments {
  Campaign campaign;
  std::string state, folder = "certify-output";
  std::vector<std::string> totals;
  bool one = false, smaller = false;
};

bool parse(int argc, char** argv, Arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (name == "--fits")
      a.campaign.fits = std::atol(value().c_str());
    else if (name == "--seed")
      a.campaign.first = std::strtoull(value().c_str(), nullptr, 10);
    else if (name == "--only")
      a.campaign.only = value();
    else if (name == "--without")
      a.campaign.without = value();
    else if (name == "--processes")
      a.campaign.processes = std::atoi(value().c_str());
    else if (name == "--small")
      a.campaign.small = true;
    else if (name == "--state")
      a.state = value();
    else if (name == "--out")
      a.folder = value();
    else if (name == "--case")
      a.one = true, a.campaign.first = std::strtoull(value().c_str(), nullptr, 10);
    else if (name == "--shrink")
      a.smaller = true;
    else if (name == "--total")
      while (i + 1 < argc) a.totals.push_back(argv[++i]);
    else
      return false;
  }
  return true;
}

void say(const FitCase& c) {
  std::cout << "case " << c.seed << ": " << c.x.rows() << " x " << c.x.cols() << "\n ";
  for (const std::string& tag : tags_of(c)) std::cout << ' ' << tag << ';';
  if (!c.kernel.to_string().empty()) std::cout << "\n  kernel " << c.kernel.to_string();
  std::cout << "\n  k " << c.components.count << " share " << c.components.share << " rank " << c.lowrank.rank
            << " tolerance " << c.lowrank.tolerance << " landmarks given " << c.lowrank.given.size()
            << " first rows " << c.first_rows << '\n';
}

/// The shrunk case with its data, and the command that shows it.
void show_small(const FitCase& whole, const Violation& v, const std::string& folder) {
  const FitCase c = shrink(whole, v);
  std::filesystem::create_directories(folder);
  const std::string command = command_of(c, folder);
  const Outcome o = try_apart(c);
  say(c);
  if (command.empty())
    std::cout << "  shown by: certify --case " << c.seed << "\n";
  else
    std::cout << "  " << command << "\n";
  if (c.x.size() <= 40) std::cout << "  data:\n" << c.x << "\n";
  for (const Violation& left : o.violations) std::cout << "  ! " << left.claim << ": " << left.text << "\n";
  std::cout << std::flush;
}

int try_one(const Arguments& a) {
  const FitCase c = draw_case(a.campaign.first, a.campaign.small);
  say(c);
  const Outcome o = try_case(c);
  if (o.refused) std::cout << "  refused: " << o.refusal << "\n";
  for (const auto& [claim, times] : o.checked) std::cout << "  " << times << " x " << claim << "\n";
  for (const Violation& v : o.violations) std::cout << "  ! " << v.claim << ": " << v.text << "\n";
  if (a.smaller && !o.violations.empty()) show_small(c, o.violations[0], a.folder);
  return o.violations.empty() ? 0 : 1;
}

int total(const std::vector<std::string>& files) {
  Tally all;
  for (const std::string& file : files) {
    std::ifstream in(file);
    all.read(in);
  }
  all.print(std::cout);
  return all.violations() > 0 || !all.chance_is_kept() ? 1 : 0;
}

/// One line a claim and method: how many, and the worst of them.
void report_findings(const Arguments& a, std::vector<Finding> findings) {
  std::sort(findings.begin(), findings.end(),
            [](const Finding& x, const Finding& y) { return x.violation.severity > y.violation.severity; });
  if (!findings.empty()) {  // all of them, for whoever looks for a pattern
    std::filesystem::create_directories(a.folder);
    std::ofstream list(a.folder + "/findings.tsv");
    for (const Finding& f : findings) {
      list << f.violation.severity << '\t' << f.seed << '\t' << f.violation.claim << '\t' << f.violation.text
           << '\t';
      const FitCase c = draw_case(f.seed, a.campaign.small);
      for (const std::string& tag : tags_of(c)) list << tag << ' ';
      list << c.kernel.to_string() << '\n';
    }
  }
  std::map<std::string, std::vector<const Finding*>> classes;
  std::vector<std::string> order;
  for (const Finding& f : findings) {
    const FitCase c = draw_case(f.seed, a.campaign.small);
    const std::string name =
        f.violation.claim + " [" + c.method + ", " + std::string(mercer::name_of(c.route)) + "]";
    if (classes[name].empty()) order.push_back(name);
    classes[name].push_back(&f);
  }
  for (const std::string& name : order) {
    std::cout << "\n## " << name << ": " << classes[name].size() << " times; seeds";
    for (std::size_t i = 0; i < std::min<std::size_t>(8, classes[name].size()); ++i)
      std::cout << ' ' << classes[name][i]->seed;
    const Finding& worst = *classes[name][0];
    std::cout << "\n  worst " << worst.seed << ": " << worst.violation.text << "\n" << std::flush;
    if (a.smaller) show_small(draw_case(worst.seed, a.campaign.small), worst.violation, a.folder);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  if (!parse(argc, argv, a)) {
    const bool asked = argc > 1 && std::string(argv[1]) == "--help";
    (asked ? std::cout : std::cerr) << usage;
    return asked ? 0 : 2;
  }
  if (a.one) return try_one(a);
  if (!a.totals.empty()) return total(a.totals);
  CampaignResult result = run_campaign(a.campaign);
  report_findings(a, result.findings);
  std::cout << "\n";
  result.tally.print(std::cout);
  if (!a.state.empty()) {
    Tally all = result.tally;
    std::ifstream before(a.state);
    all.read(before);
    before.close();
    std::ofstream out(a.state);
    all.write(out);
  }
  return result.tally.violations() > 0 || !result.tally.chance_is_kept() ? 1 : 0;
}
