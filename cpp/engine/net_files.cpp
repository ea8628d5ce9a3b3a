// SPDX-License-Identifier: MIT
#include "engine/net_files.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>

#include "base/c_file.h"
#include "base/json.h"
#include "mixnet/patterns.h"

namespace tengen {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view NET_SUFFIX = ".net", ONNX_SUFFIX = ".onnx";
constexpr const char* REGISTRY = "registry.json";
constexpr double FORMAT = 1;
constexpr size_t MAX_FILE = size_t{64} << 20;
constexpr size_t MAX_REMEMBERED = 64;  ///< headers

/// Size letter by the widths of the features, the net that maps a line to them, policy and value.
struct Size {
  mixnet::Shape shape;
  char letter;
};
constexpr std::array<Size, 3> SIZES = {
    {{{32, 64, 16, 32}, 's'}, {{64, 128, 32, 64}, 'm'}, {{128, 256, 64, 128}, 'l'}}};

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

/// An entry of a registry: the nets of a rule for a range of board sizes.
struct Entry {
  Rule rule = Rule::FREESTYLE;
  int smallest = 0, largest = 0;
  std::array<std::string, 2> nets;  ///< for black and for white to move
};

int size_in(const Json& line, const char* key) {
  const Json* found = line.find(key);
  const double* number = found ? found->number() : nullptr;
  const int size =
      number && *number >= MIN_SIZE && *number <= MAX_SIZE ? static_cast<int>(*number) : 0;
  if (size == 0 || size != *number)
    throw BadNet("\"from\" and \"to\" are board sizes of " + std::to_string(MIN_SIZE) + " to " +
                 std::to_string(MAX_SIZE));
  return size;
}

Entry read_entry(const Json& line) {
  Entry entry;
  const Json* found = line.find("rule");
  const auto* const name = found ? found->text() : nullptr;
  const std::optional<Rule> rule = name ? rule_of_name(*name) : std::nullopt;
  if (!rule) throw BadNet("an entry has no known rule");
  entry.rule = *rule;
  entry.smallest = size_in(line, "from");
  entry.largest = size_in(line, "to");
  if (entry.smallest > entry.largest) throw BadNet("\"from\" is larger than \"to\"");
  for (size_t side = 0; side < 2; ++side) {
    const Json* net = line.find(side == 0 ? "black" : "white");
    if (net == nullptr) net = line.find("net");
    const std::string* text = net ? net->text() : nullptr;
    if (text == nullptr || text->empty() || text->find_first_of("/\\") != std::string::npos)
      throw BadNet("an entry needs \"net\", or both \"black\" and \"white\"");
    entry.nets[side] = *text;
  }
  return entry;
}

std::vector<Entry> parse_registry(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    const Json* format = json.find("format");
    const Json* nets = json.find("nets");
    if (format == nullptr || format->number() == nullptr || *format->number() != FORMAT)
      throw BadNet("it does not have format 1");
    if (nets == nullptr || nets->array() == nullptr) throw BadNet("it has no list of nets");
    std::vector<Entry> entries;
    for (const Json& line : *nets->array()) entries.push_back(read_entry(line));
    return entries;
  } catch (const std::invalid_argument& error) {
    throw BadNet(std::string("damaged, or no registry of nets (") + error.what() + ")");
  }
}

/// Results by file version, so that a file is read again only after it changed.
template <typename T>
class Remembered {
 public:
  template <typename Make>
  T get(const std::string& version, Make make) {
    {
      const std::lock_guard guard(net_files_lock());
      if (const auto it = found_.find(version); it != found_.end()) return it->second;
    }
    T made = make();
    const std::lock_guard guard(net_files_lock());
    if (found_.size() >= MAX_REMEMBERED) found_.clear();
    return found_.emplace(version, std::move(made)).first->second;
  }

 private:
  std::map<std::string, T> found_;
};

NetInfo parse_info(const NetFile& file) {
  const auto [start, length] = file.source->read_start(file.name, mixnet::MAX_HEADER);
  const mixnet::NetHeader header = mixnet::read_header(start, length);
  return {mixnet::shape_of(header), header.rules, header.sizes, header.colours};
}

}  // namespace

