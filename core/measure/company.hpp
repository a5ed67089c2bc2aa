#pragma once
#include <functional>

namespace gable::measure {

/// The other processes that measure at the same time, one device each, as one of them sees them. Each keeps its load
/// running before its first and behind its last block until told, so that every block of each was taken while all were
/// at work.
class Company {
 public:
  virtual ~Company() = default;
  /// Runs `work` again and again until all are at work.
  virtual void begin(const std::function<void()>& work) = 0;
  /// Runs `work` again and again until all have taken their blocks.
  virtual void end(const std::function<void()>& work) = 0;
};

/// The company of the next measure() of this process, which takes it: a second measurement of the same item is made
/// alone. Null where there is none.
Company* take_company();

/// Measures in company from here to its end.
class InCompany {
 public:
  explicit InCompany(Company& company);
  ~InCompany();
  InCompany(const InCompany&) = delete;
  InCompany& operator=(const InCompany&) = delete;
};

}  // namespace gable::measure
