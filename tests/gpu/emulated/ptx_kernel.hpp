#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/machine/launch.hpp"
#include "tests/gpu/emulated/ptx/module.hpp"

namespace gable::emulated {

using Words = std::vector<std::uint32_t>;

/// A buffer in the device's memory, copied back at its end. Its address becomes a parameter of a launch.
struct DeviceBuffer {
  void* host;
  std::size_t bytes;
  std::byte* memory = allocate(bytes);

  template <class T>
  DeviceBuffer(std::vector<T>& from, Launch& launch) : host(from.data()), bytes(from.size() * sizeof(T)) {
    std::memcpy(memory, host, bytes);
    const auto* address = reinterpret_cast<const std::byte*>(&memory);
    launch.parameters.insert(launch.parameters.end(), address, address + sizeof memory);
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() {
    std::memcpy(host, memory, bytes);
    try {
      release(memory);
    } catch (const EmulationError&) {  // check_guard_zones() has said it
    }
  }
};

/// A kernel for tests. Its statements may use the registers %p (predicates), %h (16 bits), %r (32), %rd (64), %f (fp32)
/// and %fd (fp64), each from 0 to 255. %b0, %b1 … hold the addresses of the buffers that run() gets, %o1, %o2, %o4, %o8
/// and %o16 the thread's number in its block times 1, 2, 4, 8 and 16 (all of 64 bits).
struct PtxKernel {
  std::string statements;
  std::string declarations{};  ///< of the module, before the kernel: variables and functions
  std::uint32_t threads = 32, blocks = 1;
  std::uint64_t dynamic_shared_bytes = 0;
  int warp_order = 0;
  std::uint64_t limit = std::uint64_t{1} << 20;  ///< instructions of a warp

  /// Puts `to` everywhere in place of `from`, which the statements must hold: a test that a fault is found.
  PtxKernel with(std::string_view from, std::string_view to) const {
    PtxKernel changed = *this;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = changed.statements.find(from, at)) != std::string::npos; at += to.size(), ++count) {
      changed.statements.replace(at, from.size(), to);
    }
    if (count == 0) throw std::logic_error("the kernel holds no " + std::string(from));
    return changed;
  }

  std::string source(std::size_t buffers) const {
    std::string parameters, loads;
    for (std::size_t i = 0; i < buffers; ++i) {
      const std::string number = std::to_string(i);
      parameters += (i == 0 ? ".param .u64 buffer_" : ", .param .u64 buffer_") + number;
      loads += "ld.param.u64 %b" + number + ", [buffer_" + number + "];\n";
    }
    return ".version 9.0\n.target sm_90a\n" + declarations + "\n.visible .entry kernel(" + parameters + ") {" + R"(
      .reg .pred %p<256>; .reg .b16 %h<256>; .reg .b32 %r<256>, %number; .reg .b64 %rd<256>, %b<16>, %o<17>;
      .reg .f32 %f<256>; .reg .f64 %fd<256>;
      mov.u32 %number, %tid.x; cvt.u64.u32 %o1, %number; shl.b64 %o2, %o1, 1; shl.b64 %o4, %o1, 2;
      shl.b64 %o8, %o1, 3; shl.b64 %o16, %o1, 4;
      )" + loads +
           statements + "\n}\n";
  }

  /// Runs it. Buffers are copied to the device's memory before and back after it, even if it throws EmulationError.
  template <class... T>
  void run(std::vector<T>&... buffers) const {
    Module module(source(sizeof...(buffers)));
    Launch launch{
        module.functions.at("kernel").get(), {blocks}, {threads}, {}, dynamic_shared_bytes, warp_order, false, limit};
    std::list<DeviceBuffer> copies;
    (copies.emplace_back(buffers, launch), ...);
    emulated::run(launch);
    check_guard_zones();
  }

  /// What is wrong with it: the message of the EmulationError that run() throws, empty if it throws none.
  template <class... T>
  std::string failure(std::vector<T>&... buffers) const {
    try {
      run(buffers...);
    } catch (const EmulationError& error) {
      return error.what();
    }
    return "";
  }
};

/// Whether a message has a part.
inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A change of a kernel's text, and words of the message that finds it; without words it is none.
struct Fault {
  std::string from, to, words;
};

/// Each fault, put into the kernel, is found for what it is.
template <class... T>
void expect_faults(const PtxKernel& right, const std::vector<Fault>& faults, std::vector<T>... buffers) {
  for (const Fault& fault : faults) {
    const std::string found = right.with(fault.from, fault.to).failure(buffers...);
    EXPECT_TRUE(fault.words.empty() ? found.empty() : holds(found, fault.words)) << fault.to << ": " << found;
  }
}

/// What `statements` leave in register `result` ("%r9", of `bits` bits) of each lane. Lane l finds inputs[i][l] in
/// %rd<i>, and its lower bits in %r<i> and %h<i>, and as numbers in %fd<i> and %f<i>. Lanes without an input find 0.
inline std::vector<std::uint64_t> in_lanes(const std::string& statements, const std::string& result, int bits,
                                           const std::vector<std::vector<std::uint64_t>>& inputs) {
  constexpr std::size_t lanes = 32;
  std::vector<std::uint64_t> in(inputs.size() * lanes), out(lanes);
  PtxKernel kernel{"add.s64 %b0, %b0, %o8;\nadd.s64 %b1, %b1, %o8;\n"};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() > lanes) throw std::logic_error("more inputs than lanes");
    std::memcpy(in.data() + i * lanes, inputs[i].data(), inputs[i].size() * sizeof in[0]);
    const std::string to = std::to_string(i) + ", [%b0+" + std::to_string(i * lanes * sizeof in[0]) + "];\n";
    kernel.statements += "ld.global.b64 %rd" + to + "ld.global.b32 %r" + to + "ld.global.b16 %h" + to +
                         "ld.global.f64 %fd" + to + "ld.global.f32 %f" + to;
  }
  kernel.statements += statements + "\nst.global.b" + std::to_string(bits) + " [%b1], " + result + ";\n";
  kernel.run(in, out);
  return out;
}

}  // namespace gable::emulated
