#pragma once
#include <string>
#include <string_view>

namespace gable {

/// For people: three significant digits and the SI prefix that fits, e.g. "23.4 GB/s", "1.2 TFLOP/s", "850 ns".
/// unit is the one of files: flop/s, flop, op/s, op, byte/s, byte, s, Hz, W are scaled; any other (flop/byte, 1) is
/// not. Independent of the locale.
std::string format_quantity(double value, std::string_view unit);

/// A figure to so many significant digits; 0 and what is not finite as it is.
double to_digits(double value, int digits);

/// The number with its SI prefix alone: "1.2 T".
std::string format_prefixed(double value);

/// Whether a unit of files counts something per second, and whether it is operations per byte.
bool is_rate(std::string_view unit);
bool is_intensity(std::string_view unit);

/// The reverse, for command lines: a positive number, an SI prefix (k K M G T P; for byte and byte/s also Ki Mi Gi Ti;
/// for s m u n) and the unit as in format_quantity, in files or, of operations per second, in datasheets: "3.35TB/s",
/// "312e12 flop/s", "989TFLOPS", "5us". Of bytes also bits: "400 Gbit/s" is 50 GB/s. The unit may be left out behind a
/// prefix; both may where the option itself has a unit: `form`, as the quantity is to be written, is empty then. Result
/// in `unit`. Throws Error naming the text and the form.
double parse_quantity(std::string_view text, std::string_view unit, std::string_view form = {});

}  // namespace gable
