// Tables of every format: read whole and in pieces, with and without label and gaps. Whole and in pieces must
// agree.
#include "fuzz/both_ways.hpp"
#include "fuzz/targets.hpp"
#include "fuzz/ways.hpp"
#include "fuzz/wrapped.hpp"

namespace mercer::fuzz {

namespace {

void read_table(const std::string& name, Bytes bytes) {
  const std::string& path = spill(name, bytes);
  const Ways ways(bytes, 4);
  if (ways.at(0)) read_both_ways<double>(path, {});
  if (ways.at(1)) read_both_ways<float>(path, {.label = "-1", .missing = Missing::drop});
  if (ways.at(2)) read_both_ways<double>(path, {.label = "a", .missing = Missing::mean});
  if (ways.at(3))
    attempt(
        [&] { (void)read_dataset<double>(path, {.missing = Missing::fit, .transpose = true}, small_run()); });
}

}  // namespace

void fuzz_csv(Bytes bytes) { read_table("table.csv", bytes); }
void fuzz_tsv(Bytes bytes) { read_table("table.tsv", bytes); }

/// What does not begin as gzip does is packed first: in two members, the second from a line that is a dot.
void fuzz_gz(Bytes bytes) {
  if (bytes.substr(0, 1) == "\x1f" || bytes.size() > 65535) return read_table("table.csv.gz", bytes);
  const auto dot = std::min(bytes.find("\n.\n"), bytes.size()), after = std::min(dot + 3, bytes.size());
  read_table("table.csv.gz", gzip_member(bytes.substr(0, dot)) + gzip_member(bytes.substr(after)));
}

void fuzz_libsvm(Bytes bytes) { read_table("table.libsvm", bytes); }

}  // namespace mercer::fuzz
