#pragma once
#include <string_view>
#include <vector>

#include "core/analysis/transformer.hpp"

namespace gable::analysis {

/// The models of a file like data/models.json. Throws Error "<pointer>: …" for what is no such file
/// (docs/catalogue.md): unknown or missing keys, sizes below one, heads that the KV heads do not divide, a name that is
/// there twice.
std::vector<Transformer> parse_transformers(std::string_view text);

}  // namespace gable::analysis
