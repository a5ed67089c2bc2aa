#include "core/result/anonymous_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gable::result {
namespace {

constexpr std::string_view path_mark = "PATH", address_mark = "ADDRESS", id_mark = "ID", user_mark = "USER";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Whether a text has the form of a pattern, in which x stands for a hexadecimal digit.
bool has_form(std::string_view text, std::string_view form) {
  return std::ranges::equal(text, form, [](char c, char f) { return f == 'x' ? is_hex(c) : c == f; });
}

bool is_uuid(std::string_view token) {
  for (const std::string_view prefix : {"GPU-", "MIG-"}) {
    if (token.starts_with(prefix)) token.remove_prefix(prefix.size());
  }
  return has_form(token.substr(0, 36), "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
}

bool is_pci_bus(std::string_view token) {
  constexpr std::array<std::string_view, 4> forms{"xx:xx.x", "xxxx:xx:xx", "xxxx:xx:xx.x", "xxxxxxxx:xx:xx.x"};
  return std::ranges::any_of(forms, [&](std::string_view form) { return has_form(token, form); });
}

bool is_mac(std::string_view token) {
  return has_form(token, "xx:xx:xx:xx:xx:xx") || has_form(token, "xx-xx-xx-xx-xx-xx");
}

/// Four numbers below 256, and perhaps a port.
bool is_ipv4(std::string_view token) {
  int parts = 0;
  for (std::size_t at = 0; at < token.size(); ++at) {
    int value = 0;
    const std::size_t begin = at;
    while (at < token.size() && is_digit(token[at]) && value < 256) value = value * 10 + (token[at++] - '0');
    if (at == begin || value > 255) return false;
    if (++parts == 4) return at == token.size() || token[at] == ':' || token[at] == '/';
    if (at == token.size() || token[at] != '.') return false;
  }
  return false;
}

bool is_ipv6(std::string_view token) {
  const auto colons = std::ranges::count(token, ':');
  const bool form = std::ranges::all_of(token, [](char c) { return is_hex(c) || c == ':' || c == '.' || c == '%'; });
  return form && std::ranges::any_of(token, is_digit) &&
         (colons == 7 || (colons >= 2 && token.find("::") != token.npos));
}

bool is_moment(std::string_view token) {
  return token.size() >= 16 && has_form(token.substr(0, 11), "xxxx-xx-xxT") && token[13] == ':';
}

/// Names of the system itself, which say where a fact was read. A control group may have the name of a user or a job.
bool is_system_path(std::string_view path) {
  constexpr std::array<std::string_view, 4> places{"/proc/", "/sys/", "/.dockerenv", "/run/.containerenv"};
  return path == "/singularity" || (!path.starts_with("/sys/fs/cgroup/") &&
                                    std::ranges::any_of(places, [&](auto place) { return path.starts_with(place); }));
}

/// A slash behind one of these goes on with a word: "byte/s", "../x", "é/è".
bool continues(char before) {
  return is_word(before) || (before & 0x80) != 0 ||
         std::string_view("._-%)*+/$}~").find(before) != std::string_view::npos;
}

/// Where a path begins in a token that is absolute or starts at home or at the folder at hand; npos: nowhere.
std::size_t path_begin(std::string_view token) {
  if (token.starts_with("./") || token.starts_with("../")) return 0;
  if (token.starts_with('~') && token.find('/') != token.npos) return 0;
  if (const auto home = token.find("$HOME"); home != token.npos) return home;
  std::size_t letters = 0;  // "-I/usr/include"
  while (token.starts_with('-') && letters + 1 < token.size() && is_letter(token[letters + 1])) ++letters;
  if (letters > 0 && token.substr(letters + 1).starts_with('/')) return letters + 1;
  for (auto at = token.find('/'); at != token.npos && at + 1 < token.size(); at = token.find('/', at + 1)) {
    const auto before = token.substr(0, at);
    if (before.ends_with(':') && token[at + 1] == '/' && !before.ends_with("file:")) return token.npos;  // a web page
    if (before.empty() || !continues(before.back())) return at;
  }
  return token.npos;
}

/// The parts of a system's path that name one device.
std::string system_path(std::string_view path) {
  std::string clean;
  while (!path.empty()) {
    const auto end = std::min(path.find('/', 1), path.size());
    const auto part = path.substr(1, end - 1);
    clean += '/';
    clean += is_pci_bus(part) || is_uuid(part) || is_mac(part) ? id_mark : part;
    path.remove_prefix(end);
  }
  return clean;
}

bool ends_token(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("\"'`()[]{}<>,;=|").find(c) != std::string_view::npos;
}

/// Applies `change` to every token between blanks, quotes, brackets and signs, leaving these as they are. Points and
/// colons that end a token belong to the sentence.
template <class Change>
std::string by_token(std::string_view text, Change change) {
  std::string result;
  while (!text.empty()) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if(text, ends_token) - text.begin());
    auto token = text.substr(0, end);
    while (token.size() > 1 && (token.ends_with('.') || token.ends_with(':'))) token.remove_suffix(1);
    result += change(token);
    result += text.substr(token.size(), end - token.size() + (end < text.size() ? 1 : 0));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string without_path(std::string_view token) {
  const auto at = path_begin(token);
  if (at == token.npos) return std::string(token);
  const auto path = token.substr(at);
  return std::string(token.substr(0, at)) + (is_system_path(path) ? system_path(path) : std::string(path_mark));
}

/// "RRZE-HPC/OSACA@e00d5f61": a public repository and its commit, where a figure comes from.
bool is_repository_at_commit(std::string_view owner_and_name, std::string_view commit) {
  const auto slash = owner_and_name.find('/');
  return slash != owner_and_name.npos && slash > 0 && slash + 1 < owner_and_name.size() && commit.size() >= 7 &&
         std::ranges::all_of(commit, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// "alice@bert17", "alice@example.org".
bool is_user_at_host(std::string_view token) {
  const auto at = token.find('@');
  return at != token.npos && at > 0 && at + 1 < token.size() && is_word(token[at - 1]) && is_word(token[at + 1]) &&
         !is_repository_at_commit(token.substr(0, at), token.substr(at + 1));
}

/// Without what no version looks like.
std::string without_unmistakable(std::string_view token) {
  if (is_mac(token)) return std::string(address_mark);
  if (is_uuid(token) || is_pci_bus(token)) return std::string(id_mark);
  return is_user_at_host(token) ? std::string(user_mark) : without_path(token);
}

std::string without_identity(std::string_view token) {
  if (is_moment(token)) return std::string(token.substr(0, 10));
  return is_ipv4(token) || (is_ipv6(token) && !is_mac(token)) ? std::string(address_mark) : without_unmistakable(token);
}

/// Names that identify nobody and occur in our own texts.
bool says_nothing(std::string_view name) {
  constexpr std::array<std::string_view, 24> words{"localhost", "node",   "host",  "server",  "machine", "user",
                                                   "root",      "admin",  "build", "builder", "test",    "gable",
                                                   "anonymous", "debian", "linux", "ubuntu",  "fedora",  "core",
                                                   "memory",    "cpu",    "gpu",   "cuda",    "hip",     "openmp"};
  return name.size() < 2 ||
         std::ranges::any_of(words, [&](std::string_view word) { return std::ranges::equal(word, name, same_letter); });
}

/// Where a name begins in a text, in small or capital letters.
std::size_t find_letters(std::string_view text, std::string_view name, std::size_t from) {
  const auto rest = text.substr(std::min(from, text.size()));
  const auto found = std::ranges::search(rest, name, same_letter);
  return found.empty() ? text.npos : static_cast<std::size_t>(found.begin() - text.begin());
}

/// Where it is as a word of its own.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t from) {
  for (auto at = find_letters(text, name, from); at != text.npos; at = find_letters(text, name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return text.npos;
}

}  // namespace

void AnonymousText::add(std::string name, std::string replacement) {
  if (says_nothing(name) || name == replacement || std::ranges::count(names_, name, &SecretName::name) > 0) return;
  const auto shorter = [&](const SecretName& known) { return known.name.size() < name.size(); };
  const auto at = std::ranges::find_if(names_, shorter);
  names_.insert(at, {std::move(name), std::move(replacement)});
}

std::string AnonymousText::without_names(std::string_view text) const {
  std::string result(text);
  for (const auto& [name, replacement] : names_) {
    for (auto at = find_name(result, name, 0); at != result.npos;
         at = find_name(result, name, at + replacement.size())) {
      result.replace(at, name.size(), replacement);
    }
  }
  return result;
}

std::string AnonymousText::text(std::string_view text) const { return by_token(without_names(text), without_identity); }

std::string AnonymousText::version(std::string_view text) const {
  return by_token(without_names(text), without_unmistakable);
}

bool AnonymousText::leaks(std::string_view text) const {
  constexpr std::size_t unmistakable = 6;
  const auto within = [&](const SecretName& known) {
    return known.name.size() >= unmistakable && find_letters(text, known.name, 0) != text.npos;
  };
  return std::ranges::any_of(names_, within) || version(text) != text;
}

std::string AnonymousText::flags(std::string_view text) const {
  const std::string clean = version(text);
  std::string result;
  std::string_view rest = clean;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    result += word.find('/') == word.npos ? word : path_mark;
    if (end < rest.size()) result += ' ';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

std::string AnonymousText::environment(std::string_view text) const {
  return text.find('/') == text.npos && !text.starts_with('~') ? this->text(text) : std::string(path_mark);
}

std::string AnonymousText::argument(std::string_view text, std::string_view file) const {
  return by_token(without_names(text), [&](std::string_view token) {
    return is_file_name(token) && !token.starts_with(file) ? std::string(file) : without_identity(token);
  });
}

std::string kernel_version(std::string_view release) {
  auto end = std::min(release.find_first_not_of("0123456789."), release.size());
  while (end > 0 && release[end - 1] == '.') --end;
  return std::string(release.substr(0, end));
}

std::vector<std::string> users_in(std::string_view text) {
  std::vector<std::string> users;
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    for (auto at = text.find(homes); at != text.npos; at = text.find(homes, at + 1)) {
      const auto name = text.substr(at + homes.size());
      const auto end = std::ranges::find_if(name, [](char c) { return c == '/' || c == ':' || ends_token(c); });
      users.emplace_back(name.begin(), end);
    }
  }
  return users;
}

bool is_file_name(std::string_view word) {
  if (word.find('/') != word.npos || word.starts_with('~')) return true;
  const auto dot = word.rfind('.');
  return dot != word.npos && dot + 1 < word.size() && is_letter(word[dot + 1]);
}

}  // namespace gable::result
