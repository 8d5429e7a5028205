// A folder of images as a stack: PGM and PNG of every kind, natural order, and what cannot be stacked.
#include "expect_error.hpp"
#include "tensor/temporary_folder.hpp"

#include <mercer/tensor_file.hpp>

#include <zlib.h>

namespace mercer {
namespace {

using test::error_of;
using test::expect_contains;
using test::TemporaryFolder;

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string png_chunk(const std::string& content) {  // its name, then its bytes
  const auto crc =
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  return big_endian(static_cast<std::uint32_t>(content.size() - 4)) + content +
         big_endian(static_cast<std::uint32_t>(crc));
}

enum class Colour : char { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgb_alpha = 6 };

/// `raster`: rows as the format packs them, each after its filter byte (0: none).
std::string png(std::uint32_t width, std::uint32_t height, char depth, Colour colour,
                const std::string& raster, const std::string& before_pixels = {}, char interlaced = 0) {
  std::string packed(::compressBound(raster.size()), '\0');
  uLongf size = packed.size();
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raster.data()),
             raster.size());
  packed.resize(size);
  const std::string form = {depth, static_cast<char>(colour), 0, 0, interlaced};
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR" + big_endian(width) + big_endian(height) + form) +
         before_pixels + png_chunk("IDAT" + packed) + png_chunk("IEND");
}

template <class T = double>
std::vector<T> only_image(const std::string& name, const std::string& bytes, const Shape& shape) {
  const TemporaryFolder folder;
  folder.write(name, bytes);
  const auto x = read_tensor<T>(folder.path());
  EXPECT_EQ(x.shape(), shape);
  EXPECT_EQ(x.strides(), (Shape{shape[1] * shape[2], shape[2], 1}));
  return {x.data(), x.data() + x.count()};
}

using Pixels = std::vector<double>;
using namespace std::string_literals;

TEST(Pgm, TextAndBytesAreTheSame) {
  const Pixels expected = {0, 1, 2, 253, 254, 255};
  EXPECT_EQ(only_image("a.pgm", "P2\n3 2\n255\n0 1 2\n253 254 255\n", {1, 2, 3}), expected);
  EXPECT_EQ(only_image("a.pgm", "P5\n3 2\n255\n\x00\x01\x02\xfd\xfe\xff"s, {1, 2, 3}), expected);
}

TEST(Pgm, SixteenBitsAreHighByteFirst) {
  EXPECT_EQ(only_image("a.pgm", "P5 2 1 65535\n\x01\x02\xff\xfe"s, {1, 1, 2}), (Pixels{0x102, 0xfffe}));
  EXPECT_EQ(only_image("a.pgm", "P2 2 1 65535 258 65534", {1, 1, 2}), (Pixels{258, 65534}));
}

TEST(Pgm, CommentsStandAnywhereInTheHeader) {
  EXPECT_EQ(only_image("a.pgm", "P5 # made by hand\n# 9 9\n2 # wide\n1\n#\n9\n\x03\x04"s, {1, 1, 2}),
            (Pixels{3, 4}));
  EXPECT_EQ(only_image("a.pgm", "P2#\n1 2 9\n# the first\n3\n4 # the second", {1, 2, 1}), (Pixels{3, 4}));
}

TEST(Pgm, APixelMayLookLikeABlankOrAComment) {
  EXPECT_EQ(only_image("a.pgm", "P5 2 2 255\n\n# \n", {1, 2, 2}), (Pixels{'\n', '#', ' ', '\n'}));
}

TEST(Png, GreyOfEveryDepth) {
  EXPECT_EQ(only_image("a.png", png(2, 2, 8, Colour::grey, "\0\x01\xff\0\x80\x7f"s), {1, 2, 2}),
            (Pixels{1, 255, 128, 127}));
  EXPECT_EQ(only_image("a.png", png(1, 2, 16, Colour::grey, "\0\x01\x02\0\xff\xfe"s), {1, 2, 1}),
            (Pixels{0x102, 0xfffe}));
  EXPECT_EQ(only_image("a.png", png(3, 1, 1, Colour::grey, "\0\xa0"s), {1, 1, 3}), (Pixels{255, 0, 255}));
  EXPECT_EQ(only_image("a.png", png(2, 1, 4, Colour::grey, "\0\x1f"s), {1, 1, 2}), (Pixels{17, 255}));
}

