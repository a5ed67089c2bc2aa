#include "backends/kokkos/tool/counters.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <future>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "folder.hpp"

namespace gable::tool {
namespace {

using Worths = std::vector<std::pair<std::uint64_t, double>>;

Worths worths(const std::vector<CountedEvent>& events) {
  Worths list;
  for (const CountedEvent& event : events) list.emplace_back(event.config, event.worth);
  return list;
}

TEST(FlopEvents, AreThoseOfOneTypeInEveryWidthOnIntel) {
  const Processor sapphire_rapids{"GenuineIntel", 6, 0x8F, true}, broadwell{"GenuineIntel", 6, 0x4F, false};
  EXPECT_EQ(worths(flop_events(sapphire_rapids, DType::fp64)),
            (Worths{{0x01C7, 1}, {0x04C7, 2}, {0x10C7, 4}, {0x40C7, 8}}));
  EXPECT_EQ(worths(flop_events(sapphire_rapids, DType::fp32)),
            (Worths{{0x02C7, 1}, {0x08C7, 4}, {0x20C7, 8}, {0x80C7, 16}}));
  EXPECT_EQ(worths(flop_events(broadwell, DType::fp64)), (Worths{{0x01C7, 1}, {0x04C7, 2}, {0x10C7, 4}}));
}

TEST(FlopEvents, AreOfAllTypesOnZen) {
  const auto zen = [](int family, int model) {
    return worths(flop_events({"AuthenticAMD", family, model, false}, DType::fp64));
  };
  EXPECT_EQ(zen(0x17, 0x31), (Worths{{0xFF03, 1}}));  // Zen 2
  EXPECT_EQ(zen(0x19, 0x01), (Worths{{0xFF03, 1}}));  // Zen 3
  EXPECT_EQ(zen(0x19, 0x11), (Worths{{0x1F03, 1}}));  // Zen 4
  EXPECT_EQ(zen(0x19, 0x50), (Worths{{0xFF03, 1}}));  // Zen 3
  EXPECT_EQ(zen(0x19, 0xA0), (Worths{{0x1F03, 1}}));  // Zen 4c
  EXPECT_EQ(zen(0x1A, 0x02), (Worths{{0x0F03, 1}}));  // Zen 5
}

TEST(FlopEvents, AreNotGuessedOnOtherProcessors) {
  const Processor haswell{"GenuineIntel", 6, 0x3F, false}, alder_lake{"GenuineIntel", 6, 0x97, false};
  EXPECT_TRUE(flop_events(haswell, DType::fp64).empty());
  EXPECT_TRUE(flop_events(alder_lake, DType::fp64).empty());
  EXPECT_TRUE(flop_events({"AuthenticAMD", 0x15, 1, false}, DType::fp64).empty());
  EXPECT_TRUE(flop_events({}, DType::fp64).empty());
  EXPECT_TRUE(flop_events({"GenuineIntel", 6, 0x8F, true}, DType::fp16).empty());
}

TEST(Processor, IsTheFirstOfTheList) {
  const Processor one = processor_of(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Xeon\n"
      "flags\t\t: fpu avx2 avx512f avx512dq\n\nprocessor\t: 1\nmodel\t\t: 7\n");
  EXPECT_EQ(one.vendor, "GenuineIntel");
  EXPECT_EQ(one.family, 6);
  EXPECT_EQ(one.model, 0x8F);
  EXPECT_TRUE(one.avx512);
  EXPECT_FALSE(processor_of("flags\t\t: fpu avx512fp16x\n").avx512);
}

void write_intel(const test::Folder& folder, const std::string& name, const std::string& type) {
  folder.write(name + "/type", type + "\n");
  folder.write(name + "/cpumask", "0,28\n");
  folder.write(name + "/format/event", "config:0-7\n");
  folder.write(name + "/format/umask", "config:8-15\n");
  for (const char* event : {"cas_count_read", "cas_count_write"}) {
    folder.write(name + "/events/" + event + ".scale", "6.103515625e-5\n");
    folder.write(name + "/events/" + event + ".unit", "MiB\n");
  }
  folder.write(name + "/events/cas_count_read", "event=0x04,umask=0x03\n");
  folder.write(name + "/events/cas_count_write", "event=0x04,umask=0x0c\n");
}

TEST(MemoryControllers, AreThoseThatTheKernelListsForIntel) {
  const test::Folder folder;
  write_intel(folder, "uncore_imc_0", "13");
  write_intel(folder, "uncore_imc_free_running_0", "20");
  folder.write("cpu/type", "4\n");
  const auto controllers = memory_controllers(folder.path());
  ASSERT_EQ(controllers.size(), 2U);  // one a socket
  EXPECT_EQ(controllers[0].cpu, 0);
  EXPECT_EQ(controllers[1].cpu, 28);
  EXPECT_EQ(worths(controllers[0].events), (Worths{{0x0304, 64}, {0x0C04, 64}}));
  EXPECT_EQ(controllers[0].events[0].type, 13U);
}

TEST(MemoryControllers, CountCommandsOf64BytesOnAmd) {
  const test::Folder folder;
  folder.write("amd_umc_3/type", "30\n");
  folder.write("amd_umc_3/cpumask", "0\n");
  folder.write("amd_umc_3/format/event", "config:0-7\n");
  folder.write("amd_umc_3/format/rdwrmask", "config:8-9\n");
  const auto controllers = memory_controllers(folder.path());
  ASSERT_EQ(controllers.size(), 1U);
  EXPECT_EQ(worths(controllers[0].events), (Worths{{0x010A, 64}, {0x020A, 64}}));
}

TEST(MemoryControllers, AreNoneWhereOneIsNotFullyKnown) {
  const test::Folder folder;
  write_intel(folder, "uncore_imc_0", "13");
  write_intel(folder, "uncore_imc_1", "14");
  folder.write("uncore_imc_1/events/cas_count_write.unit", "Joules\n");
  EXPECT_TRUE(memory_controllers(folder.path()).empty());
  EXPECT_TRUE(memory_controllers(folder.path() / "missing").empty());
}

/// Touches so many new pages.
void touch(std::size_t pages) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, pages * page, MADV_NOHUGEPAGE);
  auto* bytes = static_cast<volatile char*>(memory);
  for (std::size_t i = 0; i < pages; ++i) bytes[i * page] = 1;
  ::munmap(memory, pages * page);
}

