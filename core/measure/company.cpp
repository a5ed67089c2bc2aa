#include "core/measure/company.hpp"

#include <utility>

namespace gable::measure {
namespace {

Company* next = nullptr;

}  // namespace

Company* take_company() { return std::exchange(next, nullptr); }

InCompany::InCompany(Company& company) { next = &company; }
InCompany::~InCompany() { next = nullptr; }

}  // namespace gable::measure
