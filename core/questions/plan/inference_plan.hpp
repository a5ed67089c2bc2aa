#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/model/answer.hpp"
#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/operator.hpp"
#include "core/questions/plan/transformer.hpp"
#include "core/result/result.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

/// What is to be generated, and in which types.
struct Inference {
  Count batch{1};    ///< sequences side by side
  Count context{1};  ///< tokens of each: the prompt of the prefill, and what a decoded token attends to
  DType weights{DType::bf16}, cache{DType::bf16}, activations{DType::bf16};
  Count devices{1};  ///< tensor parallel: heads and feed-forward width are divided among them
  /// Of the residual stream and of what products write; nothing: as the activations, bf16 where these are narrower.
  std::optional<DType> residual{};
  std::optional<DType> experts{};  ///< of the experts' weights; nothing: as the other weights
  std::optional<DType> tables{};   ///< of the tables and routers; nothing: as the other weights
  bool distinct_experts{};         ///< tokens choose as different ones as they can, not evenly by chance

  DType residual_type() const;
  DType expert_type() const { return experts.value_or(weights); }
  /// What attention multiplies in: the activations' type where the cache has it too.
  DType attention_type() const { return cache == activations ? activations : residual_type(); }
};

/// What an operator of a layer spends its time on.
enum class Part { product, feed_forward, attention, elementwise };

/// The sizes of a product, as the operator gemm has them.
struct Gemm {
  Count m{}, n{}, k{};
};

/// How an operator of the build does the same work.
struct OperatorRun {
  std::string op;
  Params params;
  DType a{}, b{};  ///< Types::a and Types::b that it must take
};

/// Operators of one kind in a phase, on one device.
struct PlannedOperator {
  std::string name;
  Part part{};
  Count times{1};                      ///< how often: once a layer that has it, or twice
  Types types{};                       ///< of its products; elementwise work: of the residual stream
  double weights{};                    ///< that one of them reads
  Stage stage{};                       ///< of one of them
  std::optional<Bound> bound{};        ///< of one of them; nothing where a roof is missing
  std::vector<std::string> missing{};  ///< these
  std::optional<Gemm> gemm{};          ///< of a product of two matrices
  std::optional<OperatorRun> run{};    ///< nothing where no operator does it
  std::string no_run{};                ///< then: why

  /// Least time of all of them, s; 0 where a roof is missing.
  double all_s() const { return bound ? bound->time_s * number(times) : 0; }
};

/// Weights in the types that the model is published in, bf16 where the catalogue knows of none; the tables and routers
/// of narrower ones stay bf16.
Inference as_published(const Transformer& model, Inference what);
/// "bf16", "bf16 (experts mxfp4)", "fp8_e4m3 (tables and routers bf16)"
std::string weights_text(const Inference& what);
/// "weights in bf16", and the types of cache and activations where they are others than bf16.
std::string types_text(const Inference& what);

/// The types that the plan's arithmetic is done in: of elementwise work and attention, and of products.
std::vector<Types> types_of(const Inference& what);

/// The operators of a prefill, or of one decode step, without bounds. Formulas: docs/plan.md.
std::vector<PlannedOperator> phase_operators(const Transformer& model, const Inference& what, bool decode);

/// A decode step on one device as points without times, cold, each with its count. Throws Error for sizes and types
/// that are not planned.
std::vector<Point> points_of(const Transformer& model, const Inference& what);
/// Of the whole model, and of all sequences at full context.
double weights_byte(const Transformer& model, const Inference& what);
double cache_byte(const Transformer& model, const Inference& what);

/// Prefill of all prompts, or one decoded token of every sequence.
struct PhasePlan {
  std::vector<PlannedOperator> operators;
  Count launches{};                    ///< of unfused kernels
  std::optional<double> time_s;        ///< operators, launches and all-reduces; nothing where a roof is missing
  std::optional<double> work_s;        ///< its part without launches, as a graph has it at best
  std::optional<double> launch_s;      ///< launches x the machine's fixed cost, where it is known
  double all_reduce_byte{};            ///< that each device sends, 2 (t - 1) / t of the sums of two a layer (ring)
  std::optional<double> all_reduce_s;  ///< the faster of the two below, or as measured; nothing without either
  /// At one direction of the links: by a ring, which nothing without help in the network beats, and where switches can
  /// add, each device sending and receiving each sum once.
  std::optional<double> ring_s, in_switch_s;
};

struct InferencePlan {
  Inference what;         ///< with the flavours of fp8 that the machine has
  double weights_byte{};  ///< of the whole model
  double cache_byte{};    ///< of all sequences at full context
  /// For both: the smallest number that divides the heads. Nothing if the machine's memory is unknown, or no such
  /// number is enough.
  std::optional<Count> devices_needed;
  std::string why_none;  ///< in that case
  PhasePlan prefill, decode;
  /// Time in which one device reads its weights once at the roof of reads, of experts those that a step reads in
  /// expectation: no decode step is faster where reads were measured or printed (`notes` say so else).
  std::optional<double> floor_s;
  std::optional<double> experts_read;  ///< of a layer, in expectation, for the tokens of a decode step
  std::optional<double> most_experts_read, most_decode_s;  ///< where the tokens choose as different ones as they can
  std::vector<std::string> notes;                          ///< what the figures take for granted of this machine

  /// Whether the planned devices hold all; nothing where the machine's memory is unknown.
  std::optional<bool> fits;
};

