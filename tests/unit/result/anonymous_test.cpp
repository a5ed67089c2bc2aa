#include "core/result/anonymous.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/result/anonymous_text.hpp"
#include "core/result/json.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/verdict/validate.hpp"
#include "files.hpp"
#include "sample.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

using nlohmann::json;
using result::anonymous;

/// A result in which everything that may name a machine or its user does.
Result telling() {
  Result result = test::full_result();
  result.run.hostname = "bert17.cluster.example.edu";
  result.run.kernel = "Linux 6.1.0-18-cloud-amd64 x86_64";
  result.run.command_line = {"/home/alice17/gable/build/gable",
                             "measure",
                             "--output",
                             "alices-machine",
                             "--census=/data/secret.csv",
                             "secret.json",
                             "--dtype",
                             "fp32,fp64",
                             "--params",
                             "matrix=near.mtx",
                             "--quick"};
  result.run.facts = {{"hypervisor", "KVM", "CPUID leaf 0x40000000"},
                      {"KOKKOS_TOOLS_LIBS", "/opt/site/libtool.so", "environment"},
                      {"OMP_PLACES", "{0:4:1},{8:4:1}", "environment"},
                      {"CUDA_VISIBLE_DEVICES", "GPU-8f6a1b2c-0000-1111-2222-333344445555", "environment"}};
  result.build.flags = "-O3 -march=native -I/home/alice17/include -isystem /opt/site/include -ffile-prefix-map=/a/b=/c";
  result.workers[0].second.libraries.emplace_back("hipblaslt", "0.10.1.2");
  result.devices[0].facts = {{"governor", "performance", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
                             {"kernel", "6.1.0-18-cloud-amd64", "/proc/sys/kernel/osrelease"},
                             {"UUID", "GPU-8f6a1b2c-0000-1111-2222-333344445555", "CUDA runtime"},
                             {"PCI bus", "0000:41:00.0", "CUDA runtime"},
                             {"L2", "50 MB", "/sys/bus/pci/devices/0000:41:00.0/cache"}};
  result.ceilings[0].reason =
      "worker ended with signal 6: /home/alice17/lib/libblas.so: cannot open (bert17, 10.11.12.13)";
  Point sparse = test::full_point();
  sparse.op = "spmv_csr";
  sparse.params = "matrix=/data/near.mtx,rows=1,per_row=1";
  sparse.id = "point/spmv_csr/kokkos/fp16/" + sparse.params;
  result.points.push_back(sparse);
  result.request->cases.push_back({.op = "spmv_csr", .params = {Params::parse("matrix=/data/near.mtx")}});
  result.notes = {"openmp on bert17: started again at 2026-01-31T12:01:02Z, mail alice17@cluster.example.edu"};
  return result;
}

/// The same document without its texts and moments: what is left are figures, and where they stand.
json figures(json document) {
  if (document.is_string()) return "";
  if (document.is_object()) document.erase("rounds_ended_s");
  for (auto& entry : document)
    if (document.is_structured()) entry = figures(entry);
  return document;
}

TEST(Anonymous, NothingTellsWhoseMachineItWas) {
  const std::string text = result::to_json(anonymous(telling())).dump();
  for (const char* secret : {"bert17", "cluster", "alice", "home", "18-cloud", "/data", "secret", "near.mtx", "/opt",
                             "8f6a1b2c", "41:00", "12:00:00", "12:01:02", "10.11.12.13", "/a/b", "=/c"}) {
    EXPECT_EQ(text.find(secret), text.npos) << secret;
  }
}

TEST(Anonymous, FilesOfRoofsAreNotNamed) {
  Result before = telling();
  before.run.command_line = {"gable", "run", "--roofs", "alices-a.json", "alices-b", "--dtype", "fp32"};
  before.run.facts.push_back({"roofs", "alices-a.json", "command line"});
  before.notes.emplace_back("the points of openmp were placed by the ceilings of alices-a.json (full)");
  const Result after = anonymous(before);
  EXPECT_EQ(after.run.command_line,
            (std::vector<std::string>{"gable", "run", "--roofs", "FILE", "FILE", "--dtype", "fp32"}));
  EXPECT_EQ(after.run.facts.back().value, "FILE");
  EXPECT_EQ(result::to_json(after).dump().find("alices"), std::string::npos);
  EXPECT_EQ(result::to_json(anonymous(after)).dump(), result::to_json(after).dump());
}

TEST(Anonymous, WhatExplainsTheFiguresStays) {
  const Result before = telling(), after = anonymous(before);
  EXPECT_EQ(after.build.flags, "-O3 -march=native -IPATH -isystem PATH -ffile-prefix-map=PATH=PATH");
  EXPECT_EQ(after.build.commit, before.build.commit);
  EXPECT_EQ(after.build.compiler, before.build.compiler);
  EXPECT_EQ(after.workers[0].second.libraries, before.workers[0].second.libraries);
  const std::vector<std::string> command{"gable",   "measure",   "--output", "FILE",        "--census=FILE", "FILE",
                                         "--dtype", "fp32,fp64", "--params", "matrix=FILE", "--quick"};
  EXPECT_EQ(after.run.command_line, command);
  EXPECT_EQ(after.run.kernel, "Linux 6.1.0 x86_64");
  EXPECT_EQ(after.run.started_at, "2026-01-31");
  EXPECT_EQ(after.run.os, before.run.os);
  EXPECT_EQ(after.run.facts[0].value, "KVM");
  EXPECT_EQ(after.run.facts[1].value, "PATH");
  EXPECT_EQ(after.run.facts[2].value, "{0:4:1},{8:4:1}");
  ASSERT_EQ(after.devices[0].facts.size(), 3U) << "those of one card are gone";
  EXPECT_EQ(after.devices[0].facts[0].source, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  EXPECT_EQ(after.devices[0].facts[1].value, "6.1.0");
  EXPECT_EQ(after.devices[0].facts[2].source, "/sys/bus/pci/devices/ID/cache");
  EXPECT_EQ(after.devices[0].name, before.devices[0].name);
  EXPECT_EQ(after.ceilings[0].reason, "worker ended with signal 6: PATH: cannot open (anonymous, ADDRESS)");
  EXPECT_EQ(after.points[1].params, "matrix=FILE1.mtx,rows=1,per_row=1");
  EXPECT_EQ(after.points[1].id, "point/spmv_csr/kokkos/fp16/" + after.points[1].params);
  EXPECT_EQ(after.request->cases.at(0).label, before.request->cases.at(0).label);
  EXPECT_EQ(after.request->cases.at(1).params.at(0).to_string(), "matrix=FILE1.mtx");
}

TEST(Anonymous, FiguresAreTheSameBitByBit) {
  const json before = result::to_json(telling()), after = result::to_json(anonymous(telling()));
  for (const char* rows : {"ceilings", "curves", "points"})
    EXPECT_EQ(figures(before[rows]).dump(), figures(after[rows]).dump());
}

/// The rounds of full_estimate() end 0, 5.125, 11 and 20.5 s after the first.
TEST(Anonymous, MomentsAreMovedTogetherToATimeThatNobodyTook) {
  Result before = telling();
  for (double& end_s : before.points[0].time.ended_s) end_s += 100;
  const Result after = anonymous(before);
  const double begin_s = after.ceilings[0].value.ended_s.at(0);
  EXPECT_GT(std::abs(begin_s - before.ceilings[0].value.ended_s.at(0)), 86400);
  const double ends_s[] = {0, 5.125, 11, 20.5};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(after.ceilings[0].value.ended_s.at(i), begin_s + ends_s[i], 1e-3);
    EXPECT_NEAR(after.points[0].time.ended_s.at(i), begin_s + 100 + ends_s[i], 1e-3);
  }
  before.points[0].time.samples[0] *= 1.0001;  // another run
  EXPECT_GT(std::abs(anonymous(before).ceilings[0].value.ended_s.at(0) - begin_s), 86400);
}

TEST(Anonymous, TwiceIsTheSameAsOnce) {
  const Result once = anonymous(telling());
  EXPECT_EQ(result::to_json(anonymous(once)).dump(1), result::to_json(once).dump(1));
}

/// Texts of a document that are no enumerated name, as their JSON pointers.
std::vector<json::json_pointer> free_texts(const json& document) {
  std::vector<json::json_pointer> found;
  const json flat = document.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_string()) continue;
    json changed = document;
    changed[json::json_pointer(pointer)] = "something else";
    if (error_of([&] { result::result_from_json(changed); }).empty()) found.emplace_back(pointer);
  }
  return found;
}

