// ManifoldModel<T>: what the methods on a neighbourhood graph share (mission row M11): the points, their map,
// and finding the neighbours of new ones. Seen as kernel PCA with a learned kernel (Ham, Lee, Mika, Schölkopf
// 2004), each projects new points (Bengio et al. 2003).
#pragma once

#include <mercer/embedding.hpp>
#include <mercer/model.hpp>
#include <mercer/neighbors.hpp>
#include <mercer/scaling.hpp>

namespace mercer {

class Stopwatch;     // src/base/stopwatch.hpp
struct ReportParts;  // src/model/report_check.hpp
template <class T>
struct ManifoldData;  // src/manifold/manifold_data.hpp

template <class T>
class ManifoldModel : public Model<T> {
 public:
  [[nodiscard]] Index features() const override { return points_.cols(); }
  [[nodiscard]] Matrix<T> scores() const override { return embedding_; }  ///< of the rows() of the data
  [[nodiscard]] std::optional<Matrix<T>> training_points() const override;
  /// Which rows of the data are in the map: all, unless pieces of the graph were left out.
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }

 protected:
  /// Keeps what a fit began with and opens the report: method, sizes, graph.
  void begin(std::string method, const ManifoldData<T>& data, Index components);
  /// The same without a graph: all points are in the map.
  void begin(std::string method, Scaling<T> scaling, Samples<T> points, Index components);
  /// Ends a fit: measures how faithful the map is (`neighbors` of each point count) and what it all took.
  void finish(Index neighbors, Stopwatch& watch, const Run& run);
  /// Label and column names of the data, the label's rows that are in the map alone.
  void name_after(const Dataset<T>& data);

  void write_map(ModelWriter& writer) const;                        ///< points, map, rows, scaling
  void read_map(ModelReader<T>& reader, const ReportParts& parts);  ///< and what every model has

  /// Points scaled as the model does, those in the graph alone.
  Samples<T> points_;
  Matrix<T> embedding_;
  std::vector<Index> rows_;
  Scaling<T> scaling_;
};

extern template class ManifoldModel<float>;
extern template class ManifoldModel<double>;

}  // namespace mercer
