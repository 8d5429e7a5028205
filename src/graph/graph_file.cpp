// Graphs of neighbours in files. Little-endian: 8 bytes that say what it is, the fields of a Header, the
// arrays begin, index, distance and rows one after the other, and the XXH3 checksum of all that.
#include "base/atomic_file.hpp"
#include "graph/components.hpp"
#include "graph/neighbor.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace mercer {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");

constexpr char magic[8] = {'M', 'E', 'R', 'C', 'E', 'R', 'N', 'G'};
constexpr std::uint32_t version = 1;

/// Fields by their sizes, so that there are no gaps.
struct Header {
  char magic[8];
  std::int64_t points, entries;  // lists and what is in them
  std::int64_t count;
  double radius, recall;
  std::int64_t links, components, left_out, bridges, duplicates;
  std::uint32_t version, asked_search, used_search, disconnected;
};
static_assert(sizeof(Header) == 104);

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", path, what), "make the graph again");
}

class CheckedWriter {
 public:
  explicit CheckedWriter(const std::string& path) : file_(path) { XXH3_64bits_reset(state_.get()); }
  void write(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    file_.write(data, bytes);
    XXH3_64bits_update(state_.get(), data, bytes);
  }
  template <class E>
  void write(const std::vector<E>& values) {
    write(values.data(), values.size() * sizeof(E));
  }
  void finish() {
    const std::uint64_t sum = XXH3_64bits_digest(state_.get());
    file_.write(&sum, sizeof sum);
    file_.commit();
  }

 private:
  AtomicFile file_;
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_{XXH3_createState(), &XXH3_freeState};
};

/// The whole file, in one piece.
std::string bytes_of(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code == std::errc::no_such_file_or_directory)
    throw Error(ErrorCode::no_input, fmt::format("{}: no such file", path), "check the name and the folder");
  if (code == std::errc::is_a_directory)
    throw Error(ErrorCode::no_input, fmt::format("{}: is a folder, not a file", path), "name a file in it");
  if (code) throw Error(ErrorCode::no_input, fmt::format("{}: {}", path, code.message()));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::no_input, fmt::format("{}: {}", path, std::strerror(errno)));
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw Error(ErrorCode::io, fmt::format("{}: reading failed", path));
  return bytes;
}

/// Takes the next `count` values off `bytes`.
template <class E>
std::vector<E> take(const std::string& bytes, std::size_t& at, std::int64_t count) {
  std::vector<E> out(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(out.data(), bytes.data() + at, out.size() * sizeof(E));
  at += out.size() * sizeof(E);
  return out;
}

void check_header(const std::string& path, const Header& h, std::size_t file_bytes) {
  if (h.version != version)
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: a graph of format {}, this library reads {}", path, h.version, version),
                "use a newer mercer, or make the graph again");
  static constexpr auto most = std::int64_t{1} << 40;
  if (h.points < 0 || h.points > std::numeric_limits<std::int32_t>::max() || h.entries < 0 ||
      h.entries > most)
    damaged(path, "sizes that make no sense");
  const auto expected = sizeof(Header) + static_cast<std::size_t>(h.points + 1) * sizeof(Index) +
                        static_cast<std::size_t>(h.entries) * (sizeof(std::int32_t) + sizeof(double)) +
                        static_cast<std::size_t>(h.points) * sizeof(Index) + sizeof(std::uint64_t);
  if (file_bytes != expected)
    damaged(path, fmt::format("a graph of {} points and {} entries takes {} bytes, the file has {}", h.points,
                              h.entries, expected, file_bytes));
  const std::int64_t counts[] = {h.count, h.links, h.components, h.left_out, h.bridges, h.duplicates};
  if (h.asked_search > 3 || h.used_search > 3 || h.disconnected > 2 || !(h.radius >= 0) ||
      !(h.recall >= 0 && h.recall <= 1) ||
      std::any_of(std::begin(counts), std::end(counts), [](std::int64_t c) { return c < 0 || c > most; }))
    damaged(path, "a header that makes no sense");
}

