// Mercer's verdict for people and as JSON.
#include <mercer/kernel_check.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

using Json = nlohmann::ordered_json;

/// Rows of the witness that are shown.
constexpr std::size_t shown = 5;

/// The rows where c is largest.
std::vector<Index> largest_rows(const Vector<double>& c) {
  std::vector<Index> rows(static_cast<std::size_t>(c.size()));
  std::iota(rows.begin(), rows.end(), Index(0));
  const auto count = static_cast<std::ptrdiff_t>(std::min(shown, rows.size()));
  std::partial_sort(rows.begin(), rows.begin() + count, rows.end(), [&](Index a, Index b) {
    return std::abs(c[a]) != std::abs(c[b]) ? std::abs(c[a]) > std::abs(c[b]) : a < b;
  });
  rows.resize(static_cast<std::size_t>(count));
  return rows;
}

std::string_view in_words(const KernelCheck& check) {
  switch (check.verdict) {
    case Verdict::valid:
      return "valid always: its feature map is known";
    case Verdict::valid_here:
      return "valid here: K is positive semidefinite on this data";
    case Verdict::conditional:
      if (check.sees_nothing()) return "conditional: not a Mercer kernel; HKH is 0";
      return "conditional: not a Mercer kernel, but HKH is positive semidefinite, so kernel PCA is sound";
    default:
      return "not valid";
  }
}

}  // namespace

std::string KernelCheck::to_json() const {
  Json witnesses = nullptr;
  if (witness.size() > 0) {
    Json values = Json::array();
    const std::vector<Index> rows = largest_rows(witness);
    for (const Index row : rows) values.push_back(witness[row]);
    std::vector<double> all(witness.data(), witness.data() + witness.size());
    witnesses = {{"value", witness_value}, {"rows", rows}, {"entries", values}, {"vector", std::move(all)}};
  }
  const Json out = {{"kernel", kernel},
                    {"n", n},
                    {"d", d},
                    {"verdict", name_of(verdict)},
                    {"symmetric", symmetric},
                    {"asymmetry", asymmetry},
                    {"min_eigenvalue", min_eigenvalue},
                    {"centered_min_eigenvalue", centered_min_eigenvalue},
                    {"max_eigenvalue", max_eigenvalue},
                    {"centered_max_eigenvalue", centered_max_eigenvalue},
                    {"tolerance", tolerance},
                    {"centered_tolerance", centered_tolerance},
                    {"exact", exact},
                    {"lower_bound", lower_bound ? Json(*lower_bound) : Json(nullptr)},
                    {"delta", delta},
                    {"witness", std::move(witnesses)},
                    {"reasons", reasons},
                    {"advice", advice}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string KernelCheck::to_string() const {
  std::string out = fmt::format("{} on {} x {}\n", kernel, n, d);
  out += fmt::format("verdict    {}\n", in_words(*this));
  out += symmetric ? fmt::format("symmetric  yes\n")
                   : fmt::format(
                         "symmetric  no: k(x{0}, x{1}) and k(x{1}, x{0}) differ by {2:.4g} (the "
                         "eigenvalues below are of the symmetric part)\n",
                         asymmetric_row, asymmetric_column, asymmetry);
  out += fmt::format("smallest   eigenvalue of K {:.4g} (0 to within {:.2g}); largest in size {:.4g}\n",
                     min_eigenvalue, tolerance, max_eigenvalue);
  if (lower_bound)
    out += fmt::format("           none of K below {:.4g}{}\n", *lower_bound,
                       delta > 0 ? fmt::format(", but for a chance of {:.1g}", delta) : "");
  out += fmt::format(
      "centred    smallest eigenvalue of HKH {:.4g} (0 to within {:.2g}); largest in size {:.4g}\n",
      centered_min_eigenvalue, centered_tolerance, centered_max_eigenvalue);
  if (witness.size() > 0) {
    std::string entries;
    for (const Index row : largest_rows(witness))
      entries += fmt::format("{}{:.3g} at row {}", entries.empty() ? "" : ", ", witness[row], row);
    out += fmt::format("witness    cᵀKc = {:.4g} for a c of length 1: {}{} (rows count from 0)\n",
                       witness_value, entries, witness.size() > static_cast<Index>(shown) ? ", …" : "");
  }
  for (std::size_t i = 0; i < reasons.size(); ++i)
    out += fmt::format("{:<10} {}\n", i == 0 ? "known" : "", reasons[i]);
  for (std::size_t i = 0; i < advice.size(); ++i)
    out += fmt::format("{:<10} {}\n", i == 0 ? "what to do" : "", advice[i]);
  return out;
}

}  // namespace mercer
