// A case in words: the tags that campaigns count by, and the command line that shows it.
#include "fit_case.hpp"

#include <mercer/dataset.hpp>
#include <mercer/matrix.hpp>

#include <cstdio>
#include <set>

namespace certify {
namespace {

std::string power_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "1e%d", int(std::lround(std::log10(value))));
  return text;
}

std::string bin(Index n, std::initializer_list<Index> ends) {
  Index low = 1;
  for (const Index end : ends) {
    if (n <= end) return std::to_string(low) + " to " + std::to_string(end);
    low = end + 1;
  }
  return std::to_string(low) + " and more";
}

const char* word(mercer::Landmarks how) {
  const char* words[] = {"pivoted", "uniform", "kmeans", "given"};
  return words[int(how)];
}

const char* word(Chain chain) {
  const char* words[] = {"none", "update", "update, basis grows", "refit and merge", "refit"};
  return words[int(chain)];
}

bool has_kernel(const FitCase& c) {
  return c.method == "kpca" || c.method == "klda" || c.method == "features";
}

}  // namespace

std::vector<std::string> tags_of(const FitCase& c) {
  std::vector<std::string> out;
  const auto tag = [&](const std::string& name, const std::string& value) {
    out.push_back(name + "=" + value);
  };
  tag("method", c.method);
  tag("precision", std::string(name_of(c.precision)));
  tag("rows", bin(c.x.rows(), {4, 60, 128, 220, 800}));
  tag("features", bin(c.x.cols(), {6, 46}));
  tag("data", c.sparse ? "sparse" : "dense");
  tag("shape", c.shape);
  tag("offset", c.offset == 0 ? "none" : power_of(c.offset));
  tag("times",
      c.exponent == 0 ? "1" : (std::abs(c.exponent) > 8 ? "extreme, 1e" : "1e") + std::to_string(c.exponent));
  tag("scale", std::string(mercer::name_of(c.scale)));
  tag("center", c.center ? "yes" : "no");
  tag("components", c.components.share > 0 ? "a share" : c.components.count >= c.x.rows() ? "all" : "a few");
  tag("threads", std::to_string(c.threads));
  if (c.saved) tag("beside", "saved and loaded");
  if (c.other_threads) tag("beside", "other threads");
  if (has_kernel(c)) {
    std::vector<std::string> leaves;
    c.kernel.leaves(leaves);
    for (const auto& leaf : std::set<std::string>(leaves.begin(), leaves.end())) tag("kernel", leaf);
    const char* kinds[] = {"one", "a sum", "a product", "a multiple"};
    tag("kernel is", kinds[int(c.kernel.kind)]);
    tag("width", c.width);
  }
  if (c.method == "kpca")
    tag("indefinite", c.kernel.is_psd() ? "-" : c.indefinite == mercer::Indefinite::clip ? "clip" : "error");
  if (c.method == "kpca" || c.method == "pca" || c.method == "klda" || c.method == "basis-pca")
    tag("route", std::string(mercer::name_of(c.route)));
  if (c.route == mercer::Route::lowrank) {
    tag("landmarks", word(c.lowrank.landmarks));
    tag("rank by", c.lowrank.landmarks == mercer::Landmarks::given ? "rows"
                   : c.lowrank.rank > 0                            ? "rank"
                   : c.lowrank.tolerance > 0                       ? "tolerance"
                                                                   : "default");
    tag("rows come", c.streamed ? "in passes" : "at once");
    tag("afterwards", word(c.chain));
  }
  if (c.residual > 0) tag("residual", "asked for");
  if (c.delta != 1e-6) tag("delta", number(c.delta));
  if (c.method == "basis-pca")
    tag("end", c.smallest > 0 ? "smallest" : "largest"), tag("basis", c.basis.substr(0, c.basis.find('(')));
  if (c.method == "lda" || c.method == "klda") tag("ridge", c.ridge == 0 ? "none" : power_of(c.ridge));
  if (c.method == "laplacian") {
    tag("laplacian", c.diffusion < 0 ? c.variant : "diffusion");
    tag("links weigh", c.heat ? "heat" : "1");
  }
  if (c.method == "lle") tag("lle", c.variant);
  return out;
}

