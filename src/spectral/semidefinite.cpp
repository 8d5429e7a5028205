// DSDP behind RankOneProgram. Its C = −our C and its y = −w, so that its dual max bᵀy, S = C − Σ yₗAₗ is
// ours.
#include "spectral/semidefinite.hpp"

extern "C" {
#include <dsdpbasictypes.h>  // which does not say so itself
}
#include <dsdp5.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace mercer {
namespace {

constexpr int most_iterations = 300;
/// Steps become small before the gap has quite closed where the optimum is degenerate.
constexpr double converged_gap = 1e-3;

/// DSDP counts its events and memory in globals.
std::mutex one_at_a_time;

void require(int code, const char* what) {
  if (code == 0) return;
  throw Error(ErrorCode::internal, fmt::format("the semidefinite solver failed to {} (code {})", what, code));
}

struct Destroy {
  void operator()(DSDP_C* solver) const { DSDPDestroy(solver); }
};

/// What the solver tells at each step.
struct Monitor {
  const Run& run;
  double gap;
  double first_gap = 0;
  std::exception_ptr failure;
};

extern "C" int watch(DSDP solver, void* context) {
  auto& monitor = *static_cast<Monitor*>(context);
  try {
    monitor.run.check();
    double primal = 0, dual = 0;
    DSDPGetPPObjective(solver, &primal);
    DSDPGetDDObjective(solver, &dual);
    const double gap = std::abs(primal - dual) / (1 + std::abs(primal) + std::abs(dual));
    if (monitor.first_gap == 0) monitor.first_gap = std::max(gap, 10 * monitor.gap);
    // The gap falls by about the same factor at each step.
    const double done =
        std::log(monitor.first_gap / std::max(gap, monitor.gap)) / std::log(monitor.first_gap / monitor.gap);
    monitor.run.report("semidefinite program", std::clamp(done, 0.0, 1.0));
  } catch (...) {
    monitor.failure = std::current_exception();
    DSDPSetConvergenceFlag(solver, DSDP_USER_TERMINATION);
  }
  return 0;
}

/// DSDP keeps pointers to its data: this is where they point.
struct Data {
  std::vector<double> objective;  ///< −C, the lower triangle by rows
  std::vector<int> place;         ///< of each of its elements
  std::vector<int> index;
  std::vector<double> value;

  explicit Data(const RankOneProgram& p) {
    const Index n = p.objective.rows();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        objective.push_back(-p.objective(i, j));
        place.push_back(static_cast<int>(i * n + j));
      }
    for (Index l = 0; l < p.constraints.rows(); ++l)
      for (SparseMatrix<double>::InnerIterator a(p.constraints, l); a; ++a) {
        index.push_back(static_cast<int>(a.col()));
        value.push_back(a.value());
      }
  }
};

void describe(DSDP solver, SDPCone cone, const RankOneProgram& p, Data& data) {
  const int n = static_cast<int>(p.objective.rows()), m = static_cast<int>(p.constraints.rows());
  require(SDPConeSetBlockSize(cone, 0, n), "size its matrix");
  require(SDPConeSetStorageFormat(cone, 0, 'U'), "lay out its matrix");
  require(SDPConeSetASparseVecMat(cone, 0, 0, n, 1, 0, data.place.data(), data.objective.data(),
                                  static_cast<int>(data.place.size())),
          "take the objective");
  std::size_t at = 0;
  for (int l = 0; l < m; ++l) {
    const auto entries = static_cast<int>(p.constraints.row(l).nonZeros());
    require(SDPConeSetARankOneMat(cone, 0, l + 1, n, 1, 0, data.index.data() + at, data.value.data() + at,
                                  entries),
            "take a constraint");
    require(DSDPSetDualObjective(solver, l + 1, p.values[l]), "take a value");
    if (p.start > 0) require(DSDPSetY0(solver, l + 1, -p.start), "take a start");
    at += static_cast<std::size_t>(entries);
  }
  require(DSDPBoundDualVariables(solver, -p.largest_multiplier, p.largest_multiplier), "bound multipliers");
  if (p.start > 0) require(DSDPSetR0(solver, 0), "begin in the dual's interior");
  require(DSDPSetGapTolerance(solver, p.gap), "take a tolerance");
  require(DSDPSetMaxIts(solver, most_iterations), "take a limit");
}

