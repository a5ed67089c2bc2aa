#pragma once

namespace gable {

/// Columns for what is printed: COLUMNS, or those of the terminal that standard output is, or 160.
int output_width();
/// Whether standard error is a terminal that understands escape codes (TERM is neither empty nor "dumb").
bool can_redraw();

}  // namespace gable
