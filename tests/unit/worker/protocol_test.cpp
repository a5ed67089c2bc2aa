#include "core/worker/protocol.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/result/json.hpp"
#include "core/row_item.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/result/sample.hpp"

namespace gable::worker {
namespace {

Request full_request() {
  Request request;
  request.mode = Mode::full;
  request.scope = Scope::core;
  request.threads = 3;
  request.dtypes = {DType::fp64, DType::fp8_e4m3};
  request.cases = {
      {.op = "gemm", .params = {Params::parse("m=64,n=32"), Params::parse("k=1")}, .must_fit = true},
      {.op = "relu", .dtypes = {DType::bf16}, .launches = 10, .graph = true, .count = 2.5, .label = "layer, first"}};
  request.experiment = "overhead";
  request.concurrent = true;
  request.concurrent_devices = {"openmp:core0", "openmp:core1"};
  request.ceilings = false;
  request.points = false;
  return request;
}

void expect_equal(const Request& got, const Request& want) {
  EXPECT_EQ(got.mode, want.mode);
  EXPECT_EQ(got.scope, want.scope);
  EXPECT_EQ(got.threads, want.threads);
  EXPECT_EQ(got.dtypes, want.dtypes);
  EXPECT_EQ(got.experiment, want.experiment);
  EXPECT_EQ(got.concurrent, want.concurrent);
  EXPECT_EQ(got.concurrent_devices, want.concurrent_devices);
  ASSERT_EQ(got.cases.size(), want.cases.size());
  for (std::size_t i = 0; i < want.cases.size(); ++i) {
    EXPECT_EQ(got.cases[i].op, want.cases[i].op);
    EXPECT_EQ(got.cases[i].params, want.cases[i].params);
    EXPECT_EQ(got.cases[i].dtypes, want.cases[i].dtypes);
    EXPECT_EQ(got.cases[i].launches, want.cases[i].launches);
    EXPECT_EQ(got.cases[i].graph, want.cases[i].graph);
    EXPECT_EQ(got.cases[i].count, want.cases[i].count);
    EXPECT_EQ(got.cases[i].label, want.cases[i].label);
    EXPECT_EQ(got.cases[i].must_fit, want.cases[i].must_fit);
  }
  EXPECT_EQ(got.ceilings, want.ceilings);
  EXPECT_EQ(got.points, want.points);
}

template <class Message>
Message from_worker(const Message& message) {
  const auto line = encode(FromWorker(message));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return std::get<Message>(decode_from_worker(line));
}

template <class Message>
Message from_parent(const Message& message) {
  const auto line = encode(FromParent(message));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return std::get<Message>(decode_from_parent(line));
}

std::string error_of(std::string_view line, bool worker) {
  if (worker) return gable::error_of([&] { decode_from_worker(line); });
  return gable::error_of([&] { decode_from_parent(line); });
}

TEST(Protocol, MessagesOfTheWorkerComeBack) {
  const auto hello = from_worker(Hello{8, "gable-worker-x", test::full_result().build});
  EXPECT_EQ(hello.protocol, 8);
  EXPECT_EQ(hello.worker, "gable-worker-x");
  EXPECT_EQ(hello.build.libraries, test::full_result().build.libraries);
  const auto found = from_worker(Found{{{test::full_device()}, "why not"}});
  EXPECT_EQ(result::to_json(found.probe.devices.at(0)), result::to_json(test::full_device()));
  EXPECT_EQ(found.probe.reason, "why not");
  const auto items = from_worker(Items{{{test::full_point(), "two\nlines", 0.1, 30.5}}});
  EXPECT_EQ(items.items.at(0).id(), test::full_point().id);
  EXPECT_EQ(result::to_json(items.items.at(0).planned), result::to_json(Row(test::full_point())));
  EXPECT_EQ(items.items.at(0).title, "two\nlines");
  EXPECT_EQ(items.items.at(0).expected_s, 0.1);
  EXPECT_EQ(items.items.at(0).timeout_s, 30.5);
  from_worker(Ready{});
  EXPECT_EQ(from_worker(Begin{"a/b"}).id, "a/b");
  EXPECT_EQ(from_worker(Warm{"a/b"}).id, "a/b");
  EXPECT_EQ(from_worker(Taken{"a/b"}).id, "a/b");
  from_worker(Done{});
  EXPECT_EQ(from_worker(Failed{"no such device"}).what, "no such device");
}

TEST(Protocol, ALostItemIsTheRowThatWasPlanned) {
  Ceiling row;
  row.device = "cuda:0";
  row.threads = 132;
  row.kind = CeilingKind::compute;
  row.name = "matrix";
  row.dtype = row.accumulate = DType::fp16;
  row.at = OperatingPoint::burst;
  row.implementation = "wgmma";
  row.unit = "flop/s";
  const Item item = row_item(row, "fp16 matrix in fp16", 0.2, [](Ceiling&) {}, {});
  EXPECT_EQ(item.id(), "ceiling/compute/matrix/fp16/in_fp16/burst/wgmma");
  const auto told = from_worker(Items{{{item.planned, item.title, item.expected_s, item.timeout_s}}});
  const auto lost = std::get<Ceiling>(without_figure(told.items.at(0).planned, Status::error, "killed"));
  EXPECT_EQ(lost.id, item.id());
  EXPECT_EQ(lost.accumulate, DType::fp16);
  EXPECT_EQ(lost.implementation, "wgmma") << "not the accumulate type's part of the id";
  EXPECT_EQ(lost.variant, "");
  EXPECT_EQ(lost.threads, 132);
  EXPECT_EQ(lost.status, Status::error);
  EXPECT_EQ(lost.reason, "killed");
}

TEST(Protocol, RowsComeBackWhole) {
  const std::vector<Row> rows{test::full_ceiling(), test::full_curve(), test::full_point()};
  const auto end = from_worker(End{"a/b", rows});
  EXPECT_EQ(end.id, "a/b");
  ASSERT_EQ(end.rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(result::to_json(end.rows[i]), result::to_json(rows[i]));
  EXPECT_TRUE(from_worker(End{"empty", {}}).rows.empty());
  Point impossible = test::full_point();
  impossible.time.value = -1;
  const auto failed = std::get<Point>(from_worker(End{"a/b", {impossible}}).rows.at(0));
  EXPECT_EQ(failed.status, Status::error) << "the parent could not read its own journal again";
  EXPECT_NE(failed.reason.find("/time_s -1"), std::string::npos) << failed.reason;
}

TEST(Protocol, MessagesOfTheParentComeBack) {
  const auto open = from_parent(Open{"cuda:0", full_request(), 2.5e9});
  EXPECT_EQ(open.free_memory_bytes, 2.5e9);
  EXPECT_EQ(open.device, "cuda:0");
  expect_equal(open.request, full_request());
  EXPECT_EQ(from_parent(Go{{"b", "a"}}).ids, (std::vector<std::string>{"b", "a"}));
  EXPECT_FALSE(from_parent(Go{{"b", "a"}}).together);
  EXPECT_TRUE(from_parent(Go{{"b"}, true}).together);
  from_parent(Start{});
  from_parent(Stop{});
  from_parent(Quit{});
}

TEST(Protocol, RequestComesBack) {
  for (const Request& request : {full_request(), Request{}})
    expect_equal(from_parent(Open{"openmp", request, 1e9}).request, request);
}

TEST(Protocol, ARequestOfOneDeviceIsAsItAlwaysWas) {
  const auto line = encode(FromParent(Open{"openmp", Request{}, 1e9}));
  EXPECT_EQ(line.find("concurrent"), std::string::npos) << "plans of campaigns are named by what they say: " << line;
}

TEST(Protocol, BadLinesAreNamed) {
  EXPECT_EQ(error_of(R"({"message":"dance"})", true), "bad line from the worker: unknown message 'dance'");
  EXPECT_EQ(error_of(R"({"message":"go","ids":"a"})", false),
            "bad line from the parent: /ids: expected an array, got string");
  EXPECT_EQ(error_of(R"({"message":"begin"})", true), "bad line from the worker: key 'id' is missing");
  EXPECT_EQ(error_of(R"({"message":"quit"})", true), "bad line from the worker: unknown message 'quit'");
  EXPECT_EQ(error_of("[]", true), "bad line from the worker: expected an object, got array");
  const auto bad_params =
      error_of(R"({"message":"open","device":"d","request":{"mode":"quick","scope":"node","threads":0,"dtypes":[],)"
               R"("cases":[{"op":"gemm","params":["m=0"]}]}})",
               false);
  EXPECT_NE(bad_params.find("'m=0' must be positive"), std::string::npos) << bad_params;
}

TEST(Protocol, GarbageIsAnErrorAndNeverACrash) {
  const auto line = encode(FromWorker(End{"a", {test::full_point()}}));
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_NE(error_of(line.substr(0, size), true), "") << "cut at " << size;
  }
  for (const std::string garbage :
       {"", " ", "Kokkos::OpenMP::initialize WARNING: OMP_PROC_BIND is not set", "null", "42", "\"x\"", "{}",
        "{\"message\":1}", "\xff\xfe", "{\"message\":\"end\",\"id\":\"a\",\"rows\":[7]}"}) {
    const auto message = error_of(garbage, true);
    EXPECT_TRUE(message.starts_with("bad line from the worker: ")) << garbage << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Protocol, ADecimalCommaChangesNothing) {
  const Items items{{{Curve{}, "t", 0.125, 1e-3}}};
  const auto plain = encode(FromWorker(items));
  ::setenv("LOCPATH", GABLE_TEST_LOCALES, 1);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "the locale could not be made";
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  const auto with_comma = encode(FromWorker(items));
  const auto back = std::get<Items>(decode_from_worker(plain));
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(with_comma, plain);
  EXPECT_EQ(back.items.at(0).expected_s, 0.125);
  EXPECT_EQ(back.items.at(0).timeout_s, 1e-3);
}

}  // namespace
}  // namespace gable::worker