[[noreturn]] void give_up(DSDPTerminationReason reason, DSDPSolutionType type) {
  const char* why = type == DSDP_UNBOUNDED       ? "no matrix satisfies the constraints"
                    : type == DSDP_INFEASIBLE    ? "the objective has no bound"
                    : reason == DSDP_MAX_IT      ? "it ran out of iterations"
                    : reason == DSDP_SMALL_STEPS ? "its steps became too small"
                                                 : "rounding stopped it";
  throw Error(ErrorCode::not_converged, fmt::format("the semidefinite program was not solved: {}", why));
}

}  // namespace

double semidefinite_bytes(double n, double constraints) {
  return 8 * (constraints * constraints + 10 * n * n) + 200 * constraints;
}

SemidefiniteSolution maximise(const RankOneProgram& program, const Run& run) {
  const Index n = program.objective.rows(), m = program.constraints.rows();
  const std::lock_guard lock(one_at_a_time);
  Data data(program);
  DSDP created = nullptr;
  require(DSDPCreate(static_cast<int>(m), &created), "begin");
  const std::unique_ptr<DSDP_C, Destroy> owner(created);
  DSDP solver = owner.get();
  SDPCone cone = nullptr;
  require(DSDPCreateSDPCone(solver, 1, &cone), "make its cone");
  describe(solver, cone, program, data);
  Monitor monitor{run, program.gap, 0, nullptr};
  require(DSDPSetMonitor(solver, watch, &monitor), "be watched");
  require(DSDPSetup(solver), "set up");
  require(DSDPSolve(solver), "solve");
  if (monitor.failure) std::rethrow_exception(monitor.failure);

  DSDPTerminationReason reason{};
  DSDPSolutionType type{};
  require(DSDPStopReason(solver, &reason), "say why it stopped");
  require(DSDPComputeX(solver), "compute its matrix");
  require(DSDPGetSolutionType(solver, &type), "say what it found");
  if (type == DSDP_UNBOUNDED || type == DSDP_INFEASIBLE) give_up(reason, type);

  SemidefiniteSolution out;
  double* x = nullptr;
  int entries = 0, iterations = 0;
  require(SDPConeGetXArray(cone, 0, &x, &entries), "give its matrix");
  if (entries != n * n) throw Error(ErrorCode::internal, "the semidefinite solver's matrix has another size");
  out.x = Eigen::Map<const Block<double>>(x, n, n).selfadjointView<Eigen::Upper>();
  out.multipliers.resize(m);
  require(DSDPGetY(solver, out.multipliers.data(), static_cast<int>(m)), "give its multipliers");
  out.multipliers *= -1;
  DSDPGetIts(solver, &iterations);
  out.iterations = iterations;
  out.value = program.objective.cwiseProduct(out.x).sum();
  out.bound = out.multipliers.dot(program.values);
  double given_way = 0;
  for (Index l = 0; l < m; ++l) {
    double now = 0;
    for (SparseMatrix<double>::InnerIterator a(program.constraints, l); a; ++a)
      for (SparseMatrix<double>::InnerIterator b(program.constraints, l); b; ++b)
        now += a.value() * b.value() * out.x(a.col(), b.col());
    given_way += std::abs(now - program.values[l]);
  }
  out.gap = (out.bound - out.value + program.largest_multiplier * given_way) / std::abs(out.bound);
  out.converged = reason == DSDP_CONVERGED || std::abs(out.gap) < converged_gap;
  if (!out.x.allFinite() || !(out.x.trace() > 0)) give_up(reason, type);
  return out;
}

}  // namespace mercer
