// What the tests of pictures ask again and again: is the text tidy, and how was a mistake answered?
#pragma once

#include "plot/canvas.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace mercer::plot {

/// No text leaves the page or lies on another.
inline void expect_tidy(const Canvas& canvas) {
  const auto& texts = canvas.texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(canvas.page().contains(texts[i].ink.bounds())) << texts[i].text << " leaves the page";
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(texts[i].ink.overlaps(texts[j].ink)) << texts[i].text << " overlaps " << texts[j].text;
  }
}

/// The code of the Error that the work throws; internal where it throws none.
inline ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::internal;
}

}  // namespace mercer::plot
