// Stand-in for the part of Kokkos' core library that owns memory: allocations of views with their labels and counts of
// owners, on the host and on the device, and copies between them.
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <cstring>
#include <string>

#define KOKKOS_IMPL_PUBLIC_INCLUDE  // the definitions that the library instantiates are no public header
#include <impl/Kokkos_SharedAlloc_timpl.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE

namespace Kokkos {

void* HostSpace::allocate(const char* label, std::size_t bytes, std::size_t logical_bytes) const {
  constexpr std::size_t alignment = 64;
  void* const data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (data == nullptr) Impl::throw_bad_alloc(name(), logical_bytes, label);
  return data;
}

void HostSpace::deallocate(const char* /*label*/, void* data, std::size_t /*bytes*/,
                           std::size_t /*logical_bytes*/) const {
  std::free(data);
}

CudaSpace::CudaSpace() : m_device(Cuda().cuda_device()), m_stream(nullptr) {}

void* CudaSpace::allocate(const Cuda& space, const char* label, std::size_t bytes, std::size_t logical_bytes) const {
  void* data = nullptr;
  if (space.impl_internal_space_instance()->cuda_malloc_wrapper(&data, bytes) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    Impl::throw_bad_alloc(name(), logical_bytes, label);
  }
  return data;
}

void* CudaSpace::allocate(const char* label, std::size_t bytes, std::size_t logical_bytes) const {
  return allocate(Cuda(), label, bytes, logical_bytes);
}

void CudaSpace::deallocate(const char* /*label*/, void* data, std::size_t /*bytes*/,
                           std::size_t /*logical_bytes*/) const {
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaFree(data));
}

namespace Impl {

void DeepCopyCuda(void* to, const void* from, std::size_t bytes) {
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

void DeepCopyAsyncCuda(const Cuda& space, void* to, const void* from, std::size_t bytes) {
  KOKKOS_IMPL_CUDA_SAFE_CALL(
      space.impl_internal_space_instance()->cuda_memcpy_async_wrapper(to, from, bytes, cudaMemcpyDefault));
}

SharedAllocationRecord<void, void>::SharedAllocationRecord(SharedAllocationHeader* data, std::size_t bytes,
                                                           function_type release, const std::string& label)
    : m_alloc_ptr(data), m_alloc_size(bytes), m_dealloc(release), m_count(0), m_label(label) {}

void SharedAllocationRecord<void, void>::increment(SharedAllocationRecord* record) {
  atomic_fetch_add(&record->m_count, 1);
}

SharedAllocationRecord<void, void>* SharedAllocationRecord<void, void>::decrement(SharedAllocationRecord* record) {
  if (atomic_fetch_sub(&record->m_count, 1) > 1) return record;
  if (is_finalized()) host_abort(("the view '" + record->m_label + "' outlives Kokkos").c_str());
  record->m_dealloc(record);
  return nullptr;
}

void fill_host_accessible_header_info(SharedAllocationRecord<void, void>* record, SharedAllocationHeader& header,
                                      const std::string& label) {
  header.m_record = record;
  std::strncpy(header.m_label, label.c_str(), SharedAllocationHeader::maximum_label_length - 1);
  header.m_label[SharedAllocationHeader::maximum_label_length - 1] = '\0';
}

}  // namespace Impl
}  // namespace Kokkos

KOKKOS_IMPL_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(Kokkos::HostSpace);
KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(Kokkos::CudaSpace);
