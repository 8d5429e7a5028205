// A command of the program: each file adds one to the parser and says what to run once it is chosen.
#pragma once

#include "interrupt.hpp"

#include <CLI/CLI.hpp>

#include <functional>

namespace mercer::app {

/// What a running command is given.
struct Session {
  const Interrupts& interrupts;
};

struct Command {
  CLI::App* parser = nullptr;
  std::function<void(const Session&)> run;
};

Command add_pca(CLI::App& program);
Command add_kpca(CLI::App& program);
Command add_basis_pca(CLI::App& program);
Command add_check_kernel(CLI::App& program);
Command add_lda(CLI::App& program);
Command add_klda(CLI::App& program);
Command add_isomap(CLI::App& program);
Command add_lle(CLI::App& program);
Command add_hlle(CLI::App& program);
Command add_laplacian(CLI::App& program);
Command add_mvu(CLI::App& program);
Command add_tsne(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_tucker(CLI::App& program);
Command add_cp(CLI::App& program);
Command add_svd2d(CLI::App& program);
Command add_kernels(CLI::App& program);
Command add_transform(CLI::App& program);
Command add_predict(CLI::App& program);
Command add_update(CLI::App& program);
Command add_merge(CLI::App& program);
Command add_inverse(CLI::App& program);
Command add_denoise(CLI::App& program);
Command add_tune(CLI::App& program);
Command add_info(CLI::App& program);
Command add_plot(CLI::App& program);
Command add_convert(CLI::App& program);
Command add_generate(CLI::App& program);
Command add_demo(CLI::App& program);

}  // namespace mercer::app
