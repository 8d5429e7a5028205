// Fourier transforms of rows and of columns, the only caller of FFTW. Plans are FFTW's estimates, not its
// measurements: the same sizes give the same plan, so the same bits, in every process.
#pragma once

#include <mercer/matrix.hpp>

#include <complex>
#include <memory>
#include <new>

namespace mercer {

/// Memory aligned as FFTW's vectors want it.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(Index count)
      : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(count) * sizeof(T), alignment))) {}
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T* memory) const { ::operator delete(memory, alignment); }
  };
  std::unique_ptr<T, Free> data_;
};

/// The least even size ≥ n that has no prime factor above 7.
[[nodiscard]] Index fast_fourier_size(Index n);

/// Transforms of real rows of one length and of bundles of complex columns of one height. Any thread may
/// use them; all arrays are aligned to 64 bytes. Nothing is normalised: there and back is length·height.
template <class T>
class FourierPlans {
 public:
  using Complex = std::complex<T>;
  static constexpr Index bundle = 8;  ///< columns, lying side by side: height x bundle

  FourierPlans(Index length, Index height);
  ~FourierPlans();
  FourierPlans(FourierPlans&&) noexcept;
  FourierPlans& operator=(FourierPlans&&) noexcept;

  void row_forward(T* in, Complex* out) const;   ///< length -> length/2 + 1
  void row_backward(Complex* in, T* out) const;  ///< and back; `in` is destroyed
  void columns_forward(Complex* bundle) const;   ///< in place
  void columns_backward(Complex* bundle) const;  ///< in place

 private:
  struct Plans;
  std::unique_ptr<const Plans> plans_;
};

}  // namespace mercer
