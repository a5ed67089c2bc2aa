#pragma once
#include <cstddef>
#include <functional>

/// What the other stand-ins ask of the one for CUDA's runtime.
namespace stand_in {

bool is_device_memory(const void* from, std::size_t bytes);
/// Done when somebody waits, in the order of the calls.
void hand_over(std::function<void()> work);
int device();

}  // namespace stand_in