TEST(Anonymous, EveryTextIsCleanedOrRefusedByName) {
  const json document = result::to_json(telling());
  const auto texts = free_texts(document);
  EXPECT_GT(texts.size(), 100U);
  for (const auto& pointer : texts) {
    json changed = document;
    changed[pointer] = "of bob17 on bert17, in /home/bob17/x";
    if (pointer == json::json_pointer("/run/hostname")) changed[pointer] = "bert17";
    const Result told = result::result_from_json(changed);
    std::string after;
    const std::string error = error_of([&] { after = result::to_json(anonymous(told)).dump(); });
    if (!error.empty()) {
      EXPECT_TRUE(error.starts_with(pointer.to_string() + ": ")) << pointer << " " << error;
      continue;
    }
    for (const char* secret : {"bob17", "bert17", "/home"}) EXPECT_EQ(after.find(secret), after.npos) << pointer;
  }
}

TEST(Anonymous, AFieldThatMustStayIsRefused) {
  Result result = telling();
  result.devices[0].isa[1] = "bert17";
  EXPECT_NE(error_of([&] { anonymous(result); }).find("/devices/0/isa/1"), std::string::npos);
}

TEST(Anonymous, HostsThatAreOrdinaryWordsLeaveTextsAlone) {
  Result result = test::full_result();
  result.run.hostname = "node";
  result.points[0].reason = "more than one memory node per core";
  const Result after = anonymous(result);
  EXPECT_EQ(after.run.hostname, "anonymous");
  EXPECT_EQ(after.points[0].reason, result.points[0].reason);
}

