// Partial sums from several threads, added in order.
#include "operator/ordered_sum.hpp"

#include "base/parallel.hpp"
#include "support.hpp"

namespace mercer {
namespace {

TEST(OrderedSum, AddsInOrderWhateverTheThreadsDo) {
  // Numbers whose sum depends on the order: only one order gives this result.
  const Index parts = 40, length = 50;
  std::vector<double> expected(length, 0.0);
  for (Index p = 0; p < parts; ++p)
    for (double& e : expected) e += std::ldexp(1.0, static_cast<int>((7 * p) % 60)) / 3;
  for (int threads : {1, 2, 3, 8}) {
    std::vector<double> total(length, 0.0);
    std::vector<std::vector<double>> memory(static_cast<std::size_t>(threads + 1),
                                            std::vector<double>(length));
    std::vector<double*> buffers;
    for (auto& m : memory) buffers.push_back(m.data());
    OrderedSum<double> sum(total.data(), parts, buffers);
    const mercer::Run run{.threads = threads};
    parallel_for(parts, run, [&](Index p) {
      double* mine = sum.borrow(p, run);
      for (Index i = 0; i < length; ++i) mine[i] = std::ldexp(1.0, static_cast<int>((7 * p) % 60)) / 3;
      sum.give(p, mine, length);
    });
    EXPECT_EQ(total, expected) << threads << " threads";
  }
}

TEST(OrderedSum, TwoBuffersKeepTwoThreadsBusy) {
  std::vector<double> total(1, 0.0), memory(2);
  OrderedSum<double> sum(total.data(), 3, {&memory[0], &memory[1]});
  std::stop_source stopped;
  stopped.request_stop();  // so that waiting throws
  const mercer::Run run{.stop = stopped.get_token()};
  double* first = sum.borrow(0, run);
  double* second = sum.borrow(1, run);  // part 0 has its buffer: nothing to wait for
  *first = *second = 1;
  sum.give(1, second, 1);
  sum.give(0, first, 1);
  EXPECT_EQ(total[0], 2);
}

TEST(OrderedSum, NobodyWaitsForAPartThatFailedAndItsReasonIsReported) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::vector<double> total(1, 0.0), memory(2);
    OrderedSum<double> sum(total.data(), 8, {&memory[0], &memory[1]});
    const mercer::Run run{.threads = 4};
    try {
      parallel_for(8, run, [&](Index p) {
        try {
          double* mine = sum.borrow(p, run);
          if (p == 0) throw Error(ErrorCode::bad_data, "broken");
          *mine = 1;
          sum.give(p, mine, 1);
        } catch (...) {
          sum.abandon();
          throw;
        }
      });
      FAIL() << "went on";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_data);
    }
  }
}

}  // namespace
}  // namespace mercer
