#pragma once
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

#include "operators/common.hpp"
#include "operators/grid.hpp"

namespace gable::operators {

/// y = forward Fourier transform of x, exponent -2 pi i, not scaled; x, y: [nz,ny,nx] complex numbers, each two
/// elements side by side, real part first. flop 5 N log2 N, N = nx ny nz: the convention that transforms are compared
/// by, not what any of them does. bytes: read 2 s N, write 2 s N; a library that passes over the data once for each
/// dimension moves three times that, and cannot come above a third of this roof beyond the caches. Inputs must be
/// finite.
struct Fft3d {
  static constexpr std::string_view name = "fft3d";
  static constexpr std::string_view summary = "y[nz,ny,nx] = forward Fourier transform of x[nz,ny,nx], complex";
  using Params = GridSize;
  static constexpr auto& fields = grid_fields<Params>;

  /// The reference takes N (sum of the prime factors of the sizes) steps.
  static constexpr bool flops_by_convention = true;
  /// Where the library's terms meet decides between NaN and infinity.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return wide_types(); }
  /// Cubes whose side is a multiple of 8 with the prime factors 2, 3 and 5, as applications choose them.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return for_working_sets<Params>(device, [&](double bytes) {
      Index side = 8;
      for (Index n = 8; static_cast<double>(n * n * n) * 4 * size_bytes(types.a) <= bytes; n += 8) {
        if (is_smooth(n)) side = n;
      }
      return Params{side, side, side};
    });
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1}, {7, 1, 1}, {5, 3, 2}, {8, 8, 8}, {13, 6, 11}, {1, 97, 4}, {30, 16, 12}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto points = static_cast<double>(p.points());
    return {streaming_stage(5 * points * std::log2(points), 0, 2 * points, 2 * points, types)};
  }
  /// So small that results are about 1, whatever N.
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const double size = std::exp2(-std::floor(std::log2(static_cast<double>(p.points())) / 2));
    return {{"x", 2 * p.points(), types.a, Role::input, -size, size}, {"y", 2 * p.points(), types.out, Role::output}};
  }
  /// One dimension after the other, each by its prime factors.
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    std::vector<std::complex<S>> values(static_cast<std::size_t>(p.points()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = {in[0][2 * i], in[0][2 * i + 1]};
    transform_lines(values, p.nx, 1);
    transform_lines(values, p.ny, p.nx);
    transform_lines(values, p.nz, p.nx * p.ny);
    for (std::size_t i = 0; i < values.size(); ++i) {
      out[0][2 * i] = values[i].real();
      out[0][2 * i + 1] = values[i].imag();
    }
  }
  /// A few roundings in each of log2 N steps.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, 4 + 2 * std::log2(static_cast<double>(p.points())));
  }

 private:
  static bool is_smooth(Index n) {
    for (Index factor : {2, 3, 5}) {
      while (n % factor == 0) n /= factor;
    }
    return n == 1;
  }
  template <class S>
  using Line = std::vector<std::complex<S>>;

  /// All lines of n values that lie `stride` apart.
  template <class S>
  static void transform_lines(Line<S>& values, Index n, Index stride) {
    const auto length = static_cast<std::size_t>(n), step = static_cast<std::size_t>(stride);
    Line<S> roots(length), line(length), result(length);
    for (std::size_t k = 0; k < length; ++k) {
      roots[k] = std::polar(S(1), S(-2) * std::numbers::pi_v<S> * static_cast<S>(k) / static_cast<S>(n));
    }
    for (std::size_t block = 0; block < values.size(); block += length * step) {
      for (std::size_t first = block; first < block + step; ++first) {
        for (std::size_t k = 0; k < length; ++k) line[k] = values[first + k * step];
        transform(line.data(), 1, result.data(), length, roots);
        for (std::size_t k = 0; k < length; ++k) values[first + k * step] = result[k];
      }
    }
  }
  /// to[k] = sum_j from[j stride] w^(j k), w the n-th root of 1: by its smallest prime factor p as p transforms of n /
  /// p values (Cooley and Tukey 1965), which is the plain sum where n is prime.
  template <class S>
  static void transform(const std::complex<S>* from, std::size_t stride, std::complex<S>* to, std::size_t n,
                        const Line<S>& roots) {
    if (n == 1) {
      *to = *from;
      return;
    }
    std::size_t p = 2;
    while (n % p != 0) ++p;
    const std::size_t m = n / p, scale = roots.size() / n;
    for (std::size_t r = 0; r < p; ++r) transform(from + r * stride, stride * p, to + r * m, m, roots);
    Line<S> parts(p);
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t r = 0; r < p; ++r) parts[r] = to[r * m + k];
      for (std::size_t q = 0; q < p; ++q) {
        std::complex<S> sum = parts[0];
        for (std::size_t r = 1; r < p; ++r) {
          const std::complex<S>& root = roots[r * (k + q * m) % n * scale];
          sum += std::complex<S>(parts[r].real() * root.real() - parts[r].imag() * root.imag(),
                                 parts[r].real() * root.imag() + parts[r].imag() * root.real());
        }
        to[q * m + k] = sum;
      }
    }
  }
};

}  // namespace gable::operators