TEST(Anonymous, HostsNamedAsAnOperatorOrAProductLeaveRowsAndDevicesAlone) {
  for (const char* host : {"gemm", "A100", "xeon.cluster.example.edu"}) {
    Result result = test::full_result();
    result.run.hostname = host;
    result.points[0].op = "gemm";
    result.devices[0].name = "Intel Xeon beside an A100";
    const Result after = anonymous(result);
    EXPECT_EQ(after.run.hostname, "anonymous");
    EXPECT_EQ(after.points[0].op, "gemm");
    EXPECT_EQ(after.devices[0].name, result.devices[0].name);
  }
}

TEST(Anonymous, HostsAreFoundInSmallAndInCapitalLetters) {
  Result result = telling();
  result.run.hostname = "BERT17.Cluster.Example.edu";
  const std::string text = result::to_json(anonymous(result)).dump();
  for (const char* secret : {"bert17", "BERT17", "cluster", "Cluster"})
    EXPECT_EQ(text.find(secret), text.npos) << secret;
}

TEST(Anonymous, AnIdentityInAFieldOfFixedWordsIsRefused) {
  for (const char* identity : {"GPU-8f6a1b2c-0000-1111-2222-333344445555", "00:1a:2b:3c:4d:5e", "carol@ernie"}) {
    Result result = telling();
    result.devices[0].isa[1] = identity;
    EXPECT_NE(error_of([&] { anonymous(result); }).find("/devices/0/isa/1"), std::string::npos) << identity;
  }
}

TEST(Anonymous, AUserNamedAsAnImplementationLeavesRowsAlone) {
  Result result = test::full_result();
  result.build.flags = "-I/home/kokkos/include";
  const Result after = anonymous(result);
  EXPECT_EQ(after.points[0].implementation, "kokkos");
  EXPECT_EQ(after.points[0].id, result.points[0].id);
}

