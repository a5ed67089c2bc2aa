#pragma once
#include <string_view>

#include "core/questions/interchange/format.hpp"

/// The tables that AMD's profilers write. Columns have the names of any version: "Kernel_Name" or "KernelName",
/// "Start_Timestamp" or "BeginNs". All of these throw Error, most with "line N: …", for what is wrong.
namespace gable::interchange {

/// Whether the first line names these columns, as whole cells.
bool names_columns(std::string_view text, std::initializer_list<std::string_view> columns);

/// A line a dispatch: with a column a counter, or with times alone.
Contents read_dispatch_rows(std::string_view text);
/// A line a counter of a dispatch.
Contents read_counter_rows(std::string_view text);
/// A line a kernel: calls and their time together. Rows of calls on the host are left out, with a note.
Contents read_kernel_stats(std::string_view text);

/// Whether it names a call of an interface on the host, a copy or a fill: no kernel.
bool is_host_call(std::string_view name);

}  // namespace gable::interchange
