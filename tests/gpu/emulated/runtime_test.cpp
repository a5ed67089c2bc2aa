#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/gpu/emulated/runtime/device.hpp"
#include "tests/gpu/emulated/runtime/fat_binary.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
extern const char gable_emulated_device[];
}

namespace gable::emulated {
namespace {

/// add(to, n): to[i] += n * step[0] for each thread i of the grid; step is 3 unless it is set.
const std::string source = R"(
.version 9.0
.target sm_80
.address_size 64
.const .align 4 .u32 step[2] = {3, 0};
.visible .entry add(.param .u64 to, .param .u32 n)
.maxntid 256, 1, 1
{
.reg .b32 %r<9>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [n]; ld.const.u32 %r2, [step];
mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
mad.lo.u32 %r5, %r3, %r4, %r5; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd1, %rd1, %rd2;
ld.global.u32 %r6, [%rd1]; mul.lo.u32 %r7, %r1, %r2; add.u32 %r6, %r6, %r7; st.global.u32 [%rd1], %r6;
}
)";

/// A fat binary as nvcc writes it into a program: a header, and a part with its header for each PTX.
struct Program {
  std::vector<std::byte> bytes;
  struct {
    std::int32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    void* name = nullptr;
  } wrapper;
  char add = 0, step = 0;  ///< their addresses are the host's names of the kernel and the variable

