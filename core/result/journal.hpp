#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/result/result.hpp"
#include "core/result/row.hpp"

namespace gable::result {

/// What a journal held when it was read back.
struct JournalContent {
  Result header;        ///< build, run, devices; no rows
  std::string request;  ///< the plan as the command line gave it, JSON text; compared on resume
  std::map<std::string, std::vector<Row>> items;  ///< "device/item id" -> its rows, complete items only
  std::vector<std::string> order;                 ///< keys of items in the order they were finished
};

/// An append-only file next to the result: a header line, then one line per finished item, each written and synced
/// whole. A torn last line (power cut, kill -9) is dropped when read. Item by item: nothing measured is lost, nothing
/// doubled.
class Journal {
 public:
  /// Starts a new journal; throws Error if one is there already (naming --resume).
  static Journal create(const std::filesystem::path& path, const Result& header, const std::string& request);
  /// Opens for appending after dropping a torn last line, and reads what is there.
  static Journal reopen(const std::filesystem::path& path, JournalContent& content);
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  void add_device(const DeviceInfo& device, const std::string& worker, const Build& build);
  void add_item(const std::string& key, const std::vector<Row>& rows);
  /// Removes the file: the result has been saved.
  void discard();

 private:
  Journal() = default;
  std::filesystem::path path_;
  int fd_{-1};
};

JournalContent read_journal(const std::filesystem::path& path);

}  // namespace gable::result
