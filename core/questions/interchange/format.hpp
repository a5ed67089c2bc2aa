#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/dtype.hpp"
#include "core/model/imported.hpp"
#include "core/model/work.hpp"
#include "core/questions/interchange/kernel_table.hpp"
#include "core/questions/interchange/operator_work.hpp"

/// The files of other tools that `gable import` reads: one source each, and one table that lists them.
namespace gable::interchange {

/// The machine that files are of, and what the user states where they say nothing.
struct Target {
  DeviceInfo device;             ///< of a result file or the catalogue; of a bare id only that
  std::optional<DType> dtype{};  ///< of operations whose type the tool does not tell
  Scope scope{Scope::node};
  int threads{};  ///< that the roofs were measured with; 0: unknown
  /// Name of the main memory: the device's outermost level, "DRAM" where none is known.
  std::string main_memory() const;
  /// Whether one of the device's instruction sets has this in its name.
  bool has_isa(std::string_view part) const;
};

class Database;

/// A file of another tool.
struct Source {
  std::string name;  ///< without folders
  std::string text;  ///< of a database its outline
  std::shared_ptr<const Database> database{};
};
/// A file as the formats read it. Text: UTF-8 without what a terminal would obey, line breaks of Windows gone; of
/// UTF-16, as PowerShell writes it, the same. A database: opened. A report of Nsight Compute (.ncu-rep) or Nsight
/// Systems (.nsys-rep): what `ncu --import` or `nsys export` make of it, where PATH has them. Throws Error without the
/// file's name, but for files that cannot be read at all; also for a database that is packed.
Source open_source(const std::filesystem::path& file);

/// What a file holds.
struct Contents {
  std::optional<std::string> version;  ///< of the tool
  std::string processor;               ///< name of the one that it ran on, where the file tells it
  KernelTable kernels;
  std::string untimed;            ///< why kernels of 0 runs have no time, where no other file tells it
  std::vector<Ceiling> ceilings;  ///< kind, name, types, unit, value, and the columns among imported->counters
  std::vector<std::string> notes;
  /// The metric or column that times are of, where a time alone is worth a point: empty for tools that are asked for
  /// counters.
  std::string timed_by{};
};

/// What the counters of a kernel mean: sums over its calls.
struct KernelWork {
  double bytes_read{}, bytes_written{};  ///< of the main memory; what has no direction counts as read
  bool no_direction{};                   ///< bytes_read has the writes, too: one counter tells both
  bool by_shapes{};  ///< the bytes are those of inputs and outputs, each once: a cache that holds them may serve them
  std::vector<LevelBytes> inner;
  std::vector<TypedWork> operations;
  std::vector<std::string> unknown, stated;  ///< Imported::unknown, Imported::stated
};

/// What the names in a file are: kernels' are demangled and shortened, those of regions and loops stay.
enum class NamesOf { kernels, regions };

/// What shows that a file is whole: of lines, that the last one ends with a line break, or at least has as many cells
/// or words as the one before it; of checked lines, what read() demands of each; of tables the last cell is left out
/// where the line has no end; JSON closes its brackets.
enum class WrittenAs { lines, checked_lines, table, json };

struct Format {
  std::string_view name;  ///< for people: "Nsight Compute CSV"
  std::string_view tool;  ///< Imported::tool
  bool (*recognises)(std::string_view text);
  /// Throws Error without the file's name, naming the line.
  Contents (*read)(const Source& source, const Target& target);
  /// Null for files that hold ceilings only.
  KernelWork (*work)(Counted& counted, const Target& target);
  WrittenAs written{WrittenAs::lines};
  NamesOf names{NamesOf::kernels};
};

/// All of them; the first that recognises a text reads it.
std::span<const Format> formats();

// One a source.
extern const Format rocprof_browser_trace, pytorch, llama_ops, ncu, nsys, nsys_stats, nvprof, nvprof_database,
    rocprofv3, rocprofv3_json, rocprof_compute, rocprofv2, rocprof, rocprof_text, rocpd, rpd, rocprof_database,
    rocprof_roofline, rocprof_no_kernels, likwid, advisor, advisor_roofs, ert, carm_roofs, carm_applications, clpeak,
    babelstream, stream, caliper, perf_stat;

/// Adds a text to notes, or to what is unknown.
template <class... Values>
void say(std::vector<std::string>& texts, fmt::format_string<Values...> text, Values&&... values) {
  texts.push_back(fmt::format(text, std::forward<Values>(values)...));
}

/// A ceiling as another tool has it. `source`: its column or line there.
Ceiling ceiling_of(CeilingKind kind, std::string name, double value, std::string source);
/// A compute rate of a unit, flop/s or op/s.
Ceiling compute_ceiling(Unit unit, DType dtype, std::optional<DType> accumulate, double value, std::string source);

/// Whether the label of a ceiling in another tool has this as a word of its own.
bool label_has(std::string_view label, std::string_view word);
/// The type that it names: "FP64 GFLOPs", "Peak SP Vector GFLOPs FMA"; nothing in "GFLOPs".
std::optional<DType> type_in_label(std::string_view label);
/// The unit: "FP64 Scalar GFLOPs", "FP16 Tensor GFLOPs"; else vector units.
Unit unit_in_label(std::string_view label);

/// Adds a row, or makes it a further run of the one of the same kind, name, types, mix and variant that is there: the
/// runs are its samples, and finish_runs() sets its figure.
void add_run(Contents& contents, Ceiling row);
/// After the last run: the figure of each row is the median of its runs. A note for each of several runs: the least and
/// the most.
void finish_runs(Contents& contents);

/// Adds operations, each type and unit once; those that are none are left out.
void add_operations(KernelWork& work, DType dtype, Unit unit, double operations, std::optional<DType> accumulate = {});
/// Operations whose type the tool does not tell: of the type that the user stated, else they are unknown.
void add_untyped_operations(KernelWork& work, const Counted& counted, const Target& target, double operations);

/// Operations whose counters were not asked for, by type and the part in which these counters' names differ. What the
/// user states rules types out, unless some of them were counted all the same; the others are unknown.
using Uncounted = std::vector<std::pair<DType, std::string_view>>;
void add_uncounted(KernelWork& work, const Target& target, std::string_view what, std::string_view name,
                   const Uncounted& parts, std::string_view name_end = "");
/// What is stated rules nothing out, and all is unknown, where no operation of the stated type was counted.
void settle_stated(KernelWork& work, const Target& target);

/// What the counters of NVIDIA's GPUs mean, by the names of Nsight Compute's metrics ("Kernel Profiling Guide" of
/// Nsight Compute).
KernelWork work_of_nvidia_counters(Counted& counted, const Target& target);
/// Whether it counts what work_of_nvidia_counters() looks at: bytes, sectors, instructions or operations of a launch.
/// There are few such names, so that what is kept of a launch has a bound.
bool is_nvidia_counter(std::string_view metric);
/// Whether it is one of those a cycle that has a name of its own.
bool is_nvidia_rate(std::string_view metric);

/// Of kernels that ran on several GPUs: a note where all are of one model, as times are means over them. Throws Error
/// for others.
void note_gpus(Contents& contents, std::size_t gpus, const std::vector<std::string>& models);

/// Of tools that time kernels and count nothing.
KernelWork work_of_times(Counted& counted, const Target& target);

/// What those of AMD's mean, from rocprofv3 or rocprof-compute. Formulas: the tools' definitions of metrics (FetchSize,
/// VALU and MFMA FLOPs of gfx90a and gfx942).
KernelWork work_of_amd_counters(Counted& counted, const Target& target);
/// The same of rocprof and rocprofv2, whose FETCH_SIZE takes every request of gfx94x for one of 128 byte.
KernelWork work_of_rocprof_counters(Counted& counted, const Target& target);

/// Adds one call of an operator to what its kernel sums up.
void add_by_shapes(KernelTable& table, Kernel& kernel, const OperatorWork& work);
/// The work of operators that add_by_shapes() summed up. Their bytes are the least that can move.
KernelWork work_by_shapes(Counted& counted, const Target& target);

}  // namespace gable::interchange
