// `gable campaign` as a job runs it: several nodes on one machine by --node, on what the fake worker measures.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <thread>

#include "campaigns.hpp"
#include "program.hpp"

namespace gable::test {
namespace {

TEST_F(Campaign, FromAPlanToAReport) {
  init({"--nodes", "n[1-3]"});
  for (const char* node : {"n1", "n2"}) {
    const auto measured = run({"run", "c", "--node", node});
    ASSERT_EQ(measured.code, 0) << measured.err;
    EXPECT_NE(measured.out.find("measured: c/nodes/"), std::string::npos) << measured.out;
  }
  const json summary = json::parse(read_text(folder_ / "c/nodes/n1.summary.json"));
  EXPECT_EQ(summary["node"], "n1");
  EXPECT_LE(fs::file_size(folder_ / "c/nodes/n1.summary.json"), 30'000u);
  EXPECT_EQ(gable({"validate", (folder_ / "c/nodes/n1.json").string()}).code, 0);

  const auto report = run({"report", "c", "--json"});
  EXPECT_EQ(report.code, 1) << report.err;  // n3 is absent
  const json answer = json::parse(report.out);
  EXPECT_EQ(answer["absent"], 1);
  EXPECT_EQ(answer["nodes"].size(), 3u);
  EXPECT_EQ(answer["failing_nodes"], "n3");
  const auto by_reference = run({"report", "c", "--against", "c/nodes/n1.json", "--json"});
  EXPECT_EQ(json::parse(by_reference.out)["passing_nodes"], "n[1-2]");
}

TEST_F(Campaign, AFinishedNodeIsLeftAlone) {
  init();
  ASSERT_EQ(run({"run", "c", "--node", "n1"}, {{"GABLE_FAKE_LOG", "first.log"}}).code, 0);
  const std::string before = read_text(folder_ / "c/nodes/n1.json");
  const auto again = run({"run", "c", "--node", "n1"}, {{"GABLE_FAKE_LOG", "second.log"}});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("measured already"), std::string::npos);
  EXPECT_EQ(read_text(folder_ / "c/nodes/n1.json"), before);
  EXPECT_TRUE(fs::exists(folder_ / "first.log"));
  EXPECT_FALSE(fs::exists(folder_ / "second.log"));
}

TEST_F(Campaign, ANodeOfSeveralDevicesCountsOnce) {
  init();
  for (const char* node : {"n1", "n2", "n3"}) {
    ASSERT_EQ(run({"run", "c", "--node", node}, {{"GABLE_FAKE_DEVICES", "cuda:0 cuda:1"}}).code, 0);
    const fs::path result = folder_ / "c/nodes" / (std::string(node) + ".json");
    EXPECT_EQ(json::parse(read_text(result))["workers"].size(), 1u);  // one program measured both
    const fs::path path = folder_ / "c/nodes" / (std::string(node) + ".summary.json");
    json summary = json::parse(read_text(path));
    int compilers = 0;
    for (json& fact : summary["facts"]) {
      if (!fact["name"].get<std::string>().starts_with("compiler (")) continue;
      fact["value"] = std::string("compiler of ") + node;
      ++compilers;
    }
    EXPECT_EQ(compilers, 1);
    write_text(path, summary.dump());
  }
  const json answer = json::parse(run({"report", "c", "--json"}).out);
  EXPECT_EQ(answer["drifts"].size(), 0u) << answer["drifts"];  // each node has its own: there is no majority
}

TEST_F(Campaign, GoesOnAfterSigterm) {
  init();
  Running first(program({"run", "c", "--node", "n1"}), environment({{"GABLE_FAKE_SLOW", "0.3"}}), folder_.path());
  ASSERT_TRUE(wait_for(folder_ / "c/nodes/n1.json.journal"));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  first.signal(SIGTERM);
  const auto stopped = first.wait();
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("gable campaign run 'c' --node n1"), std::string::npos) << stopped.err;
  EXPECT_FALSE(fs::exists(folder_ / "c/nodes/n1.json"));
  const auto report = run({"report", "c", "--json"});
  EXPECT_EQ(report.code, 1) << report.err;
  EXPECT_EQ(json::parse(report.out)["absent"], 1);  // it began, and no plan names it
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);
  EXPECT_EQ(json::parse(read_text(folder_ / "c/nodes/n1.json"))["run"]["resumed"], 1);
  EXPECT_FALSE(fs::exists(folder_ / "c/nodes/n1.json.journal"));
}

