// A model that is nothing but its report, to see the report come back from a file.
#pragma once

#include <mercer/model.hpp>

#include "model/model_file.hpp"

namespace mercer::test {

class ReportCarrier final : public Model<double> {
 public:
  explicit ReportCarrier(Report r) { report_ = std::move(r); }
  explicit ReportCarrier(ModelReader<double>& reader) { reader.restore(*this, ReportParts::any()); }
  [[nodiscard]] Index features() const override { return report_.d; }
  [[nodiscard]] Matrix<double> scores() const override { return {}; }

 private:
  Matrix<double> do_transform(const Samples<double>&, const Run&) const override { return {}; }
  void write(ModelWriter&) const override {}
};

}  // namespace mercer::test
