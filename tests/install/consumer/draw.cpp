// The same for mercer::plot: a picture through the installed library.
#include <mercer/generate.hpp>
#include <mercer/plot.hpp>

int main(int, char** arguments) {
  const auto data = mercer::generate("circles", 60, 1);
  mercer::plot::scatter(arguments[1], data.samples.to_dense(), data.label, {.title = "Installed"});
}