TEST_F(Campaign, TwoTasksOnANodeDoNotMeasureOverEachOther) {
  init();
  Running first(program({"run", "c", "--node", "n1"}), environment({{"GABLE_FAKE_SLOW", "1"}}), folder_.path());
  ASSERT_TRUE(wait_for(folder_ / "c/nodes/n1.json.journal"));
  expect_refusal(run({"run", "c", "--node", "n1"}), "another task");
  EXPECT_EQ(run({"run", "c", "--node", "n2"}).code, 0);
  fs::remove(folder_ / "c/nodes/n1.lock");  // the journal has a lock of its own
  EXPECT_EQ(run({"run", "c", "--node", "n1"}).code, 2);
  first.signal(SIGTERM);
  first.wait();
}

TEST_F(Campaign, NobodyWithoutTheFolderKeepsANodeFromMeasuring) {
  init();
  struct stat folder {};
  ASSERT_EQ(::stat((folder_ / "c").c_str(), &folder), 0);
  std::ostringstream name;  // that any user of the machine could take
  name << "gable-campaign-" << std::hex << folder.st_dev << '-' << folder.st_ino << "-n1";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  name.str().copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const int taken = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.str().size());
  ASSERT_EQ(::bind(taken, reinterpret_cast<const sockaddr*>(&address), size), 0);
  const auto measured = run({"run", "c", "--node", "n1"});
  EXPECT_EQ(measured.code, 0) << measured.err;
  ::close(taken);
  const auto of_others = fs::perms::others_read | fs::perms::others_write;
  EXPECT_EQ(fs::status(folder_ / "c/nodes/n1.lock").permissions() & of_others, fs::perms::none) << "nor a reader";
}

TEST_F(Campaign, AFolderThatOthersMayWriteToIsSaid) {
  init();
  EXPECT_EQ(run({"run", "c", "--node", "n1"}).err, "");
  fs::permissions(folder_ / "c/nodes", fs::perms::others_write, fs::perm_options::add);
  const auto open = run({"run", "c", "--node", "n2"});
  EXPECT_EQ(open.code, 0);
  EXPECT_EQ(lines(open.err), 1) << open.err;
  EXPECT_NE(open.err.find("any user may write to c/nodes, and replace what is written there"), std::string::npos);
  fs::permissions(folder_ / "c/nodes", fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(folder_ / "c/nodes", fs::perms::group_write, fs::perm_options::add);
  if (::chown((folder_ / "c/nodes").c_str(), -1, 54321) != 0) GTEST_SKIP() << "needs root";
  const auto shared = run({"run", "c", "--node", "n3"}).err;
  EXPECT_EQ(lines(shared), 1) << shared;
  EXPECT_TRUE(has(shared, "the group 54321 may write to c/nodes, and replace what is written there")) << shared;
  ASSERT_EQ(::chown((folder_ / "c/nodes").c_str(), -1, ::getegid()), 0);
  EXPECT_EQ(run({"run", "c", "--node", "n4"}).err, "") << "root's own group is called root";
}

TEST_F(Campaign, FilesOfAnotherPlanAreRefused) {
  init();
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);
  fs::rename(folder_ / "c", folder_ / "old");
  init({"--quick", "--retry-budget", "1"});
  fs::copy_file(folder_ / "old/nodes/n1.json", folder_ / "c/nodes/n1.json");
  expect_refusal(run({"run", "c", "--node", "n1"}), "another plan");
  fs::copy_file(folder_ / "old/nodes/n1.summary.json", folder_ / "c/nodes/n2.summary.json");
  EXPECT_EQ(run({"run", "c", "--node", "n2"}).code, 2);
  const json answer = json::parse(run({"report", "c", "--json"}).out);
  EXPECT_EQ(answer["nodes"][0]["verdict"], "absent");  // n1 began, and was refused
  EXPECT_EQ(answer["nodes"][1]["verdict"], "damaged");
}

