// The part of a manifold model that is the same for all: its points, its map, their files, its quality.
#include <mercer/manifold.hpp>

#include "base/stopwatch.hpp"
#include "manifold/manifold_data.hpp"
#include "model/contradictions.hpp"
#include "model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

template <class T>
std::optional<Matrix<T>> ManifoldModel<T>::training_points() const {
  return scaling_.undo(points_.to_dense());
}

template <class T>
void ManifoldModel<T>::begin(std::string method, Scaling<T> scaling, Samples<T> points, Index components) {
  scaling_ = std::move(scaling);
  points_ = std::move(points);
  rows_.resize(static_cast<std::size_t>(points_.rows()));
  std::iota(rows_.begin(), rows_.end(), Index{0});
  Report& report = this->report_;
  report.method = std::move(method);
  report.n = points_.rows();
  report.d = points_.cols();
  report.components = report.components_requested = components;
  report.precision = precision_of<T>;
  report.embedding = EmbeddingReport{};
}

template <class T>
void ManifoldModel<T>::begin(std::string method, const ManifoldData<T>& data, Index components) {
  begin(std::move(method), data.scaling, data.points, components);
  rows_ = data.graph.rows();
  const NeighborReport& graph = data.graph.report();
  Report& report = this->report_;
  report.embedding->graph = graph;
  if (graph.left_out > 0)
    report.notes.push_back(
        fmt::format("{} of {} points are outside of the graph's largest piece and have no "
                    "place in the map; written scores begin with the number of their row",
                    graph.left_out, data.given));
  if (graph.bridges > 0)
    report.notes.push_back(fmt::format("the graph fell into {} pieces, joined by {} bridge{}",
                                       graph.components, graph.bridges, graph.bridges == 1 ? "" : "s"));
}

template <class T>
void ManifoldModel<T>::finish(Index neighbors, Stopwatch& watch, const Run& run) {
  Report& report = this->report_;
  if (report.gram_eigenvalues.size() > 0) refuse_contradictions(report, std::abs(report.trace));
  if (points_.rows() >= 3) {
    // Trustworthiness is defined for k < n/2.
    const QualityOptions options{.neighbors =
                                     std::max<Index>(1, std::min(neighbors, (points_.rows() - 1) / 2))};
    report.embedding->quality = embedding_quality<T>(points_, embedding_, options, run);
  }
  watch.lap("quality");
  report.seconds = watch.laps_and_total();
  report.peak_bytes = peak_memory();
}

template <class T>
void ManifoldModel<T>::name_after(const Dataset<T>& data) {
  this->columns_ = data.columns;
  this->label_ = data.label;
  if (!data.label || static_cast<Index>(rows_.size()) == data.samples.rows()) return;
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) values[i] = values[static_cast<std::size_t>(rows_[i])];
    values.resize(rows_.size());
  };
  keep(this->label_->codes);
  keep(this->label_->values);
}

template <class T>
void ManifoldModel<T>::write_map(ModelWriter& writer) const {
  writer.samples("points", points_);
  writer.matrix("embedding", embedding_);
  writer.array("rows", std::vector<std::int64_t>(rows_.begin(), rows_.end()));
  writer.scaling(scaling_);
}

template <class T>
void ManifoldModel<T>::read_map(ModelReader<T>& reader, const ReportParts& parts) {
  reader.restore(*this, parts);
  const Index n = this->report_.n, k = this->report_.components;
  reader.require_shape("embedding", {n, k});
  reader.require_shape("rows", {n});
  reader.require(k >= 1, "its map has no component");
  scaling_ = reader.scaling();
  points_ = reader.points(n, scaling_);
  embedding_ = reader.matrix("embedding");
  const auto rows = reader.template array<std::int64_t>("rows");
  rows_.assign(rows.begin(), rows.end());
  reader.require(rows_.front() >= 0 &&
                     std::adjacent_find(rows_.begin(), rows_.end(), std::greater_equal<>()) == rows_.end(),
                 "its rows are not in order");
}

template class ManifoldModel<float>;
template class ManifoldModel<double>;

}  // namespace mercer
