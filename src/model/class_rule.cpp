// Classes of projected points, by threshold or nearest centroid; and the checks on a label.
#include "model/class_rule.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer {

Decision parse_decision(std::string_view name) {
  if (name == "auto") return Decision::automatic;
  if (name == "threshold") return Decision::threshold;
  if (name == "centroid") return Decision::centroid;
  throw Error(ErrorCode::usage, fmt::format("'{}' is no rule to decide by", name),
              "auto, threshold or centroid");
}

std::vector<Index> require_classes(const Label& label, Index samples) {
  const auto fail = [&](const std::string& what, const std::string& cure) {
    throw Error(ErrorCode::bad_data, what, cure);
  };
  if (static_cast<Index>(label.codes.size()) != samples)
    fail(fmt::format("{} samples and {} labels", samples, label.codes.size()),
         "give a class for each sample");
  std::vector<Index> sizes(label.names.size(), 0);
  for (const std::int32_t code : label.codes) {
    if (code < 0 || static_cast<std::size_t>(code) >= sizes.size())
      throw Error(ErrorCode::usage, fmt::format("label code {} has no name", code));
    ++sizes[static_cast<std::size_t>(code)];
  }
  if (sizes.size() < 2)
    fail(fmt::format("label '{}' has a single class{}", label.column,
                     sizes.empty() ? "" : ", '" + label.names.front() + "'"),
         "a discriminant tells two or more apart");
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    if (sizes[j] == 0)
      fail(fmt::format("class '{}' of label '{}' has no sample", label.names[j], label.column),
           "leave it out");
    if (sizes[j] > 1) continue;
    if (2 * static_cast<Index>(sizes.size()) > samples)
      fail(fmt::format("label '{}' has {} different values for {} samples", label.column, sizes.size(),
                       samples),
           "is it a class? name another column with --label");
    fail(fmt::format("class '{}' of label '{}' has one sample, which says nothing of the scatter within it",
                     label.names[j], label.column),
         "leave that sample out, or join the class with another");
  }
  return sizes;
}

std::vector<std::vector<Index>> rows_by_class(const Label& label) {
  std::vector<std::vector<Index>> out(label.names.size());
  for (std::size_t i = 0; i < label.codes.size(); ++i)
    out[static_cast<std::size_t>(label.codes[i])].push_back(static_cast<Index>(i));
  return out;
}

ClassRule ClassRule::learn(const Matrix<double>& scores, const std::vector<std::int32_t>& codes,
                           Index classes) {
  ClassRule out;
  out.centroids = Block<double>::Zero(classes, scores.cols());
  Vector<double> sizes = Vector<double>::Zero(classes);
  for (Index i = 0; i < scores.rows(); ++i) {
    const Index j = codes[static_cast<std::size_t>(i)];
    out.centroids.row(j) += scores.row(i);
    sizes[j] += 1;
  }
  out.centroids.array().colwise() /= sizes.array();
  if (classes != 2 || scores.cols() != 1) return out;
  double within = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double off = scores(i, 0) - out.centroids(codes[static_cast<std::size_t>(i)], 0);
    within += off * off;
  }
  const double variance = within / std::max(1.0, double(scores.rows() - 2));
  const double gap = out.centroids(0, 0) - out.centroids(1, 0);
  out.threshold = out.centroids.mean() - variance * std::log(sizes[0] / sizes[1]) / gap;
  return out;
}

std::vector<std::int32_t> ClassRule::classify(const Matrix<double>& scores, Decision decision) const {
  if (decision == Decision::threshold && !threshold)
    throw Error(ErrorCode::usage,
                fmt::format("a threshold tells two classes apart by one score; here are {} and {}",
                            centroids.rows(), centroids.cols()),
                "use the nearest centroid");
  std::vector<std::int32_t> out(static_cast<std::size_t>(scores.rows()));
  const bool by_threshold = decision != Decision::centroid && threshold.has_value();
  const std::int32_t above = by_threshold && centroids(0, 0) < centroids(1, 0) ? 1 : 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index nearest = 0;
    if (by_threshold)
      nearest = scores(i, 0) > *threshold ? above : 1 - above;
    else
      (centroids.rowwise() - scores.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
    out[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(nearest);
  }
  return out;
}

}  // namespace mercer
