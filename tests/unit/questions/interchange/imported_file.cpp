#include "imported_file.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "tests/unit/error_of.hpp"

namespace gable::test {

ImportedFiles::ImportedFiles() {
  static std::atomic<int> number{0};
  folder_ = std::filesystem::temp_directory_path() /
            ("gable-import-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
  std::filesystem::create_directories(folder_);
  into.target.device.id = into.target.device.name = "cuda:0";
}

ImportedFiles::~ImportedFiles() { std::filesystem::remove_all(folder_); }

Result ImportedFiles::read(const std::vector<std::string>& texts) const {
  std::vector<std::filesystem::path> files;
  for (const std::string& text : texts) {
    files.push_back(folder_ / (std::string(1, static_cast<char>('a' + files.size())) + ".csv"));
    std::ofstream(files.back(), std::ios::binary) << text;
  }
  return interchange::import_files(files, into).result;
}

std::string ImportedFiles::message(const std::string& text) const {
  return error_of([&] { read(text); });
}

MadeDatabase::MadeDatabase(const std::filesystem::path& file) {
  void* const library = dlopen("libsqlite3.so.0", RTLD_NOW);
  if (!library) return;
  const auto open = reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "sqlite3_open"));
  run_ = reinterpret_cast<Run>(dlsym(library, "sqlite3_exec"));
  close_ = reinterpret_cast<int (*)(void*)>(dlsym(library, "sqlite3_close"));
  if (open(file.c_str(), &handle_) != 0) handle_ = nullptr;
}

MadeDatabase::~MadeDatabase() {
  if (handle_) close_(handle_);
}

bool MadeDatabase::run(const std::string& sql) {
  return handle_ && run_(handle_, sql.c_str(), nullptr, nullptr, nullptr) == 0;
}

double operations(const Point& point, Unit unit, DType dtype) {
  double sum = 0;
  for (const TypedWork& one : point.imported->operations) {
    if (one.unit == unit && one.dtype == dtype) sum += one.operations;
  }
  return sum;
}

std::pair<double, double> calls_of(const Point& point) {
  return {point.imported->shortest_s.value_or(0), point.imported->longest_s.value_or(0)};
}

bool lacks(const Point& point, const std::string& what) {
  return std::ranges::any_of(point.imported->unknown, [&](const std::string& one) { return one.starts_with(what); });
}

}  // namespace gable::test
