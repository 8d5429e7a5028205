// Reports that cannot be true are refused; those that can are not.
#include "model/contradictions.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace mercer {
namespace {

/// Two components of a low-rank fit, all numbers in order.
Report sound_report() {
  Report r;
  r.components = 2;
  r.gram_eigenvalues = Vector<double>{{6.0, 3.0}};
  r.explained_variance_ratio = Vector<double>{{0.6, 0.3}};
  r.residuals = Vector<double>{{0.1, 0.2}};
  r.trace = 10;
  r.missed.rigorous = 2;
  r.missed.probable = 1;
  r.bounds = EigenvalueBounds{};
  r.bounds->low = r.bounds->rigorous_low = r.gram_eigenvalues;
  r.bounds->high = Vector<double>{{6.3, 3.3}};
  r.bounds->rigorous_high = Vector<double>{{6.5, 3.5}};
  return r;
}

void expect_refused(const Report& r) {
  try {
    refuse_contradictions(r, 10);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::internal);
    EXPECT_NE(std::string(e.what()).find("contradicts itself"), std::string::npos);
    EXPECT_NE(e.hint().find("report"), std::string::npos);
  }
}

TEST(Contradictions, AreNotSeenInASoundReport) { EXPECT_NO_THROW(refuse_contradictions(sound_report(), 10)); }

TEST(Contradictions, OfRoundingAreAllowed) {
  Report r = sound_report();
  r.bounds->low[0] = r.bounds->rigorous_low[0] = 6.0 + 1e-13;
  r.bounds->remaining_trace = -1e-13;
  EXPECT_NO_THROW(refuse_contradictions(r, 10));
}

TEST(Contradictions, AreRefused) {
  const auto with = [](auto change) {
    Report r = sound_report();
    change(r);
    expect_refused(r);
  };
  with([](Report& r) { r.residuals[1] = 0.6; });                 // above the widest bound
  with([](Report& r) { r.explained_variance_ratio[0] = 5.2; });  // 522 %
  with([](Report& r) { r.bounds->remaining_trace = -1e-6; });
  with([](Report& r) { r.bounds->high[0] = 5.9; });
  with([](Report& r) { r.bounds->rigorous_low[1] = 3.1; });
  with([](Report& r) { r.trace = 8; });  // less than what the components hold
  with([](Report& r) { r.missed.probable = 3; });
  with([](Report& r) { r.gram_eigenvalues[0] = std::numeric_limits<double>::quiet_NaN(); });
  with([](Report& r) { r.residuals[0] = -1; });
  with([](Report& r) { r.gram_eigenvalues = Vector<double>{{2.0, 3.0}}; });  // not in order
  with([](Report& r) { r.residuals[0] = std::numeric_limits<double>::infinity(); });
  with([](Report& r) { r.residuals.conservativeResize(1); });
  with([](Report& r) { r.bounds->low.conservativeResize(1); });
}

TEST(Contradictions, AreSeenFromTheEndOfTheSpectrumThatWasAskedFor) {
  Report r;
  r.end = End::smallest;
  r.components = 2;
  r.gram_eigenvalues = Vector<double>{{1.0, 3.0}};
  r.explained_variance_ratio = Vector<double>{{0.1, 0.3}};
  r.residuals = Vector<double>{{0.1, 0.2}};
  r.trace = 10;
  r.missed.rigorous = 3.1;
  r.missed.probable = 3.5;
  EXPECT_NO_THROW(refuse_contradictions(r, 10));
  std::swap(r.missed.rigorous, r.missed.probable);
  expect_refused(r);
}

TEST(Contradictions, AreNotInWhatIsOnlyAnEstimate) {
  Report r;  // a table with gaps: no residuals, and eigenvalues that are in order but for the last sweep
  r.components = 2;
  r.gram_eigenvalues = Vector<double>{{2.0, 2.0 + 1e-9}};
  r.explained_variance_ratio = Vector<double>{{0.4, 0.4}};
  r.trace = 5;
  EXPECT_NO_THROW(refuse_contradictions(r, 5));
}

TEST(Contradictions, AreNotInTheTracesOfMaps) {
  Report r;  // a diffusion map: the walk has no trace
  r.components = 1;
  r.gram_eigenvalues = Vector<double>{{0.9}};
  r.residuals = Vector<double>{{1e-12}};
  r.embedding.emplace();
  EXPECT_NO_THROW(refuse_contradictions(r, 10));
}

}  // namespace
}  // namespace mercer
