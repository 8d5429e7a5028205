// Processes: each takes a batch of seeds, writes its counts and findings to a file, and says where it is in
// shared memory.
#include "campaign.hpp"

#include "trial.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

extern "C" void openblas_set_num_threads(int count);

namespace certify {
namespace {

constexpr unsigned most_seconds = 900;  ///< of one trial, before it counts as never ending
constexpr long batch = 50;

/// What a process leaves behind: a file, and the number of the case that it was at.
class Job {
 public:
  Job() {
    at_ = static_cast<volatile long*>(
        ::mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    *at_ = -1;
    static long made = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("mercer-certify-" + std::to_string(::getpid()) + "-" + std::to_string(made++)))
                .string();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    ::munmap(const_cast<long*>(at_), sizeof(long));
    std::error_code none;
    std::filesystem::remove(path_, none);
  }

  void start(long begin, long many, const std::function<void(std::ostream&, volatile long&)>& work) {
    first = begin, count = many;
    *at_ = begin;
    std::fflush(nullptr);  // or the child would write it once more
    pid = ::fork();
    if (pid != 0) return;
    {
      std::ofstream out(path_, std::ios::binary);
      work(out, *at_);
    }
    ::_exit(0);
  }
  [[nodiscard]] long at() const { return *at_; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }

  pid_t pid = 0;
  long first = 0, count = 0;

 private:
  volatile long* at_;
  std::string path_;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

void write_violation(std::ostream& out, std::uint64_t seed, const Violation& v) {
  out << "violation\t" << seed << '\t' << v.severity << '\t' << v.claim << '\t' << one_line(v.text) << '\n';
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return std::string("killed by ") + ::strsignal(WTERMSIG(status));
  return "ended with " + std::to_string(WEXITSTATUS(status));
}

bool has_tag(const FitCase& c, const std::string& part) {
  const std::vector<std::string> tags = tags_of(c);
  return std::any_of(tags.begin(), tags.end(),
                     [&](const std::string& tag) { return tag.find(part) != std::string::npos; });
}

bool is_wanted(const FitCase& c, const Campaign& campaign) {
  return (campaign.only.empty() || has_tag(c, campaign.only)) &&
         (campaign.without.empty() || !has_tag(c, campaign.without));
}

void read_findings(const std::string& text, CampaignResult& result) {
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("violation\t", 0) != 0) continue;
    std::stringstream fields(line);
    std::string kind, seed, severity, claim, words;
    std::getline(fields, kind, '\t'), std::getline(fields, seed, '\t'), std::getline(fields, severity, '\t');
    std::getline(fields, claim, '\t'), std::getline(fields, words);
    result.findings.push_back(
        {std::strtoull(seed.c_str(), nullptr, 10), {claim, words, std::atof(severity.c_str())}});
  }
}

}  // namespace

CampaignResult run_campaign(const Campaign& campaign) {
  CampaignResult result;
  const int cores = int(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::unique_ptr<Job>> jobs;
  std::vector<std::pair<long, long>> waiting;  // batches, the next one last
  for (long i = campaign.fits; i > 0; i -= batch)
    waiting.emplace_back(std::max(0L, i - batch), std::min(batch, i));
  const auto work = [&](long first, long count) {
    return [&campaign, first, count](std::ostream& out, volatile long& at) {
      openblas_set_num_threads(1);  // of the references; fits have the threads of their case
      Tally tally;
      for (long i = first; i < first + count; ++i) {
        at = i;
        ::alarm(most_seconds);
        const FitCase c = draw_case(campaign.first + std::uint64_t(i), campaign.small);
        if (!is_wanted(c, campaign)) continue;
        const Outcome o = try_case(c);
        tally.add(c, o);
        for (const Violation& v : o.violations) write_violation(out, c.seed, v);
      }
      tally.write(out);
    };
  };
  while (!waiting.empty() || !jobs.empty()) {
    while (!waiting.empty() && int(jobs.size()) < (campaign.processes > 0 ? campaign.processes : cores)) {
      const auto [first, count] = waiting.back();
      waiting.pop_back();
      jobs.push_back(std::make_unique<Job>());
      jobs.back()->start(first, count, work(first, count));
    }
    int status = 0;
    const pid_t ended = ::wait(&status);
    const auto job = std::find_if(jobs.begin(), jobs.end(), [&](const auto& j) { return j->pid == ended; });
    if (job == jobs.end()) break;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      const std::string text = (*job)->text();
      std::stringstream in(text);
      result.tally.read(in);
      read_findings(text, result);
    } else {  // the case that it was at is a finding; the others of the batch are tried again
      const long at = (*job)->at();
      const FitCase c = draw_case(campaign.first + std::uint64_t(at), campaign.small);
      Outcome o;
      o.holds("trials end", false, ending(status));
      result.tally.add(c, o);
      result.findings.push_back({c.seed, o.violations[0]});
      const long end = (*job)->first + (*job)->count;
      if (at + 1 < end) waiting.emplace_back(at + 1, end - at - 1);
      if (at > (*job)->first) waiting.emplace_back((*job)->first, at - (*job)->first);
    }
    jobs.erase(job);
  }
  return result;
}

Outcome try_apart(const FitCase& c) {
  Job job;
  job.start(0, 1, [&](std::ostream& out, volatile long&) {
    ::alarm(60);
    const Outcome o = try_case(c);
    for (const Violation& v : o.violations) write_violation(out, c.seed, v);
  });
  int status = 0;
  ::waitpid(job.pid, &status, 0);
  Outcome out;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    out.holds("trials end", false, ending(status));
    return out;
  }
  CampaignResult found;
  read_findings(job.text(), found);
  for (const Finding& f : found.findings) out.violations.push_back(f.violation);
  return out;
}

}  // namespace certify
