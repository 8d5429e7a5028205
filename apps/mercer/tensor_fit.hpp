// What tucker, cp and svd2d share: read, plan or fit, write, report.
#pragma once

#include "fit.hpp"
#include "tensor_options.hpp"

#include <mercer/error.hpp>
#include <mercer/tensor_file.hpp>
#include <mercer/tensor_model.hpp>

#include <fmt/format.h>

#include <optional>

namespace mercer::app {

/// An array as its file has it: dense, or sparse and never made dense.
template <class T>
class Stack {
 public:
  /// `sparse_shape`: of a .tns file, which does not say it; 0 for a mode: its largest index.
  Stack(const std::string& path, const Run& run, const Shape& sparse_shape = {}) : path_(path) {
    if (is_sparse_tensor_file(path))
      sparse_ = read_sparse_tensor<T>(path, sparse_shape, run);
    else
      dense_ = read_tensor<T>(path, run);
  }
  [[nodiscard]] const Shape& shape() const { return sparse_ ? sparse_->shape() : dense_.shape(); }
  [[nodiscard]] Index stored() const { return sparse_ ? sparse_->stored() : dense_.count(); }
  template <class Use>
  auto visit(const Use& use) const {
    return sparse_ ? use(*sparse_) : use(dense_);
  }
  /// Throws Error{usage} where it is sparse.
  [[nodiscard]] const TensorView<T>& dense(std::string_view method) const {
    if (sparse_)
      throw Error(ErrorCode::usage, fmt::format("{} is sparse, and {} works on dense arrays", path_, method),
                  "mercer convert makes it dense");
    return dense_;
  }

 private:
  std::string path_;
  TensorView<T> dense_;
  std::optional<SparseTensor<T>> sparse_;
};

/// Columns of a score table: m1_1, m1_2, ... for the entries of 2D-SVD's cores, else c1, c2, ...
[[nodiscard]] std::vector<std::string> score_names(const Report& report);

/// Does the file hold samples as an array of the model's kind (and not as the rows of a table)?
template <class T>
[[nodiscard]] bool holds_stack(const std::string& path, const TensorModel<T>& model);

/// Throws Error{no_memory} when all of X̂ takes more than the budget.
void require_room_for(const Shape& shape, std::size_t bytes_each, const Run& run);

/// plan_of<T>(stack, run) and fit<T>(stack, run) are the method.
template <class PlanOf, class Fit>
void fit_tensor(std::string_view method, const TensorFlags& flags, const Session& session,
                const PlanOf& plan_of, const Fit& fit) {
  flags.check();
  const Stopwatch total;
  ProgressBar bar(!flags.run.quiet);
  const Run run = flags.run.run(session, bar);
  with_precision(parse_precision(flags.precision), [&]<class T>() {
    const Stack<T> x(flags.data, run);
    session.interrupts.check();
    const double read_seconds = total.seconds();
    if (flags.explain) {
      print_plan(plan_of.template operator()<T>(x, run), method, x.shape(), flags);
      return;
    }
    if (!flags.reconstruct.empty()) require_room_for(x.shape(), sizeof(T), run);
    const auto model = fit.template operator()<T>(x, run);
    if (!flags.out.empty() && model.components() == 0)
      throw Error(ErrorCode::bad_data, fmt::format("{}: there are no components to write", flags.data),
                  "all samples coincide");
    const Stopwatch writing;  // what can fail for other reasons than the disk comes first
    if (!flags.reconstruct.empty()) write_tensor<T>(flags.reconstruct, model.reconstruction(run).view());
    if (!flags.out.empty()) write_table<T>(flags.out, model.scores(), score_names(model.report()));
    if (!flags.model.empty()) model.save(flags.model);
    print_report(model.report(), read_seconds, writing.seconds(), total.seconds(), 0, flags,
                 {{"rebuilt", flags.reconstruct}});
  });
}

}  // namespace mercer::app
