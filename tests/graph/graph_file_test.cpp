// Graphs in files: what was saved is loaded, and whatever else is refused.
#include "graph/naive.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <xxhash.h>

namespace mercer {
namespace {

class GraphFile : public testing::Test {
 protected:
  GraphFile() {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("mercer_graph_" + std::to_string(::getpid()) + "_" + std::to_string(number++)))
                .string();
  }
  ~GraphFile() override { std::filesystem::remove(path_); }

  static NeighborGraph graph() {
    return NeighborGraph::build<double>(Samples<double>(test::two_clouds<double>(20, 30, 2, 50, 1)),
                                        {.count = 4, .disconnected = Disconnected::largest});
  }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  /// Writes them with a checksum that fits.
  void write_consistently(std::string bytes) const {
    const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size() - 8);
    std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
    write(bytes);
  }
  ErrorCode load_code() const {
    try {
      (void)NeighborGraph::load(path_);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(path_), std::string::npos) << e.what();
      return e.code();
    }
    return ErrorCode::internal;
  }

  std::string path_;
};

TEST_F(GraphFile, HoldsAllOfTheGraph) {
  const NeighborGraph saved = graph();
  saved.save(path_);
  const NeighborGraph loaded = NeighborGraph::load(path_);
  EXPECT_EQ(loaded.lists().begin, saved.lists().begin);
  EXPECT_EQ(loaded.lists().index, saved.lists().index);
  EXPECT_EQ(loaded.lists().distance, saved.lists().distance);
  EXPECT_EQ(loaded.rows(), saved.rows());
  EXPECT_EQ(loaded.options().count, 4);
  EXPECT_EQ(loaded.options().disconnected, Disconnected::largest);
  EXPECT_EQ(loaded.report().search, saved.report().search);
  EXPECT_EQ(loaded.report().left_out, 20);
  EXPECT_EQ(loaded.report().links, saved.report().links);
  EXPECT_EQ(loaded.report().components, 2);
}

TEST_F(GraphFile, OfNoPointsIsAFileToo) {
  NeighborGraph().save(path_);
  EXPECT_EQ(NeighborGraph::load(path_).size(), 0);
}

TEST_F(GraphFile, ThatIsNotThereIsSaidToBeMissing) { EXPECT_EQ(load_code(), ErrorCode::no_input); }

TEST_F(GraphFile, ThatIsAFolderIsRefused) {
  ASSERT_TRUE(std::filesystem::create_directory(path_));
  EXPECT_EQ(load_code(), ErrorCode::no_input);
}

TEST_F(GraphFile, OfAnotherKindIsRefused) {
  write("1,2,3\n");
  EXPECT_EQ(load_code(), ErrorCode::bad_data);
  write(std::string(500, 'x'));
  EXPECT_EQ(load_code(), ErrorCode::bad_data);
  write("");
  EXPECT_EQ(load_code(), ErrorCode::bad_data);
}

TEST_F(GraphFile, CutShortOrLongerIsRefused) {
  graph().save(path_);
  const std::string whole = bytes();
  for (const std::size_t length : {std::size_t{8}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, length));
    EXPECT_EQ(load_code(), ErrorCode::bad_data) << length;
  }
  write(whole + "x");
  EXPECT_EQ(load_code(), ErrorCode::bad_data);
}

TEST_F(GraphFile, WithAnyByteChangedIsRefused) {
  graph().save(path_);
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    write(changed);
    EXPECT_EQ(load_code(), ErrorCode::bad_data) << at;
  }
}

TEST_F(GraphFile, ThatContradictsItselfIsRefusedThoughItsChecksumFits) {
  graph().save(path_);
  const std::string whole = bytes();
  constexpr std::size_t header = 104;
  const std::size_t lists = header + 31 * 8, distances = lists + 120 * 4, rows = distances + 120 * 8;
  const auto with = [&](std::size_t at, auto value) {
    std::string out = whole;
    std::memcpy(out.data() + at, &value, sizeof value);
    return out;
  };
  write_consistently(whole);
  EXPECT_EQ(NeighborGraph::load(path_).size(), 30) << "nothing changed";
  for (const std::string& bad :
       {with(8, std::int64_t{-1}), with(8, std::int64_t{1} << 60), with(16, std::int64_t{1} << 50),
        with(40, 2.0),               // recall
        with(88, std::uint32_t{2}),  // version
        with(92, std::uint32_t{9}),  // search
        with(header, std::int64_t{1}), with(header + 8, std::int64_t{500}), with(lists, std::int32_t{30}),
        with(lists, std::int32_t{-1}), with(lists, std::int32_t{0}),  // itself
        with(distances, std::nan("")), with(distances, -1.0), with(distances, 1e9),
        with(rows, std::int64_t{-5}), with(rows, std::int64_t{1000}),
        with(rows + 29 * 8, std::int64_t{1000}),                        // the last, beyond the data
        with(64, std::int64_t{0}), with(64, std::int64_t{1} << 62)}) {  // left out
    write_consistently(bad);
    EXPECT_EQ(load_code(), ErrorCode::bad_data);
  }
}

TEST_F(GraphFile, ThatFallsIntoPiecesThoughItSaysOtherwiseIsRefused) {
  NeighborLists lists;
  lists.begin = {0, 1, 2, 3, 4};
  lists.index = {1, 0, 3, 2};
  lists.distance = {1, 1, 1, 1};
  NeighborGraph(lists, {.count = 1}, {.components = 2}).save(path_);
  EXPECT_EQ(NeighborGraph::load(path_).size(), 4) << "two pieces, and it says so";
  NeighborGraph(lists, {.count = 1}, {.components = 1}).save(path_);
  EXPECT_EQ(load_code(), ErrorCode::bad_data);
}

TEST_F(GraphFile, CannotBeWrittenWhereThereIsNoFolder) {
  try {
    graph().save("/nowhere/at/all.graph");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::cannot_create);
  }
}

}  // namespace
}  // namespace mercer
