// Stand-in for the part of Kokkos' core library that is the execution space Cuda: the device, its streams, and the
// memory that reductions, scans and teams work in.
#include <Kokkos_Core.hpp>
#include <string>

// Locks for atomics of more than 8 bytes. No kernel here has any: one that had would use an illegal address.
namespace desul::Impl {
std::int32_t* CUDA_SPACE_ATOMIC_LOCKS_DEVICE_h = nullptr;
std::int32_t* CUDA_SPACE_ATOMIC_LOCKS_NODE_h = nullptr;
}  // namespace desul::Impl

namespace Kokkos {

void Cuda::impl_initialize(const InitializationSettings& settings) {
  const int device = settings.has_device_id() ? settings.get_device_id() : 0;
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaSetDevice(device));
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGetDeviceProperties(&Impl::CudaInternal::m_deviceProp, device));
  cudaStream_t stream{};
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamCreate(&stream));
  Impl::CudaInternal::default_instance = Cuda(stream, Impl::ManageStream::yes).m_space_instance;
}

void Cuda::impl_finalize() { Impl::CudaInternal::default_instance = nullptr; }

Cuda::Cuda() : m_space_instance(Impl::CudaInternal::default_instance) {
  m_space_instance->verify_is_initialized("Cuda");
}

Cuda::Cuda(cudaStream_t stream, Impl::ManageStream manage_stream)
    : m_space_instance(new Impl::CudaInternal(stream), [manage_stream](Impl::CudaInternal* instance) {
        const auto own = manage_stream == Impl::ManageStream::yes ? instance->m_stream : nullptr;
        delete instance;
        if (own != nullptr) KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamDestroy(own));
      }) {}

const char* Cuda::name() { return "Cuda"; }
int Cuda::concurrency() const { return Impl::CudaInternal::concurrency(); }
int Cuda::cuda_device() const { return m_space_instance->m_cudaDev; }
cudaStream_t Cuda::cuda_stream() const { return m_space_instance->m_stream; }
const cudaDeviceProp& Cuda::cuda_device_prop() const { return Impl::CudaInternal::m_deviceProp; }
std::uint32_t Cuda::impl_instance_id() const noexcept { return m_space_instance->m_instance_id; }
void Cuda::fence(const std::string& name) const { m_space_instance->fence(name); }
void Cuda::impl_static_fence(const std::string& /*name*/) { KOKKOS_IMPL_CUDA_SAFE_CALL(cudaDeviceSynchronize()); }

namespace Impl {

HostSharedPtr<CudaInternal> CudaInternal::default_instance;
cudaDeviceProp CudaInternal::m_deviceProp;

CudaInternal::CudaInternal(cudaStream_t stream) : m_stream(stream) {
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGetDevice(&m_cudaDev));
  m_num_scratch_locks = static_cast<std::size_t>(concurrency());
  void* locks = nullptr;
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMalloc(&locks, m_num_scratch_locks * sizeof *m_scratch_locks));
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemset(locks, 0, m_num_scratch_locks * sizeof *m_scratch_locks));
  m_scratch_locks = static_cast<std::int32_t*>(locks);
}

CudaInternal::~CudaInternal() {
  fence();
  for (void* const memory : {static_cast<void*>(m_scratchSpace), static_cast<void*>(m_scratchFlags),
                             static_cast<void*>(m_scratchFunctor), static_cast<void*>(m_scratch_locks)}) {
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFree(memory));
  }
  for (void* const memory : m_team_scratch_ptr) KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFree(memory));
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFreeHost(m_scratchUnified));
}

int CudaInternal::concurrency() { return m_deviceProp.maxThreadsPerMultiProcessor * m_deviceProp.multiProcessorCount; }

int CudaInternal::verify_is_initialized(const char* label) const {
  if (m_cudaDev < 0) host_abort((std::string(label) + ": Kokkos has not started").c_str());
  return m_cudaDev;
}

void CudaInternal::fence() const { fence("fence"); }
void CudaInternal::fence(const std::string& /*name*/) const {
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamSynchronize(m_stream));
}

namespace {

/// Makes `memory`, of `has` bytes, one of `bytes` where it is smaller; its words are zero then.
void grow(CudaSpace::size_type*& memory, std::size_t& has, std::size_t bytes) {
  if (bytes <= has) return;
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFree(memory));
  void* larger = nullptr;
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMalloc(&larger, bytes));
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemset(larger, 0, bytes));
  memory = static_cast<CudaSpace::size_type*>(larger);
  has = bytes;
}

}  // namespace

CudaInternal::size_type* CudaInternal::scratch_space(std::size_t bytes) const {
  grow(m_scratchSpace, m_scratchSpaceCount, bytes);
  return m_scratchSpace;
}

CudaInternal::size_type* CudaInternal::scratch_flags(std::size_t bytes) const {
  grow(m_scratchFlags, m_scratchFlagsCount, bytes);
  return m_scratchFlags;
}

CudaInternal::size_type* CudaInternal::scratch_functor(std::size_t bytes) const {
  grow(m_scratchFunctor, m_scratchFunctorSize, bytes);
  return m_scratchFunctor;
}

CudaInternal::size_type* CudaInternal::scratch_unified(std::size_t bytes) const {
  if (bytes <= m_scratchUnifiedCount) return m_scratchUnified;
  fence();
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFreeHost(m_scratchUnified));
  void* larger = nullptr;
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMallocHost(&larger, bytes));
  m_scratchUnified = static_cast<size_type*>(larger);
  m_scratchUnifiedCount = bytes;
  return m_scratchUnified;
}

/// A piece of level-1 scratch that no team kernel uses.
int CudaInternal::acquire_team_scratch_space() {
  for (int piece = 0;; piece = (piece + 1) % m_n_team_scratch) {
    int unused = 0;
    if (m_team_scratch_pool[piece].compare_exchange_strong(unused, 1)) return piece;
  }
}

void CudaInternal::release_team_scratch_space(int piece) { m_team_scratch_pool[piece] = 0; }

void* CudaInternal::resize_team_scratch_space(int piece, std::int64_t bytes, bool force_shrink) {
  auto& has = m_team_scratch_current_size[piece];
  if (bytes > has || (force_shrink && bytes < has)) {
    fence();
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFree(m_team_scratch_ptr[piece]));
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMalloc(&m_team_scratch_ptr[piece], static_cast<std::size_t>(bytes)));
    has = bytes;
  }
  return m_team_scratch_ptr[piece];
}

CudaSpace::size_type* cuda_internal_scratch_space(const Cuda& space, std::size_t bytes) {
  return space.impl_internal_space_instance()->scratch_space(bytes);
}
CudaSpace::size_type* cuda_internal_scratch_flags(const Cuda& space, std::size_t bytes) {
  return space.impl_internal_space_instance()->scratch_flags(bytes);
}
CudaSpace::size_type* cuda_internal_scratch_unified(const Cuda& space, std::size_t bytes) {
  return space.impl_internal_space_instance()->scratch_unified(bytes);
}

void cuda_internal_error_throw(cudaError error, const char* call, const char* file, int line) {
  throw_runtime_exception(std::string(call) + ": " + cudaGetErrorString(error) + " (" + (file != nullptr ? file : "") +
                          ":" + std::to_string(line) + ")");
}

void cuda_internal_error_abort(cudaError error, const char* call, const char* file, int line) {
  host_abort((std::string(call) + ": " + cudaGetErrorString(error) + " (" + (file != nullptr ? file : "") + ":" +
              std::to_string(line) + ")")
                 .c_str());
}

}  // namespace Impl
}  // namespace Kokkos