std::mutex& net_files_lock() {
  static std::mutex lock;
  return lock;
}

// --- sources ---

std::vector<std::string> FolderSource::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) throw std::system_error(error);
  std::sort(names.begin(), names.end());
  return names;
}

std::pair<std::string, u64> FolderSource::read_start(const std::string& name, size_t most) const {
  const fs::path path = folder_ / name;
  std::error_code error;
  const u64 length = fs::file_size(path, error);
  if (error) throw std::system_error(error);
  errno = 0;
  const CFile file = open_file(path, false);
  if (!file) fail(errno != 0 ? errno : ENOENT);
  std::string bytes(std::min<u64>(length, most), '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0) fail(EIO);
  return {std::move(bytes), length};
}

std::string FolderSource::read(const std::string& name) const {
  return read_start(name, MAX_FILE + 1).first;
}

std::string FolderSource::version(const std::string& name) const {
  const fs::path path = folder_ / name;
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  const auto ticks = static_cast<i64>(time.time_since_epoch().count());
  const u64 length = error ? 0 : fs::file_size(path, error);
  if (error) throw std::system_error(error);
  const fs::path real = fs::canonical(path, error);
  return (error ? fs::absolute(path) : real).string() + '\n' + std::to_string(ticks) + ' ' +
         std::to_string(length);
}

std::vector<std::string> EmbeddedSource::names() const {
  std::vector<std::string> names;
  for (const File& file : files_) names.emplace_back(file.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string_view EmbeddedSource::bytes_of(const std::string& name) const {
  for (const File& file : files_)
    if (file.name == name) return file.bytes;
  fail(ENOENT);
}

std::string EmbeddedSource::read(const std::string& name) const {
  return std::string(bytes_of(name));
}

std::pair<std::string, u64> EmbeddedSource::read_start(const std::string& name, size_t most) const {
  const std::string_view bytes = bytes_of(name);
  return {std::string(bytes.substr(0, most)), bytes.size()};
}

// --- net files ---

bool NetFile::is_onnx() const {
  std::string lower = name;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
  return lower.ends_with(ONNX_SUFFIX);
}

std::string NetInfo::family() const {
  for (const Size& size : SIZES)
    if (size.shape == shape) return std::string("mixnet-") + size.letter;
  return "mixnet";
}

u64 NetInfo::bytes() const { return mixnet::codebook_bytes(shape.c); }

bool NetInfo::supports(Rule rule, int size, Colour colour) const {
  const int wanted = colour == EMPTY ? 3 : 1 << side_index(colour);
  return rules >> static_cast<int>(rule) & 1 && sizes >> size & 1 && (colours & wanted) == wanted;
}

void NetInfo::check_supports(Rule rule, int size, Colour colour) const {
  if (supports(rule, size, colour)) return;
  const std::string lines = std::to_string(size);
  std::string text = rule_name(rule) + " " + lines + "x" + lines;
  if (colour != EMPTY) text += colour == BLACK ? " with black to move" : " with white to move";
  throw BadNet("this net is not for " + text + ": it is for " + purpose());
}

/// Rules, sizes and colours: `freestyle, size 13 to 15, black to move`.
std::string NetInfo::purpose() const {
  std::vector<std::string> names, spans;
  for (int rule = 0; rule < RULE_NB; ++rule)
    if (rules >> rule & 1) names.push_back(rule_name(static_cast<Rule>(rule)));
  for (int size = MIN_SIZE; size <= MAX_SIZE; ++size) {
    if (!(sizes >> size & 1)) continue;
    int last = size;
    while (last < MAX_SIZE && sizes >> (last + 1) & 1) ++last;
    spans.push_back(std::to_string(size) + (last > size ? " to " + std::to_string(last) : ""));
    size = last;
  }
  const char* const side = colours == 1 ? ", black to move" : colours == 2 ? ", white to move" : "";
  return joined(names) + ", size " + joined(spans) + side;
}

NetInfo read_net_info(const NetFile& file) {
  static Remembered<NetInfo> remembered;
  try {
    return remembered.get(file.version(), [&file] { return parse_info(file); });
  } catch (const std::invalid_argument& error) {
    throw BadNet(error.what(), file.place());
  } catch (const std::system_error& error) {
    throw BadNet("cannot be read (" + error.code().message() + ")", file.place());
  }
}

// --- folders of nets ---

NetFile NetFolder::file(const std::string& name) const {
  const NetFile as_named{source_, name};
  return as_named.is_onnx() ? as_named : NetFile{source_, name + std::string(NET_SUFFIX)};
}

std::string NetFolder::remedy() const {
  return is_bundled_ ? "reinstall tengen to restore it" : "repair the folder, or name a .net file";
}

std::vector<NetUse> NetFolder::uses() const {
  static Remembered<std::vector<Entry>> remembered;
  std::vector<NetUse> uses;
  try {
    const std::vector<Entry> entries = remembered.get(
        source_->version(REGISTRY), [this] { return parse_registry(source_->read(REGISTRY)); });
    for (const auto& [rule, smallest, largest, nets] : entries)
      uses.push_back({rule, smallest, largest, {file(nets[0]), file(nets[1])}});
  } catch (const BadNet& error) {
    throw BadNet(error.reason(), source_->place(REGISTRY));
  } catch (const std::system_error& error) {
    const std::string name =
        is_bundled_ ? std::string("the bundled ") + REGISTRY : source_->place(REGISTRY);
    throw BadNet(name + " cannot be read (" + error.code().message() + "); " + remedy());
  }
  return uses;
}

std::optional<NetPair> NetFolder::find(Rule rule, int size) const {
  for (const NetUse& use : uses()) {
    if (use.rule != rule || size < use.smallest || size > use.largest) continue;
    const NetPair& pair = use.nets;
    for (size_t side = 0; side < 2; ++side) {
      try {
        pair[side].version();
      } catch (const std::system_error& error) {
        const bool is_missing = error.code() == std::errc::no_such_file_or_directory;
        throw BadNet(
            std::string(REGISTRY) + " names " + pair[side].name + ", which " +
            (is_missing ? "is missing; " : "cannot be read (" + error.code().message() + "); ") +
            remedy());
      }
      if (!pair[side].is_onnx())
        read_net_info(pair[side]).check_supports(rule, size, side == 0 ? BLACK : WHITE);
    }
    return pair;
  }
  return std::nullopt;
}

std::vector<NetFile> NetFolder::all() const {
  std::vector<NetFile> nets;
  try {
    for (const std::string& name : source_->names())
      if (name.ends_with(NET_SUFFIX)) nets.push_back({source_, name});
  } catch (const std::system_error& error) {
    throw BadNet("cannot be read (" + error.code().message() + ")", source_->place(""));
  }
  return nets;
}

std::optional<NetFile> NetFolder::named(const std::string& name) const {
  for (const NetFile& net : all())
    if (net.name == name + std::string(NET_SUFFIX)) return net;
  return std::nullopt;
}

std::optional<NetPair> find_named_nets(const std::string& net, Rule rule, int size,
                                       const NetFolder& bundled) {
  const fs::path path = net;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    return NetFolder(std::make_shared<FolderSource>(path)).find(rule, size);
  if (fs::exists(status)) {
    const NetFile file{std::make_shared<FolderSource>(path.parent_path()),
                       path.filename().string()};
    return NetPair{file, file};
  }
  if (status.type() == fs::file_type::none)
    throw BadNet("cannot be read (" + error.message() + ")", net);
  if (const auto found = bundled.named(net)) return NetPair{*found, *found};
  std::vector<std::string> names;
  for (const NetFile& one : bundled.all()) names.push_back(one.stem());
  const std::string known =
      names.empty() ? "there is no bundled net" : "the bundled nets are " + joined(names);
  throw BadNet("there is no file '" + net + "', and " + known);
}

}  // namespace tengen