TEST(Png, ColoursBecomeLuminance) {
  const double y = 0.299 * 10 + 0.587 * 20 + 0.114 * 30;
  const auto eight = only_image("a.png", png(2, 1, 8, Colour::rgb, "\0\x0a\x14\x1e\x07\x07\x07"s), {1, 1, 2});
  EXPECT_DOUBLE_EQ(eight[0], y);
  EXPECT_DOUBLE_EQ(eight[1], 7);
  const auto sixteen = only_image("a.png", png(1, 1, 16, Colour::rgb, "\0\x0a\0\x14\0\x1e\0"s), {1, 1, 1});
  EXPECT_DOUBLE_EQ(sixteen[0], 256 * y);
  EXPECT_FLOAT_EQ(only_image<float>("a.png", png(1, 1, 8, Colour::rgb, "\0\x0a\x14\x1e"s), {1, 1, 1})[0],
                  static_cast<float>(y));
}

TEST(Png, PalettesAreLookedUp) {
  const std::string palette = png_chunk("PLTE\x01\x01\x01\x0a\x14\x1e"s);
  const auto x = only_image("a.png", png(2, 1, 1, Colour::palette, "\0\x40"s, palette), {1, 1, 2});
  EXPECT_DOUBLE_EQ(x[0], 1);
  EXPECT_DOUBLE_EQ(x[1], 0.299 * 10 + 0.587 * 20 + 0.114 * 30);
}

TEST(Png, TransparencyIsLeftOut) {
  EXPECT_EQ(only_image("a.png", png(2, 1, 8, Colour::grey_alpha, "\0\x05\x00\x06\x80"s), {1, 1, 2}),
            (Pixels{5, 6}));
  const auto x = only_image("a.png", png(1, 1, 8, Colour::rgb_alpha, "\0\x09\x09\x09\x01"s), {1, 1, 1});
  EXPECT_DOUBLE_EQ(x[0], 9);
  const std::string clear = png_chunk("tRNS\0\x05"s);
  EXPECT_EQ(only_image("a.png", png(2, 1, 8, Colour::grey, "\0\x05\x06"s, clear), {1, 1, 2}), (Pixels{5, 6}));
}

TEST(Png, InterlacedRowsArePutInOrder) {
  // Adam7 of 2 x 2: the first pass has pixel (0, 0), the sixth (0, 1), the seventh row 1.
  EXPECT_EQ(only_image("a.png", png(2, 2, 8, Colour::grey, "\0\x01\0\x02\0\x03\x04"s, {}, 1), {1, 2, 2}),
            (Pixels{1, 2, 3, 4}));
}

std::string pixel(int value) { return "P2 1 1 99 " + std::to_string(value); }

TEST(ImageStack, NumbersInNamesCountAsNumbers) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"IMG1.PGM", "a",        "a1b2.pgm", "a1b10.pgm",
                                          "a2.pgm",   "a02b.pgm", "a10.pgm",  "b.pgm"};
  for (std::size_t i = 0; i < names.size(); ++i) folder.write(names[i], pixel(static_cast<int>(i)));
  const auto x = read_tensor<double>(folder.path());
  EXPECT_EQ(x.shape(), (Shape{7, 1, 1}));
  EXPECT_EQ(Pixels(x.data(), x.data() + 7), (Pixels{0, 2, 3, 4, 5, 6, 7}));
}

TEST(ImageStack, OtherFilesHiddenFilesAndFoldersAreIgnored) {
  const TemporaryFolder folder;
  folder.write("1.pgm", pixel(1));
  folder.write("2.txt", "no image");
  folder.write("._1.pgm", "no image either");
  folder.write("pgm", "nor this");
  std::filesystem::create_directory(folder.path("3.pgm"));
  EXPECT_EQ(read_tensor<double>(folder.path()).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(read_tensor<double>(folder.path() + '/').shape(), (Shape{1, 1, 1}));
}

TEST(ImageStack, PgmAndPngMayBeMixedOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) {
    const std::string row = {'\0', static_cast<char>(i), static_cast<char>(2 * i)};
    if (i % 2 == 0)
      folder.write("x" + std::to_string(i) + ".pgm", "P5 2 1 255\n" + row.substr(1));
    else
      folder.write("x" + std::to_string(i) + ".png", png(2, 1, 8, Colour::grey, row));
  }
  for (const int threads : {1, 3}) {
    const auto x = read_tensor<float>(folder.path(), {.threads = threads});
    ASSERT_EQ(x.shape(), (Shape{40, 1, 2}));
    for (Index i = 0; i < 40; ++i) {
      EXPECT_EQ(x({i, 0, 0}), static_cast<float>(i));
      EXPECT_EQ(x({i, 0, 1}), static_cast<float>(2 * i));
    }
  }
}