TEST(Anonymous, HostsOfAMergedResultStayApart) {
  std::array<Result, 2> results{telling(), telling()};
  results[1].run.hostname = "ernie";
  const Result after = anonymous(result::merge(results));
  EXPECT_EQ(after.run.hostname, "anonymous1,anonymous2");
  ASSERT_EQ(after.devices.size(), 2U);
  EXPECT_EQ(after.devices[0].id, "anonymous1:openmp");
  EXPECT_EQ(after.devices[1].id, "anonymous2:openmp");
  EXPECT_EQ(after.ceilings.back().device, "anonymous2:openmp");
  EXPECT_EQ(result::to_json(after).dump().find("ernie"), std::string::npos);
  EXPECT_EQ(result::to_json(anonymous(after)).dump(), result::to_json(after).dump());
}

TEST(Anonymous, TwoOfThemAreNotKnownToBeOneMachine) {
  Result calibration = telling(), run = telling();
  calibration.points.clear();
  run.ceilings.clear();
  calibration.curves.clear();
  run.curves.clear();
  for (Ceiling& row : calibration.ceilings) row.scope = Scope::node;
  for (Point& row : run.points) row.scope = Scope::node;
  EXPECT_EQ(result::merge(std::array{calibration, run}).devices.size(), 1U);
  EXPECT_EQ(result::merge(std::array{anonymous(calibration), anonymous(run)}).devices.size(), 2U);
}

using AnonymousFile = test::FolderTest;

TEST_F(AnonymousFile, FitsTheSchema) {
  result::save(anonymous(telling()), file("r.json"));
  for (const auto& finding : verdict::validate_file(file("r.json")))
    ADD_FAILURE() << finding.where << ": " << finding.what;
}

TEST(AnonymousText, TakesOutWhatNamesAMachineAndNothingElse) {
  struct Case {
    const char *before, *after;
  };
  result::AnonymousText cleaner;
  for (const auto& [before, after] :
       {Case{"12.5 GB/s, 16 flop/cycle and/or N/A; GNU/Linux", "12.5 GB/s, 16 flop/cycle and/or N/A; GNU/Linux"},
        Case{"https://www.example.org/a/b (page 3)", "https://www.example.org/a/b (page 3)"},
        Case{"see file:///srv/x.pdf", "see file:PATH"}, Case{"\"/opt/a b\"", "\"PATH b\""},
        Case{"LD_LIBRARY_PATH=/opt/a:/opt/b", "LD_LIBRARY_PATH=PATH"},
        Case{"~/x and $HOME/y and ../z/w", "PATH and PATH and PATH"},
        Case{"mail carol@ernie, or @ noon", "mail USER, or @ noon"},
        Case{"rate: RRZE-HPC/OSACA@e00d5f61 osaca/data/spr.yml", "rate: RRZE-HPC/OSACA@e00d5f61 osaca/data/spr.yml"},
        Case{"mail x/carol@ernie", "mail USER"}, Case{"about ~5 % of 1 / 2", "about ~5 % of 1 / 2"},
        Case{"/proc/meminfo, /sys/class/dmi/id", "/proc/meminfo, /sys/class/dmi/id"},
        Case{"/sys/fs/cgroup/user.slice/user-1000.slice", "PATH"},
        Case{"card 0000:c1:00.0 of 00:1a:2b:3c:4d:5e", "card ID of ADDRESS"},
        Case{"10.1.2.3:8080 fe80::1ff:fe23:4567:890a.", "ADDRESS ADDRESS."},
        Case{"std::bad_alloc, Kokkos::abort, 3.11.3, 0-3:2", "std::bad_alloc, Kokkos::abort, 3.11.3, 0-3:2"},
        Case{"", ""}}) {
    EXPECT_EQ(cleaner.text(before), after);
    EXPECT_EQ(cleaner.text(after), after);
  }
}

TEST(AnonymousText, KernelsLoseWhatASiteAdded) {
  EXPECT_EQ(result::kernel_version("6.1.0-18-cloud-amd64"), "6.1.0");
  EXPECT_EQ(result::kernel_version("5.14.0.mysite+"), "5.14.0");
  EXPECT_EQ(result::kernel_version("6.18.44"), "6.18.44");
  EXPECT_EQ(result::kernel_version("site"), "");
}

}  // namespace
}  // namespace gable
