// Large texts are parsed in pieces: the pieces must not show, neither in numbers nor in errors.
#include "data/delimited_rows.hpp"

#include "expect_error.hpp"

#include "base/random.hpp"

#include <fmt/format.h>

namespace mercer {
namespace {

using test::error_of;

/// A few MB of numbers, with labels and a blank line here and there.
const std::string& large_text() {
  static const std::string text = [] {
    Random random(7);
    std::string out = "a,b,c,kind\n";
    for (int i = 0; i < 60000; ++i) {
      fmt::format_to(std::back_inserter(out), "{},{},{:.3},class \"{}\n", random.normal(),
                     random.normal() * 1e10, random.uniform(), i % 7);
      if (i % 1000 == 0) out += "\r\n";
    }
    return out;
  }();
  return text;
}

DelimitedRows<double> parse(const std::string& text, int threads, std::size_t chunk) {
  mercer::Run run;
  run.threads = threads;
  const auto layout = find_layout(text, "csv", "kind", "file.csv");
  return parse_rows<double>(layout, Missing::error, "file.csv", run, chunk);
}

TEST(ParseRows, PiecesAndThreadsGiveTheSameNumbers) {
  const std::string& text = large_text();
  ASSERT_GT(text.size(), 3U << 20);
  const auto whole = parse(text, 1, text.size());
  EXPECT_EQ(whole.values.rows(), 60000);
  for (const std::size_t chunk : {std::size_t{1000}, std::size_t{100000}, std::size_t{1} << 19}) {
    const auto pieces = parse(text, 4, chunk);
    EXPECT_EQ(pieces.values, whole.values);
    EXPECT_EQ(pieces.labels, whole.labels);
  }
}

TEST(ParseRows, TheFirstOfSeveralErrorsIsReportedWithItsLine) {
  std::string text = large_text();
  const auto spoil = [&](std::size_t near) {
    const auto at = text.find('\n', near) + 1;
    text[at] = 'x';
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  };
  spoil(text.size() - 1000);
  spoil(text.size() / 2);
  const auto first = spoil(text.size() / 3);
  for (const std::size_t chunk : {std::size_t{10000}, std::size_t{1} << 19, text.size()}) {
    const Error e = error_of([&] { (void)parse(text, 4, chunk); });
    EXPECT_EQ(e.message().rfind(fmt::format("file.csv:{}:1: 'x", first), 0), 0U) << e.what();
  }
}

}  // namespace
}  // namespace mercer