/// Bounds of both phases on one of `what.devices` equal machines. Formulas: docs/plan.md. Throws Error for sizes below
/// one or beyond most_tokens, for devices that do not divide the heads, for types that are no types of weights, and for
/// devices that are not as many as the ranks of the machine's measured all-reduce.
InferencePlan plan_inference(const Transformer& model, const MachineModel& machine, const Inference& what);

/// Where decode changes its regime as the batch grows.
struct BatchMarks {
  std::optional<Count> ridge;     ///< smallest batch whose feed-forward products are compute-bound
  std::optional<Count> takeover;  ///< smallest batch at which reading the cache takes longer than all products
};
inline constexpr Count most_marked_batch = 65536;
/// Marks up to `most`, each nothing where no batch has it; nothing at all where roofs are missing.
std::optional<BatchMarks> batch_marks(const Transformer& model, const MachineModel& machine, Inference what,
                                      Count most = most_marked_batch);

/// What of a plan can be run: one case for each distinct operator, size and type, with how often the phases do it.
struct PlanCases {
  std::vector<Case> cases;
  std::vector<std::string> left_out;  ///< "decode: experts: no operator for …"
};

/// Adds the operators of a phase to the cases. An operator that the build does not have, or not in these types, is left
/// out, and so are sizes that it refuses.
void add_cases(PlanCases& list, const std::string& phase_name, const PhasePlan& phase, Operators operators);

/// The measured point of the same operator, sizes and types on the device: of the implementations the fastest, of cold
/// and hot runs the cold one, whose data came from main memory as in the plan. Null where there is none that is ok.
const Point* measured_run(const OperatorRun& run, const Result& result, const std::string& device);

/// A file that tells what operators of the plan really take.
struct PlanMeasurement {
  std::string file, device;
  Result result;
  bool own_roofs{};  ///< the plan's roofs are of this device, or stated: times may be compared with them
};

/// Cost of a million decoded tokens, or of the prompts', on the plan's devices at so much a device-hour. Nothing where
/// they do not hold all, or a time is unknown.
std::optional<double> million_cost(const InferencePlan& plan, bool prompt, const std::optional<double>& hour_cost);

/// "4 of H100 SXM5 80GB"; "one T4".
std::string devices_text(Count devices, const std::string& machine);
/// "does not fit: needs 4", or why no number is enough; empty where it fits, or memory is unknown.
std::string misfit(const InferencePlan& plan);

/// Decoded tokens of all sequences in a second; nothing as above.
std::optional<double> token_per_s(const InferencePlan& plan);

/// What `gable plan` was asked, and what comes of it.
struct PlanAnswer {
  const Transformer* model{};
  MachineModel machine;
  Inference what;
  InferencePlan plan;
  std::optional<double> hour_cost;          ///< of one device
  bool prefill{true}, decode{true};         ///< phases that are wanted
  std::vector<InferencePlan> sweep;         ///< batches of 1, 2, 4 … 1024
  std::vector<InferencePlan> alternatives;  ///< in other types, the plan itself first; empty where there are none
  /// The plan on a machine with twice the bandwidth, and twice the arithmetic.
  InferencePlan twice_bandwidth, twice_compute;
  std::optional<PlanMeasurement> measurement;
  std::string suite_file;  ///< empty: none was written
  PlanCases suite;
  bool formulas{};
};

/// Whether the machine is the measured device: one of the catalogue or another file is if name or product agree.
bool has_roofs_of(const PlanMeasurement& measurement, const MachineModel& machine);
/// Plans the first of `all`; adds growing batches if `sweep`. Of several, all become alternatives. `answer` must hold
/// model and machine.
void make_plans(PlanAnswer& answer, std::span<const Inference> all, bool sweep);

Answer answer_of(const PlanAnswer& plan);

/// One of several plans.
struct PlanRow {
  const Transformer* model{};
  MachineModel machine;
  InferencePlan plan;
  std::optional<double> hour_cost;
};
/// `devices`: nothing: as many as hold all, one where that is unknown or none do.
PlanRow plan_row(const Transformer& model, MachineModel machine, Inference what, std::optional<Count> devices);
/// One table, below a sentence that says which is the best for each model: that of the cheapest token where all costs
/// are known, else of the most tokens a second and device.
Answer answer_of(std::span<const PlanRow> rows);
/// The models that are known.
Answer models_answer();

// Parts of answer_of(): what a million tokens cost, where that is known, and the formulas.
void say_cost(Answer& answer, const PlanAnswer& asked);
void add_plan_formulas(Answer& answer);

/// Draws the rate of decoded tokens against the batch, and where the memory of each plan's devices is full: an .svg,
/// .png or .pdf. Throws Error where a roof is missing or nothing can be drawn.
void draw_batches(std::span<const PlanRow> rows, const std::filesystem::path& output);

/// Takes a network's result for the links between the machine's devices: its all-reduce, and the way between nodes
/// (inside the node, where it has one) for other numbers of devices than it has ranks. `name` says of what, where it is
/// not empty: a medium ("nccl"), a way ("between_nodes"; its links alone), or both ("nccl:between_nodes"). Without a
/// medium figures of devices' memory count where the file has any (device_media), but for a CPU; those of hosts' memory
/// never stand beside them. Of a file of several networks all figures are of the one that has as many ranks as there
/// are `devices`. Throws Error naming `file` where it has no such figures, where that is not one network, and for an
/// unknown name.
void set_network(MachineModel& machine, const Result& result, const std::string& file, std::string_view name,
                 Count devices);

}  // namespace gable::questions
