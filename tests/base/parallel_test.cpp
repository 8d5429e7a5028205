// The one loop that starts threads.
#include "base/parallel.hpp"

#include "support.hpp"

#include <set>
#include <stop_token>
#include <vector>

namespace mercer {
namespace {

TEST(ParallelLoops, VisitEveryIndexOnceAndCarryExceptionsOut) {
  for (int threads : {1, 2, 4}) {
    std::vector<int> visits(1000, 0);
    parallel_for(1000, {.threads = threads}, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(std::set<int>(visits.begin(), visits.end()), std::set<int>{1});
    EXPECT_THROW(parallel_for(100, {.threads = threads},
                              [](Index i) {
                                if (i == 57) throw Error(ErrorCode::bad_data, "57");
                              }),
                 Error);
  }
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(parallel_for(10, {.stop = source.get_token()}, [](Index) {}), Error);
}

/// As large as BLAS would make it.
int team_of_loop() {
  int size = 0;
#pragma omp parallel
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

int team_of_four() {
  int size = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

TEST(ParallelLoops, ASinglePartIsForOneThreadAsAnyOfManyIs) {
  for (const Index count : {1, 2}) {
    parallel_for(count, {.threads = 3}, [&](Index) { EXPECT_EQ(team_of_loop(), 1) << count; });
  }
}

TEST(ParallelLoops, ASerialScopeKeepsOthersFromStartingThreads) {
  {
    const SerialScope serial;
    EXPECT_EQ(team_of_four(), 1);
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(team_of_four(), 4);
}

}  // namespace
}  // namespace mercer