std::string complaint(const TemporaryFolder& folder) {
  const Error e = error_of([&] { (void)read_tensor<double>(folder.path(), {.threads = 2}); });
  EXPECT_EQ(e.code(), ErrorCode::bad_data);
  std::string what = e.what();
  for (auto at = what.find(folder.path()); at != std::string::npos; at = what.find(folder.path()))
    what.replace(at, folder.path().size(), "F");
  return what;
}

TEST(ImageStackErrors, NoImages) {
  const TemporaryFolder folder;
  EXPECT_EQ(complaint(folder),
            "F: no .pgm or .png image in the folder (put images of one size in it, or name a .npy file)");
  std::filesystem::create_directory(folder.path("s1"));
  EXPECT_EQ(complaint(folder),
            "F: no .pgm or .png image in the folder (folders in it are not searched: name one of them)");
}

TEST(ImageStackErrors, DifferentSizesAndDepths) {
  const TemporaryFolder folder;
  folder.write("1.pgm", "P2 2 1 255 3 4");
  folder.write("2.pgm", "P2 1 2 255 3 4");
  EXPECT_EQ(complaint(folder),
            "F/2.pgm is 1 x 2 pixels, F/1.pgm is 2 x 1 (images of a stack have one size: crop or "
            "scale them)");
  folder.write("2.pgm", "P2 2 1 65535 3 4");
  EXPECT_EQ(complaint(folder),
            "white is 65535 in F/2.pgm and 255 in F/1.pgm (images of a stack have one depth: "
            "convert them)");
}

TEST(ImageStackErrors, DamagedPgm) {
  const auto message = [](const std::string& bytes) {
    const TemporaryFolder folder;
    folder.write("1.pgm", bytes);
    return complaint(folder);
  };
  expect_contains(message("P6 1 1 255\nabc"),
                  "F/1.pgm: not a PGM image (its first bytes are neither P2 nor P5)");
  expect_contains(message(""), "F/1.pgm: not a PGM image");
  expect_contains(message("P5 2"), "F/1.pgm: the PGM image ends before its height");
  expect_contains(message("P5 2 x 255\nabcd"), "F/1.pgm: damaged PGM image: its height is not a number");
  expect_contains(message("P5 0 2 255\nabcd"), "F/1.pgm: damaged PGM image: size 0 x 2");
  expect_contains(message("P5 1 2 65536\nabcd"), "F/1.pgm: damaged PGM image: largest value 65536");
  expect_contains(message("P5 2 2 255\nabc"), "F/1.pgm: the PGM image ends too early for 2 x 2 pixels");
  expect_contains(message("P5 2 2 256\nabcdefg"), "ends too early for 2 x 2 pixels");
  expect_contains(message("P5 4294967296 4294967296 255\nabc"), "ends too early");
  expect_contains(message("P5 1 1 255\nab"), "F/1.pgm: 1 bytes too many after the PGM image");
  expect_contains(message("P5 1 1 9\n\x0a"), "F/1.pgm: damaged PGM image: a pixel of 10 where white is 9");
  expect_contains(message("P2 2 1 9 10 1"), "a pixel of 10 where white is 9");
  expect_contains(message("P2 2 1 9 1 -1"), "its last pixel is not a number");
  expect_contains(message("P2 2 1 9 1   "), "F/1.pgm: the PGM image ends before its last pixel");
}

TEST(ImageStackErrors, DamagedPng) {
  const auto message = [](const std::string& bytes) {
    const TemporaryFolder folder;
    folder.write("1.png", bytes);
    return complaint(folder);
  };
  const std::string good = png(2, 2, 8, Colour::grey, "\0\x01\xff\0\x80\x7f"s);
  expect_contains(message("P5 1 1 255\na"), "F/1.png: damaged PNG image: ");
  expect_contains(message(""), "F/1.png: damaged PNG image: it ends too early");
  expect_contains(message(good.substr(0, good.size() - 20)), "F/1.png: damaged PNG image: it ends too early");
  for (const std::size_t from_end : {14, 20}) {  // in the checksum, in the pixels
    std::string flipped = good;
    flipped[flipped.size() - from_end] = static_cast<char>(flipped[flipped.size() - from_end] ^ 4);
    expect_contains(message(flipped), "F/1.png: damaged PNG image: IDAT: ");
  }
  expect_contains(message(png(50000, 50000, 8, Colour::grey, "\0\x01"s)),
                  "damaged PNG image: impossible size");
}

TEST(ImageStackErrors, TheFirstOfSeveralDamagedImagesIsNamed) {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) folder.write(std::to_string(i) + ".pgm", i < 7 ? "P2 1 1 9 3" : "P2 1 1 9 x");
  expect_contains(complaint(folder), "F/7.pgm: ");
}

}  // namespace
}  // namespace mercer