/// Whatever uses the graph relies on these.
void check_lists(const std::string& path, const NeighborLists& lists, const std::vector<Index>& rows,
                 Index left_out) {
  const auto n = static_cast<Index>(rows.size());
  if (n > 0 && rows.back() >= n + left_out)
    damaged(path,
            fmt::format("row {} of {} points, {} of them left out", rows.back(), n + left_out, left_out));
  if (lists.begin.front() != 0 || lists.begin.back() != static_cast<Index>(lists.index.size()) ||
      !std::is_sorted(lists.begin.begin(), lists.begin.end()))
    damaged(path, "lists that do not follow each other");
  for (Index i = 0; i < n; ++i) {
    for (const std::int32_t j : lists.neighbors(i))
      if (j < 0 || j >= n || j == i) damaged(path, fmt::format("point {} has neighbour {}", i, j));
    const auto far = lists.distances(i);
    for (std::size_t p = 0; p < far.size(); ++p)
      if (!(far[p] >= 0) || !std::isfinite(far[p]) || (p > 0 && far[p] < far[p - 1]))
        damaged(path, fmt::format("a distance of point {} is {}, or out of order", i, far[p]));
    const Index row = rows[static_cast<std::size_t>(i)];
    if (row < 0 || (i > 0 && row <= rows[static_cast<std::size_t>(i) - 1]))
      damaged(path, fmt::format("point {} is row {}", i, row));
  }
}

}  // namespace

void NeighborGraph::save(const std::string& path) const {
  Header h{};
  std::memcpy(h.magic, magic, sizeof magic);
  h.version = version;
  h.points = size();
  h.entries = static_cast<std::int64_t>(lists_.index.size());
  h.count = options_.count, h.radius = options_.radius;
  h.asked_search = static_cast<std::uint32_t>(options_.search);
  h.disconnected = static_cast<std::uint32_t>(options_.disconnected);
  h.used_search = static_cast<std::uint32_t>(report_.search);
  h.recall = report_.recall;
  h.links = report_.links, h.components = report_.components, h.left_out = report_.left_out;
  h.bridges = report_.bridges, h.duplicates = report_.duplicates;
  CheckedWriter file(path);
  file.write(&h, sizeof h);
  file.write(lists_.begin.empty() ? std::vector<Index>{0} : lists_.begin);
  file.write(lists_.index);
  file.write(lists_.distance);
  file.write(rows_);
  file.finish();
}

NeighborGraph NeighborGraph::load(const std::string& path) {
  const std::string bytes = bytes_of(path);
  if (bytes.size() < sizeof(Header) + sizeof(std::uint64_t) ||
      std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    throw Error(ErrorCode::bad_data, fmt::format("{}: not a graph of neighbours", path),
                "such files come from saving one");
  Header h{};
  std::memcpy(&h, bytes.data(), sizeof h);
  check_header(path, h, bytes.size());
  std::uint64_t sum = 0;
  const std::size_t end = bytes.size() - sizeof sum;
  std::memcpy(&sum, bytes.data() + end, sizeof sum);
  if (XXH3_64bits(bytes.data(), end) != sum) damaged(path, "the checksum does not fit");

  NeighborGraph out;
  std::size_t at = sizeof h;
  out.lists_.begin = take<Index>(bytes, at, h.points + 1);
  out.lists_.index = take<std::int32_t>(bytes, at, h.entries);
  out.lists_.distance = take<double>(bytes, at, h.entries);
  out.rows_ = take<Index>(bytes, at, h.points);
  out.lists_.recall = h.recall;
  check_lists(path, out.lists_, out.rows_, h.left_out);
  out.options_ = {.count = h.count,
                  .radius = h.radius,
                  .search = static_cast<NeighborSearch>(h.asked_search),
                  .disconnected = static_cast<Disconnected>(h.disconnected)};
  out.report_ = {.search = static_cast<NeighborSearch>(h.used_search),
                 .recall = h.recall,
                 .links = h.links,
                 .components = h.components,
                 .left_out = h.left_out,
                 .bridges = h.bridges,
                 .duplicates = h.duplicates};
  const bool in_one_piece = h.components <= 1 || h.left_out > 0 || h.bridges > 0;
  if (const Index pieces = pieces_of(out.lists_).count(); in_one_piece && pieces > 1)
    damaged(path, fmt::format("a graph that falls into {} pieces, though it says otherwise", pieces));
  return out;
}

}  // namespace mercer