TEST_F(Campaign, AResultOfAnotherNodeIsRefused) {
  init();
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);
  fs::copy_file(folder_ / "c/nodes/n1.json", folder_ / "c/nodes/n2.json");
  expect_refusal(run({"run", "c", "--node", "n2"}), "is of the node n1, not of n2");
  EXPECT_FALSE(fs::exists(folder_ / "c/nodes/n2.summary.json"));
}

TEST_F(Campaign, AnOlderSummaryDoesNotPassForAMeasurementUnderWay) {
  init({"--nodes", "n1"});
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);
  fs::remove(folder_ / "c/nodes/n1.json");
  Running again(program({"run", "c", "--node", "n1"}), environment({{"GABLE_FAKE_SLOW", "0.3"}}), folder_.path());
  ASSERT_TRUE(wait_for(folder_ / "c/nodes/n1.json.journal"));
  again.signal(SIGTERM);
  EXPECT_EQ(again.wait().code, 130);
  EXPECT_EQ(json::parse(run({"report", "c", "--json"}).out)["absent"], 1);
}

TEST_F(Campaign, RowsThatFailAreForTheReport) {
  init({"--nodes", "n1"});
  const auto measured =
      run({"run", "c", "--node", "n1"},
          {{"GABLE_FAKE_ITEMS", "ceiling/bandwidth/DRAM/triad ceiling/compute/vector/fp64/burst/throw"}});
  EXPECT_EQ(measured.code, 0) << measured.err;
  EXPECT_NE(read_text(folder_ / "c/nodes/n1.summary.json").find("the kernel gave up"), std::string::npos);
}

TEST_F(Campaign, ANodeThatCannotMeasureSaysWhy) {
  init({"--nodes", "n1"});
  const auto failed = run({"run", "c", "--node", "n1"}, {{"GABLE_FAKE_OPEN", "openmp=abort"}});
  EXPECT_EQ(failed.code, 2);
  const auto report = run({"report", "c", "--json"});
  EXPECT_EQ(report.code, 1);
  const json answer = json::parse(report.out);
  EXPECT_EQ(answer["nodes"][0]["verdict"], "failed");
  EXPECT_NE(answer["nodes"][0]["reason"].get<std::string>().find("openmp"), std::string::npos) << answer["nodes"][0];
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);  // repaired
  EXPECT_EQ(json::parse(run({"report", "c", "--json"}).out)["failed"], 0);
}

