#pragma once
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/operator_spec.hpp"
#include "operators/device/buffers.hpp"
#include "operators/device/chunk.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// The execution queue as vendor libraries take it: cudaStream_t, hipStream_t, null on hosts.
inline void* stream_of([[maybe_unused]] const Exec& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  return static_cast<void*>(exec.cuda_stream());
#elif defined(KOKKOS_ENABLE_HIP)
  return static_cast<void*>(exec.hip_stream());
#else
  return nullptr;
#endif
}

/// Erases a kernel's type. A kernel is constructible from (Params, Buffers) or (Params, Types, Buffers,
/// VendorLibrary*), takes its workspace there, and has `void run(const Exec&)` that only enqueues.
template <class Op, class Kernel>
class KernelInstance final : public OperatorInstance {
 public:
  KernelInstance(const typename Op::Params& params, const Types& types, std::uint64_t seed, VendorLibrary* vendor)
      : buffers_(Op::buffers(params, types), seed), kernel_(make(params, types, buffers_, vendor)) {
    exec_.fence("gable: operator prepared");
  }
  void run() override { kernel_.run(exec_); }
  void fence() override { exec_.fence("gable: operator done"); }
  void* stream() override { return stream_of(exec_); }
  std::vector<std::vector<double>> inputs() override { return copied(is_read); }
  std::vector<std::vector<double>> outputs() override { return copied(is_written); }
  void set_input(std::size_t i, Index element, double value) override {
    exec_.fence("gable: operator done");
    buffers_.set_input(i, element, value);
  }

 private:
  static Kernel make(const typename Op::Params& params, const Types& types, const Buffers& buffers,
                     VendorLibrary* vendor) {
    if constexpr (std::is_constructible_v<Kernel, const typename Op::Params&, const Buffers&>) {
      return Kernel(params, buffers);
    } else {
      return Kernel(params, types, buffers, vendor);
    }
  }
  std::vector<std::vector<double>> copied(bool (*wanted)(Role)) {
    exec_.fence("gable: operator done");
    return buffers_.values(wanted);
  }

  Exec exec_;
  Buffers buffers_;
  Kernel kernel_;
};

/// An implementation made of one kernel class per combination of types. Each has `static Types types()`; it runs those
/// and no others.
template <class Op, class... Kernels>
Implementation implementation(std::string_view name) {
  Implementation result;
  result.name = name;
  result.refuses = [](const Types& types, const VendorLibrary*) -> std::string {
    if (((Kernels::types() == types) || ...)) return {};
    return fmt::format("no kernel for {} x {} -> {} accumulating {}", to_string(types.a), to_string(types.b),
                       to_string(types.out), to_string(types.accumulate));
  };
  result.create = [](const Params& params, const Types& types, std::uint64_t seed, VendorLibrary* vendor) {
    const auto typed = typed_params<Op>(params);
    std::unique_ptr<OperatorInstance> instance;
    const bool made = ((Kernels::types() == types &&
                        (instance = std::make_unique<KernelInstance<Op, Kernels>>(typed, types, seed, vendor), true)) ||
                       ...);
    if (!made) throw Error(fmt::format("{}: no kernel for these types", Op::name));
    return instance;
  };
  return result;
}

/// Kernel<T> for each of the four floating-point storage types; Kernel<T>::types() is uniform_types of T's dtype by way
/// of UniformTypes<T>.
template <class Op, template <class> class Kernel>
Implementation floating_implementation(std::string_view name) {
  return implementation<Op, Kernel<double>, Kernel<float>, Kernel<Fp16>, Kernel<Bf16>>(name);
}

/// Base of kernels with one storage type throughout.
template <class T>
struct UniformTypes {
  static Types types() { return uniform_types(dtype_of<T>()); }
};

/// Base of kernels that are one call of the vendor's library.
template <class Call, void (VendorLibrary::*make)(const Call&)>
struct VendorKernel {
  Call call;
  VendorLibrary* vendor;
  void run(const Exec& exec) {
    call.stream = stream_of(exec);
    (vendor->*make)(call);
  }
};

/// An implementation whose one kernel class takes any types the vendor's library accepts:
/// `static std::string refuses(const Types&, const VendorLibrary*)` says which. Rows call it by VendorLibrary::name(),
/// or by `static std::string library(const VendorLibrary&)` where it has that.
template <class Op, class Kernel>
Implementation vendor_implementation(std::string_view name) {
  Implementation result;
  result.name = name;
  result.refuses = [](const Types& types, const VendorLibrary* vendor) -> std::string {
    if (vendor == nullptr) return "no vendor library";
    return Kernel::refuses(types, vendor);
  };
  result.library = [](const Types& types, const VendorLibrary& vendor) {
    if constexpr (requires { Kernel::library(vendor); }) return Kernel::library(vendor);
    return vendor.name(types);
  };
  result.create = [](const Params& params, const Types& types, std::uint64_t seed,
                     VendorLibrary* vendor) -> std::unique_ptr<OperatorInstance> {
    return std::make_unique<KernelInstance<Op, Kernel>>(typed_params<Op>(params), types, seed, vendor);
  };
  return result;
}

/// The one entry of an operator in this program.
template <class Op>
const OperatorEntry& entry_of(std::vector<Implementation> implementations) {
  static const OperatorEntry entry{&spec_of<Op>(), std::move(implementations)};
  return entry;
}

/// The same with these kernels as the one implementation, "kokkos".
template <class Op, class... Kernels>
const OperatorEntry& kernel_entry() {
  return entry_of<Op>({implementation<Op, Kernels...>("kokkos")});
}
/// Kernel<T> for each of the four floating-point storage types.
template <class Op, template <class> class Kernel>
const OperatorEntry& floating_entry() {
  return entry_of<Op>({floating_implementation<Op, Kernel>("kokkos")});
}
/// Kernel<T> for fp64 and fp32.
template <class Op, template <class> class Kernel>
const OperatorEntry& wide_entry() {
  return kernel_entry<Op, Kernel<double>, Kernel<float>>();
}

}  // namespace gable::device