  explicit Program(const std::vector<std::string>& ptx = {source}, std::uint32_t compressed_bytes = 0) {
    put<std::uint32_t>({0xba55ed50, 1 | 16 << 16, 0, 0});
    for (const std::string& text : ptx) {
      const std::size_t padded = (text.size() + 8) / 8 * 8;
      put<std::uint32_t>({1 | 0x101 << 16, 64, static_cast<std::uint32_t>(padded), 0, compressed_bytes});  // 1: PTX
      bytes.resize(bytes.size() + 44);
      const auto* begin = reinterpret_cast<const std::byte*>(text.data());
      bytes.insert(bytes.end(), begin, begin + text.size());
      bytes.resize(bytes.size() + padded - text.size());
    }
    const std::uint64_t length = bytes.size() - 16;
    std::memcpy(&bytes[8], &length, sizeof length);
    wrapper.data = bytes.data();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  template <class T>
  void put(std::initializer_list<T> values) {
    const auto* begin = reinterpret_cast<const std::byte*>(values.begin());
    bytes.insert(bytes.end(), begin, begin + values.size() * sizeof(T));
  }
  void enter() {
    void** binary = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(binary, &add, nullptr, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(binary, &step, nullptr, "step", 0, 8, 1, 0);
  }
  cudaError_t launch(std::uint32_t* to, std::uint32_t n, dim3 grid = 2, dim3 block = 32, std::size_t shared_bytes = 0,
                     cudaStream_t stream = nullptr) {
    void* arguments[] = {&to, &n};
    return cudaLaunchKernel(&add, grid, block, arguments, shared_bytes, stream);
  }
};

/// One program for all tests: what is registered stays.
Program& program() {
  static Program& it = *[] {
    auto* made = new Program;
    made->enter();
    return made;
  }();
  return it;
}

constexpr std::size_t count = 64;

/// 64 numbers on the device, zeros at first.
struct Numbers {
  std::uint32_t* memory = nullptr;
  Numbers() {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), count * 4), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory, 0, count * 4), cudaSuccess);
  }
  ~Numbers() { cudaFree(memory); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  std::vector<std::uint32_t> values() const {
    std::vector<std::uint32_t> host(count);
    EXPECT_EQ(cudaMemcpy(host.data(), memory, count * 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return host;
  }
};

std::vector<std::uint32_t> all(std::uint32_t value) { return std::vector<std::uint32_t>(count, value); }

TEST(EmulatedRuntime, LaunchesKernelsWithArgumentsAndVariables) {
  Numbers numbers;
  ASSERT_EQ(program().launch(numbers.memory, 5), cudaSuccess);
  EXPECT_EQ(numbers.values(), all(15));
  const std::uint32_t step = 10;
  ASSERT_EQ(cudaMemcpyToSymbol(&program().step, &step, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(program().launch(numbers.memory, 1), cudaSuccess);
  EXPECT_EQ(numbers.values(), all(25));
  const std::uint32_t usual = 3;
  ASSERT_EQ(cudaMemcpyToSymbol(&program().step, &usual, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(&program().step, &usual, 4, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&program().add, &usual, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(EmulatedRuntime, RefusesCopiesOutsideOfAllocations) {
  Numbers numbers;
  std::vector<std::uint32_t> host(2 * count);
  const auto copy = [](void* to, const void* from, cudaMemcpyKind kind) {
    return cudaMemcpy(to, from, 4 * count, kind);
  };
  EXPECT_EQ(copy(numbers.memory + 1, host.data(), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(numbers.memory + 1, host.data(), cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host.data(), numbers.memory + 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host.data(), host.data() + count, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(host.data(), numbers.memory, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemset(numbers.memory, 0, 4 * count + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(host.data(), 0, 4), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(EmulatedRuntime, KnowsItsAllocations) {
  void *device_memory = nullptr, *pinned = nullptr, *managed = nullptr, *huge = nullptr;
  ASSERT_EQ(cudaMalloc(&device_memory, 100), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 100, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&huge, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  const auto type_of = [](const void* address) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, address), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type_of(static_cast<char*>(device_memory) + 99), cudaMemoryTypeDevice);
  EXPECT_EQ(type_of(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type_of(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(type_of(&device_memory), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFree(device_memory), cudaSuccess);
  EXPECT_EQ(cudaFree(device_memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  cudaGetLastError();
}

TEST(EmulatedRuntime, CapturesWorkIntoGraphs) {
  Numbers numbers;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(program().launch(numbers.memory, 1, 2, 32, 0, stream), cudaSuccess);
  EXPECT_EQ(program().launch(numbers.memory, 2, 2, 32, 0, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(numbers.values(), all(0));
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(numbers.values(), all(18));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(program().launch(numbers.memory, 1, 2, 32, 0, stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST(EmulatedRuntime, TimesBetweenEvents) {
  cudaEvent_t start = nullptr, stop = nullptr;
  float milliseconds = -1;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&stop, cudaEventDefault), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventRecord(stop, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
  cudaGetLastError();
}

TEST(EmulatedRuntime, RefusesLaunchesThatTheDeviceWould) {
  Numbers numbers;
  auto& it = program();
  EXPECT_EQ(it.launch(numbers.memory, 1, 1, 2048), cudaErrorInvalidConfiguration);
  EXPECT_EQ(it.launch(numbers.memory, 1, {1, 65536, 1}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(it.launch(numbers.memory, 1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(it.launch(numbers.memory, 1, 1, 257), cudaErrorLaunchOutOfResources);
  constexpr int usual_limit = 48 * 1024, opt_in = 227 * 1024;
  EXPECT_EQ(it.launch(numbers.memory, 1, 2, 32, usual_limit), cudaSuccess);
  EXPECT_EQ(it.launch(numbers.memory, 1, 2, 32, usual_limit + 1), cudaErrorInvalidValue);
  const auto allow = [&](int bytes) {
    return cudaFuncSetAttribute(&it.add, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  EXPECT_EQ(allow(opt_in + 1), cudaErrorInvalidValue);
  EXPECT_EQ(allow(opt_in), cudaSuccess);
  EXPECT_EQ(it.launch(numbers.memory, 1, 2, 32, opt_in), cudaSuccess);
  EXPECT_EQ(numbers.values(), all(6));
  EXPECT_EQ(allow(usual_limit), cudaSuccess);
  void* none = nullptr;
  EXPECT_EQ(cudaLaunchKernel(&numbers, 1, 1, &none, 0, nullptr), cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST(EmulatedRuntime, TellsWhatKernelsAndTheDeviceAre) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &program().add), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 256);
  EXPECT_EQ(attributes.sharedSizeBytes, 0U);
  const auto blocks = [](std::size_t shared_bytes) {
    int count_of_blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count_of_blocks, &program().add, 256, shared_bytes);
    return count_of_blocks;
  };
  EXPECT_EQ(blocks(0), 8);          // 2048 threads
  EXPECT_EQ(blocks(75 * 1024), 3);  // 228 KiB, of which each takes one more
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "emulated NVIDIA sm_90a");
  EXPECT_STREQ(gable_emulated_device, properties.name);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, 227U * 1024);
  int khz = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), cudaSuccess);
  EXPECT_GT(khz, 0);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&khz, cudaDevAttrTccDriver, 0), cudaErrorNotSupported);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorNotSupported");
}

TEST(EmulatedRuntime, TakesThePtxOfTheDevice) {
  const auto best = [](const std::vector<std::string>& archs, const std::string& device_arch) {
    std::vector<std::string> ptx;
    for (const std::string& arch : archs) ptx.push_back("\n.version 9.0\n.target sm_" + arch + "\n.address_size 64\n");
    return best_ptx(ptx, device_arch);
  };
  EXPECT_EQ(best({"80", "90a", "90"}, "90a"), 1);
  EXPECT_EQ(best({"80", "90", "100"}, "90a"), 1);
  EXPECT_EQ(best({"80", "90a"}, "100"), 0);
  EXPECT_EQ(best({"90", "80"}, "100"), 0);
  EXPECT_EQ(best({"90", "90a"}, "80"), -1);
}

/// Registers a program, launches it, and ends with the error, or with 0 if the sums are 5 times `factor`.
[[noreturn]] void run_and_exit(const std::vector<std::string>& ptx, std::uint32_t factor = 3) {
  Program changed(ptx);
  changed.enter();
  Numbers numbers;
  if (const cudaError_t error = changed.launch(numbers.memory, 5); error != cudaSuccess) std::_Exit(error % 256);
  std::_Exit(numbers.values() == all(5 * factor) ? 0 : 255);
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = source;
  return text.replace(text.find(from), from.size(), to);
}

TEST(RuntimeDeathTest, AFaultOfAKernelStays) {
  const auto fault = [] {
    Program wrong({with("[%rd1], %r6", "[%rd1+65536], %r6")});
    wrong.enter();
    Numbers numbers;
    const cudaError_t error = wrong.launch(numbers.memory, 1);
    void* more = nullptr;
    const bool stays = error == cudaErrorLaunchFailure && cudaGetLastError() == error && cudaGetLastError() == error &&
                       cudaMalloc(&more, 4) == error && cudaDeviceSynchronize() == error;
    std::_Exit(stays ? 0 : 1);
  };
  EXPECT_EXIT(fault(), testing::ExitedWithCode(0), "emulated device: kernel add, block .*st.global.u32");
}

TEST(RuntimeDeathTest, RefusesWhatItCannotRun) {
  EXPECT_EXIT(run_and_exit({with("sm_80", "sm_100")}), testing::ExitedWithCode(cudaErrorNoKernelImageForDevice),
              "no PTX for 90a has kernel add");
  EXPECT_EXIT(Program({source}, 100).enter(), testing::ExitedWithCode(2), "--no-compress");
}

TEST(RuntimeDeathTest, PutsFaultsIntoThePtx) {
  const auto replaced = [](const char* replacement, std::uint32_t factor) {
    setenv("EMULATED_REPLACE", replacement, 1);
    run_and_exit({source}, factor);
  };
  EXPECT_EXIT(replaced("mul.lo.u32=>add.u32", 3), testing::ExitedWithCode(255), "");
  EXPECT_EXIT(replaced("{3, 0}=>{7, 0}", 7), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(replaced("fence.acquire=>", 3), testing::ExitedWithCode(2),
              "no PTX of the program holds 'fence.acquire'");
  EXPECT_EXIT(replaced("add.u32", 3), testing::ExitedWithCode(2), "EMULATED_REPLACE is 'add.u32'");
}

TEST(RuntimeDeathTest, RefusesUnknownDevices) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts this program again
  const auto expect_refusal = [](const char* variable, const char* value, const char* words) {
    setenv(variable, value, 1);
    EXPECT_EXIT(std::_Exit(0), testing::ExitedWithCode(2), words);
    unsetenv(variable);
  };
  expect_refusal("EMULATED_ARCH", "70", "EMULATED_ARCH is '70'; it can be 80, 90a or 100");
  expect_refusal("EMULATED_MULTIPROCESSORS", "many", "EMULATED_MULTIPROCESSORS is 'many'");
}

}  // namespace
}  // namespace gable::emulated