// The kernel's own counter of page faults is there without any hardware, and a page that is touched first is a fault.
TEST(EventGroup, CountsThreadsThatAreThereAndThoseThatFollow) {
  const std::vector<CountedEvent> faults{{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 10},
                                         {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1}};
  std::promise<void> go;
  std::thread earlier([ready = go.get_future()]() mutable {
    ready.wait();
    touch(300);
  });
  std::vector<EventGroup> groups;
  try {
    groups = count_threads(faults);
  } catch (const std::system_error& error) {
    go.set_value();
    earlier.join();
    GTEST_SKIP() << "this machine lets nobody count: " << error.what();
  }
  const auto sum = [&] {
    return std::accumulate(groups.begin(), groups.end(), 0.0,
                           [](double all, const EventGroup& one) { return all + one.read().value_or(-1e9); });
  };
  const double before = sum();
  go.set_value();
  earlier.join();
  touch(200);
  std::thread(touch, 400).join();
  const double pages = (sum() - before) / 10;
  EXPECT_GE(pages, 900);
  EXPECT_LT(pages, 900 + 200);  // stacks and tables of threads
}

TEST(EventGroup, SaysWhatCannotBeCounted) {
  const std::vector<CountedEvent> unknown{{0xFFFF, 1, 1}};
  EXPECT_THROW(EventGroup(unknown, 0, -1), std::system_error);
}

}  // namespace
}  // namespace gable::tool
