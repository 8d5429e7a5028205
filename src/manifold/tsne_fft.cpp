// FFTW in float and double behind one template.
#include "manifold/tsne_fft.hpp"

#include <mercer/error.hpp>

#include <fftw3.h>
#include <fmt/format.h>

#include <mutex>

namespace mercer {
namespace {

/// FFTW's planner is one for the whole process.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

template <class T>
struct Fftw;
template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto row_forward = fftwf_plan_dft_r2c_1d;
  static constexpr auto row_backward = fftwf_plan_dft_c2r_1d;
  static constexpr auto columns = fftwf_plan_many_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto forward = fftwf_execute_dft_r2c;
  static constexpr auto backward = fftwf_execute_dft_c2r;
  static constexpr auto execute = fftwf_execute_dft;
};
template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto row_forward = fftw_plan_dft_r2c_1d;
  static constexpr auto row_backward = fftw_plan_dft_c2r_1d;
  static constexpr auto columns = fftw_plan_many_dft;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto forward = fftw_execute_dft_r2c;
  static constexpr auto backward = fftw_execute_dft_c2r;
  static constexpr auto execute = fftw_execute_dft;
};

template <class T>
typename Fftw<T>::Complex* raw(std::complex<T>* values) {
  return reinterpret_cast<typename Fftw<T>::Complex*>(values);
}

}  // namespace

Index fast_fourier_size(Index n) {
  for (Index size = n + n % 2;; size += 2) {
    Index rest = size;
    for (const Index prime : {2, 3, 5, 7})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return size;
  }
}

template <class T>
struct FourierPlans<T>::Plans {
  typename Fftw<T>::Plan row_forward, row_backward, columns_forward, columns_backward;

  Plans(Index length, Index height) {
    AlignedArray<T> real(length);
    AlignedArray<Complex> row(length / 2 + 1), columns(height * bundle);
    const int size = static_cast<int>(length), rows = static_cast<int>(height), many = bundle;
    auto* c = raw<T>(columns.data());
    const std::lock_guard lock(planner());
    row_forward = Fftw<T>::row_forward(size, real.data(), raw<T>(row.data()), FFTW_ESTIMATE);
    row_backward = Fftw<T>::row_backward(size, raw<T>(row.data()), real.data(), FFTW_ESTIMATE);
    columns_forward = Fftw<T>::columns(1, &rows, many, c, nullptr, many, 1, c, nullptr, many, 1, FFTW_FORWARD,
                                       FFTW_ESTIMATE);
    columns_backward = Fftw<T>::columns(1, &rows, many, c, nullptr, many, 1, c, nullptr, many, 1,
                                        FFTW_BACKWARD, FFTW_ESTIMATE);
    if (!row_forward || !row_backward || !columns_forward || !columns_backward)
      throw Error(ErrorCode::internal, fmt::format("FFTW has no plan for {} x {}", height, length));
  }
  ~Plans() {
    const std::lock_guard lock(planner());
    for (const auto plan : {row_forward, row_backward, columns_forward, columns_backward})
      Fftw<T>::destroy(plan);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
};

template <class T>
FourierPlans<T>::FourierPlans(Index length, Index height)
    : plans_(std::make_unique<const Plans>(length, height)) {}
template <class T>
FourierPlans<T>::~FourierPlans() = default;
template <class T>
FourierPlans<T>::FourierPlans(FourierPlans&&) noexcept = default;
template <class T>
FourierPlans<T>& FourierPlans<T>::operator=(FourierPlans&&) noexcept = default;

template <class T>
void FourierPlans<T>::row_forward(T* in, Complex* out) const {
  Fftw<T>::forward(plans_->row_forward, in, raw<T>(out));
}
template <class T>
void FourierPlans<T>::row_backward(Complex* in, T* out) const {
  Fftw<T>::backward(plans_->row_backward, raw<T>(in), out);
}
template <class T>
void FourierPlans<T>::columns_forward(Complex* columns) const {
  Fftw<T>::execute(plans_->columns_forward, raw<T>(columns), raw<T>(columns));
}
template <class T>
void FourierPlans<T>::columns_backward(Complex* columns) const {
  Fftw<T>::execute(plans_->columns_backward, raw<T>(columns), raw<T>(columns));
}

template class FourierPlans<float>;
template class FourierPlans<double>;

}  // namespace mercer