TEST_F(Campaign, NodesBeginTogether) {
  init({"--nodes", "n[1-2]"});
  const Environment job = environment({{"GABLE_CAMPAIGN_JOB", "job 1"}});
  Running first(program({"run", "c", "--node", "n1", "--barrier", "60"}), job, folder_.path());
  ASSERT_TRUE(wait_for(folder_ / "c/barrier/job_1/n1"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(fs::exists(folder_ / "c/nodes/n1.json.journal"));
  EXPECT_FALSE(fs::exists(folder_ / "c/nodes/n1.json"));
  ASSERT_EQ(run({"run", "c", "--node", "n2", "--barrier", "60"}, {{"GABLE_CAMPAIGN_JOB", "job 1"}}).code, 0);
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_NE(read_text(folder_ / "c/nodes/n1.json").find("2 of 2 nodes began together"), std::string::npos);
  // one that waits in vain goes on, and its result tells
  ASSERT_EQ(run({"run", "c", "--node", "n1", "--retest", "1", "--barrier", "0.1"}, {{"GABLE_CAMPAIGN_JOB", "2"}}).code,
            0);
  EXPECT_NE(read_text(folder_ / "c/nodes/n1.retest-1.json").find("1 of 2 nodes began together"), std::string::npos);
  EXPECT_EQ(run({"run", "c", "--node", "n1", "--barrier", "1"}, {{"GABLE_CAMPAIGN_JOB", ""}}).code, 2);
}

TEST_F(Campaign, DamagedSummariesAreRows) {
  init({"--nodes", "n[1-4]"});
  for (const char* node : {"n1", "n2", "n3", "n4"}) ASSERT_EQ(run({"run", "c", "--node", node}).code, 0);
  const std::string good = read_text(folder_ / "c/nodes/n1.summary.json");
  write_text(folder_ / "c/nodes/n2.summary.json", good.substr(0, good.size() / 2));
  write_text(folder_ / "c/nodes/n3.summary.json", good);  // a node twice
  write_text(folder_ / "c/nodes/n4.summary.json", std::string(40'000, ' '));
  write_text(folder_ / "c/nodes/x$(id).summary.json", good);  // no name of a node: nothing of ours
  const auto report = run({"report", "c", "--json"});
  EXPECT_EQ(report.code, 1) << report.err;
  const json answer = json::parse(report.out);
  EXPECT_EQ(answer["damaged"], 3);
  EXPECT_TRUE(has(answer["nodes"][1]["reason"], "; move it away and run 'gable campaign run' there again"));
  EXPECT_EQ(answer["nodes"].size(), 4u);
}

TEST_F(Campaign, HostileNamesOfHostsStayInTheFolder) {
  init();
  ASSERT_EQ(run({"run", "c"}, {{"SLURMD_NODENAME", "../../x;y"}}).code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "c/nodes/_._.._x_y.json"));
  EXPECT_EQ(run({"run", "c", "--node", "../x"}).code, 2);
}

TEST_F(Campaign, FilesOfAReport) {
  init({"--nodes", "n[1-2]"});
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);
  ASSERT_EQ(run({"report", "c", "--files", "out"}).code, 1);
  const json answer = json::parse(read_text(folder_ / "out/campaign.json"));
  EXPECT_EQ(answer["format"], "gable-campaign");
  EXPECT_EQ(read_text(folder_ / "out/failing.txt"), "n2\n");
  EXPECT_EQ(lines(read_text(folder_ / "out/nodes.csv")), 3);
  EXPECT_NE(read_text(folder_ / "out/junit.xml").find("tests=\"2\" failures=\"1\""), std::string::npos);
  EXPECT_EQ(run({"report", "c", "--files", "out"}).code, 2);  // nothing is overwritten unasked
  EXPECT_EQ(run({"report", "c", "--files", "out", "--force"}).code, 1);
  EXPECT_EQ(run({"report", "c", "--output", "a.md", "--format", "md"}).code, 1);
  EXPECT_EQ(run({"report", "c", "--output", "a.md"}).code, 2);
}

TEST_F(Campaign, GroupsAndEarlierResults) {
  init();
  ASSERT_EQ(run({"run", "c", "--node", "n1"}).code, 0);
  const json summary = json::parse(read_text(folder_ / "c/nodes/n1.summary.json"));
  fs::copy(folder_ / "c", folder_ / "before", fs::copy_options::recursive);
  fs::remove_all(folder_ / "c");
  init({"--quick"});
  const std::string plan = json::parse(read_text(folder_ / "c/plan.json"))["id"];
  const auto write = [&](const std::string& campaign, const std::string& id, int node, double slower) {
    json other = summary;
    const std::string name = "n" + std::to_string(node);
    other["node"] = name;
    other["plan"] = id;
    for (std::size_t i = 0; i < other["rows"]["value"].size(); ++i) {
      const std::size_t metric = other["rows"]["metric"][i];
      for (const char* column : {"value", "low", "high"}) {
        auto& figure = other["rows"][column][i];
        if (figure.is_number())
          figure = figure.get<double>() * (other["metrics"][metric]["unit"] == "s" ? slower : 1 / slower);
      }
    }
    write_text(folder_ / campaign / "nodes" / (name + ".summary.json"), other.dump());
  };
  for (int i = 1; i <= 12; ++i) {
    write("before", summary["plan"], i, 1);
    write("c", plan, i, i <= 4 ? 1.25 : 1);  // of rack a, a third of the fleet
  }
  write_text(folder_ / "racks.csv", "node,group\n\"n[1-4]\",a\n\"n[5-12]\",b\n");
  const json grouped = json::parse(run({"report", "c", "--groups", "racks.csv", "--json"}).out);
  ASSERT_EQ(grouped["groups"].size(), 2u);
  EXPECT_EQ(grouped["groups"][0]["name"], "a");
  EXPECT_EQ(grouped["groups"][0]["nodes"], "n[1-4]");
  EXPECT_EQ(grouped["groups"][0]["slow_rows"], summary["metrics"].size());
  EXPECT_EQ(grouped["groups"][1]["slow_rows"], 0);
  EXPECT_EQ(json::parse(run({"report", "c", "--group-by", "kernel", "--json"}).out)["groups"].size(), 1u);
  EXPECT_EQ(json::parse(run({"report", "c", "--group-by", "slot", "--json"}).out)["groups"][0]["name"], "openmp");

  const json earlier = json::parse(run({"report", "c", "--earlier", "before", "--json"}).out);
  EXPECT_EQ(earlier["failing_nodes"], "n[1-4]");
  EXPECT_EQ(earlier["findings"][0]["basis"], "earlier");
  EXPECT_EQ(json::parse(run({"report", "before", "--earlier", "c", "--json"}).out)["flagged"], 0);  // all are faster

  write_text(folder_ / "twice.csv", "node,group\nn1,a\nn1,b\n");
  const std::vector<std::vector<std::string>> wrong{{"report", "c", "--earlier", "c"},
                                                    {"report", "c", "--earlier", "nowhere"},
                                                    {"report", "c", "--group-by", "no such fact"},
                                                    {"report", "c", "--group-by", "slot", "--groups", "racks.csv"},
                                                    {"report", "c", "--groups", "twice.csv"},
                                                    {"report", "c", "--title", "of no page"}};
  for (const auto& words : wrong) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words.back();
    EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  }
}

TEST_F(Campaign, PicturesOfNodesByRows) {
  init();
  for (const char* node : {"n1", "n2"}) ASSERT_EQ(run({"run", "c", "--node", node}).code, 0);
  const auto drawn = run({"report", "c", "--output", "heat.svg"});
  if (drawn.code == 2 && drawn.err.find("gnuplot") != std::string::npos) GTEST_SKIP() << drawn.err;
  EXPECT_EQ(drawn.code, 3) << drawn.err;
  EXPECT_NE(read_text(folder_ / "heat.svg").find(">n2<"), std::string::npos);
  EXPECT_EQ(run({"report", "c", "--output", "heat.png"}).code, 3);
  EXPECT_EQ(read_text(folder_ / "heat.png").substr(1, 3), "PNG");
  EXPECT_EQ(run({"report", "c", "--output", "report.html"}).code, 3);
  const std::string page = read_text(folder_ / "report.html");
  EXPECT_NE(page.find("<title>Campaign c</title>"), std::string::npos) << "the name of the folder";
  EXPECT_NE(page.find("0 of 2 nodes pass; 2 not judged: n[1-2]"), std::string::npos) << "the verdict";
  EXPECT_EQ(run({"report", "c", "--output", "named.html", "--title", "Rack 7"}).code, 3);
  EXPECT_NE(read_text(folder_ / "named.html").find("<title>Rack 7</title>"), std::string::npos);
  if (page.find("gable-heat-map") != std::string::npos) {  // this build has the page: tests/page looks at it
    EXPECT_NE(page.find("\"campaign\":{"), std::string::npos);
  } else {
    EXPECT_NE(page.find("<svg"), std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
  }
}

TEST_F(Campaign, BadInputIsOneLine) {
  init();
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"what"},
                                                    {"init"},
                                                    {"init", "c"},  // is there
                                                    {"init", "d", "--nodes", "n["},
                                                    {"init", "d", "--nodes", "login,n1-n16"},
                                                    {"init", "d", "--suite", "no-such-suite"},
                                                    {"init", "d", "--operator", "gemm", "--suite", "hpc"},
                                                    {"run"},
                                                    {"run", "nowhere"},
                                                    {"run", "c", "--retest", "0"},
                                                    {"run", "c", "--barrier", "soon"},
                                                    {"run", "c", "--round", "2"},
                                                    {"retest", "c", "--rounds", "0"},
                                                    {"retest", "c", "--tolerance", "5%"},
                                                    {"report", "nowhere"},
                                                    {"report", "c", "--against", "nothing.json"},
                                                    {"report", "c", "--tolerance", "5%"},
                                                    {"report", "c", "--format", "xml"}};
  for (const auto& words : wrong) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << (words.empty() ? "" : words.back());
    EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "d"));
  expect_refusal(run({"init", "d", "--nodes", "n1-n16"}), "the range is 'n[1-16]'");
  EXPECT_EQ(run({"init", "d", "--nodes", "a1-a[2],ip-10-0-0-1"}).code, 0) << "names, and no ranges";
}

}  // namespace
}  // namespace gable::test
