#pragma once
#include <filesystem>

#include "core/questions/interchange/format.hpp"

namespace gable::interchange {

/// A file as the formats read it. Text: UTF-8 without what a terminal would obey, line breaks of Windows gone; of
/// UTF-16, as PowerShell writes it, the same. A database: opened. A report of Nsight Compute (.ncu-rep) or Nsight
/// Systems (.nsys-rep): what `ncu --import` or `nsys export` make of it, where PATH has them. Throws Error without the
/// file's name, but for files that cannot be read at all; also for a database that is packed.
Source open_source(const std::filesystem::path& file);

}  // namespace gable::interchange