std::string command_of(const FitCase& c, const std::string& folder) {
  const bool in_program = c.method == "features" || c.method == "missing" || c.chain != Chain::none ||
                          c.streamed || c.other_threads || c.delta != 1e-6;
  if (in_program) return "";
  const std::string data = folder + "/case-" + std::to_string(c.seed) +
                           (c.sparse            ? ".libsvm"
                            : c.classes.empty() ? ".npy"
                                                : ".csv");
  std::optional<mercer::Label> label;
  if (!c.classes.empty()) {
    std::vector<std::string> words;
    for (const auto code : c.classes) words.push_back("c" + std::to_string(code));
    label = mercer::make_label("class", words);
  }
  const mercer::Samples<double> samples = c.sparse ? [&] {
    mercer::SparseMatrix<double> s = c.x.sparseView();
    s.makeCompressed();
    return mercer::Samples<double>(std::move(s));
  }() : mercer::Samples<double>(c.x);
  std::vector<std::string> names;
  if (label)
    for (Index j = 0; j < c.x.cols(); ++j) names.push_back("f" + std::to_string(j + 1));
  mercer::write_table<double>(data, samples, names, label);
  std::string line = "mercer " + c.method + " " + data;
  if (label) line += " --label class";
  if (c.method == "lda" || c.method == "klda") {
    if (c.components.count > 0) line += " -k " + std::to_string(c.components.count);
    if (c.ridge > 0) line += " --ridge " + number(c.ridge);
  } else {
    line +=
        " -k " + (c.components.share > 0 ? number(c.components.share) : std::to_string(c.components.count));
  }
  if (has_kernel(c)) line += " --kernel '" + c.kernel.to_string() + "'";
  if (c.method == "basis-pca") line += " --basis '" + c.basis + "'";
  if (c.smallest > 0) line += " --smallest " + std::to_string(c.smallest);
  if (c.neighbors > 0) line += " --neighbors " + std::to_string(c.neighbors);
  if (c.method == "laplacian" && c.diffusion < 0)
    line += " --laplacian " + c.variant + (c.heat ? " --weights heat" : "");
  if (c.method == "laplacian" && c.diffusion >= 0)
    line += " --diffusion " + number(c.diffusion) + " --alpha " + number(c.density);
  if (c.method == "lle") line += " --variant " + c.variant;
  if (c.neighbors > 0) line += " --pieces bridge";
  if (!c.center) line += " --center no";
  if (c.unbiased) line += " --unbiased";
  if (c.scale != mercer::Scale::none) line += " --scale " + std::string(mercer::name_of(c.scale));
  if (c.precision == mercer::Precision::float32) line += " --precision float";
  if (c.indefinite == mercer::Indefinite::clip) line += " --indefinite clip";
  if (c.residual > 0) line += " --residual " + number(c.residual);
  if (c.route != mercer::Route::automatic) line += " --route " + std::string(mercer::name_of(c.route));
  if (c.route == mercer::Route::lowrank) {
    if (c.lowrank.rank > 0) line += " --rank " + std::to_string(c.lowrank.rank);
    if (c.lowrank.tolerance > 0) line += " --tolerance " + number(c.lowrank.tolerance);
    if (c.lowrank.landmarks == mercer::Landmarks::given) {
      const std::string rows = folder + "/case-" + std::to_string(c.seed) + "-rows.csv";
      mercer::Matrix<double> list(Index(c.lowrank.given.size()), 1);
      for (Index i = 0; i < list.rows(); ++i) list(i, 0) = double(c.lowrank.given[std::size_t(i)]);
      mercer::write_table<double>(rows, mercer::Samples<double>(list));
      line += " --landmarks " + rows;
    } else if (c.lowrank.landmarks != mercer::Landmarks::pivoted) {
      line += std::string(" --landmarks ") + word(c.lowrank.landmarks);
    }
  }
  return line + " --threads " + std::to_string(c.threads) + " --seed " + std::to_string(c.seed % 1000) +
         " --json";
}

}  // namespace certify
