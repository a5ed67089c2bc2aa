#pragma once
#include <string>
#include <string_view>

/// Texts of others (names of files, hosts, kernels, devices) made safe for the medium that they are written to.
namespace gable {

/// A text of UTF-16 that begins with its byte order mark in UTF-8; any other as it is. Half a pair becomes a byte that
/// is no UTF-8.
std::string from_utf16(std::string text);

/// The text itself where it is UTF-8, or UTF-16 with its mark; else, as older spreadsheets write it, each byte is a
/// character of Latin-1.
std::string as_utf8(std::string text);

/// One line of UTF-8 for people: bytes that are no UTF-8 and code points that are no characters (U+FFFE …) become
/// U+FFFD, line feeds and tabs blanks, other control characters and those that override the direction of writing '?'.
std::string printable(std::string_view text);

/// The same as text or attribute of HTML, SVG and XML: & < > " ' are entities.
std::string for_markup(std::string_view text);

/// As a literal of a gnuplot script. "]]>", which its SVG driver writes as it is and XML forbids, is broken up.
std::string for_gnuplot(std::string_view text);

/// A cell of CSV (RFC 4180), each of its lines printable, quoted only where a comma, quote or line break asks for it.
/// In front of what a spreadsheet would take for a formula ("=…", "@…", "+…" and "-…" but numbers) stands an
/// apostrophe.
std::string for_csv(std::string_view text);

/// As the name of a file: letters, digits, '.', '_' and '-' of ASCII, all else and a '.' or '-' at the beginning is
/// '_'; at most 200 bytes, and never empty.
std::string for_file_name(std::string_view text);

/// As one word of a shell's command line, in single quotes.
std::string for_shell(std::string_view text);

}  // namespace gable
