#pragma once
#include <type_traits>

#include "core/model/mode.hpp"
#include "core/model/point.hpp"
#include "core/status.hpp"

/// How core/json reads the name of an enumerator: one overload an enum, found by argument-dependent lookup.
namespace gable {

inline auto name_parser(std::type_identity<DType>) { return &parse_dtype; }
inline auto name_parser(std::type_identity<Unit>) { return &parse_unit; }
inline auto name_parser(std::type_identity<CeilingKind>) { return &parse_ceiling_kind; }
inline auto name_parser(std::type_identity<Scope>) { return &parse_scope; }
inline auto name_parser(std::type_identity<OperatingPoint>) { return &parse_operating_point; }
inline auto name_parser(std::type_identity<Access>) { return &parse_access; }
inline auto name_parser(std::type_identity<Stores>) { return &parse_stores; }
inline auto name_parser(std::type_identity<Regime>) { return &parse_regime; }
inline auto name_parser(std::type_identity<LimitKind>) { return &parse_limit_kind; }
inline auto name_parser(std::type_identity<StopReason>) { return &parse_stop_reason; }
inline auto name_parser(std::type_identity<Estimator>) { return &parse_estimator; }
inline auto name_parser(std::type_identity<Status>) { return &parse_status; }
inline auto name_parser(std::type_identity<Mode>) { return &parse_mode; }

}  // namespace gable
