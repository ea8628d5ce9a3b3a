// SPDX-License-Identifier: MIT
// A file gets its name when it is whole: it is written under another name first. A process that is
// killed leaves at most such an unfinished file and a lock that nobody holds; the next one that
// bakes the same net, or any net an hour later, removes it.
#include "mixnet/codebook_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "base/file_lock.h"
#include "mixnet/baked_file.h"

namespace tengen::mixnet {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

constexpr std::string_view ENDING = ".codebook", UNFINISHED = ".tmp", LOCK = ".lock";
/// Held by whoever bakes.
constexpr std::string_view TURN = "baking.codebook.lock";
constexpr auto LOOK_AGAIN = 20ms;
/// So long another process may take to bake: then it is taken for stuck.
constexpr auto PATIENCE = 60s;
/// An unfinished file of that age belongs to nobody.
constexpr auto LEFT_OVER = 1h;

/// The name of a net as part of the name of a file, anywhere.
std::string plain_name(std::string_view name) {
  constexpr size_t MAX_SECONDS = 48;
  std::string found;
  for (const char c : name.substr(0, MAX_SECONDS)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    found += plain || c == '-' || c == '_' ? c : '_';
  }
  return found.empty() ? "net" : found;
}

/// Holds the lock of a file, waiting for others, or goes on without it where there are no locks and
/// where somebody seems stuck.
void hold(FileLock& lock, const Progress& progress) {
  const auto end = std::chrono::steady_clock::now() + PATIENCE;
  while (lock.try_hold() == FileLock::Result::TAKEN && std::chrono::steady_clock::now() < end) {
    progress.check();
    std::this_thread::sleep_for(LOOK_AGAIN);
  }
}

/// The plain files of a folder with such an ending; none if it cannot be read.
std::vector<fs::path> files_in(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code unused;
    if (at->path().extension() == ending && at->is_regular_file(unused))
      found.push_back(at->path());
  }
  return found;
}

fs::path unfinished_name(const fs::path& path) {
  std::random_device random;
  std::array<char, 32> tag;
  std::snprintf(tag.data(), tag.size(), ".%08x%08x", random(), random());
  std::string name(1, '.');
  name.append(path.filename().string()).append(tag.data()).append(UNFINISHED);
  return path.parent_path() / name;
}

}  // namespace

std::string CodebookCache::file_name(const Weights& weights) {
  std::array<char, 32> tag;
  std::snprintf(tag.data(), tag.size(), "-%016llx%08x",
                static_cast<unsigned long long>(weights.mapping_hash), weights.mapping_crc);
  return plain_name(weights.name) + tag.data() + std::string(ENDING);
}

Codebooks CodebookCache::get(const Weights& weights, const Baking& baking,
                             CacheReport& report) const {
  if (folder_.empty() || weights.mapping_hash == 0) return bake(weights, baking);
  Progress unwatched;
  const Progress& progress = baking.progress != nullptr ? *baking.progress : unwatched;
  const BakedKey key(weights);
  const fs::path path = folder_ / file_name(weights);
  const auto from_file = [&] {
    auto books = read_baked(path, key, progress);
    if (books) {
      report.from_cache = true;
      report.file = path;
      std::error_code unused;  // the time of its last use decides what is deleted first
      fs::last_write_time(path, fs::file_time_type::clock::now(), unused);
    }
    return books;
  };
  if (auto books = from_file()) return std::move(*books);
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) {
    report.note = "no folder " + folder_.string() + " for baked nets: " + failure.message();
    return bake(weights, baking);
  }
  FileLock lock(path.string() + std::string(LOCK));
  hold(lock, progress);
  if (auto books = from_file()) return std::move(*books);  // somebody baked it in the meantime
  // One net at a time, of all processes: baking takes all cores, and twice the memory of the net.
  FileLock turn((folder_ / TURN).string());
  hold(turn, progress);
  Codebooks books = bake(weights, baking);
  if (lock.is_held()) remove_leftovers(path.filename().string());
  store(path, weights, books, progress, report);
  return books;
}

void CodebookCache::store(const fs::path& path, const Weights& weights, const Codebooks& books,
                          const Progress& progress, CacheReport& report) const {
  const fs::path beside = unfinished_name(path);
  std::error_code failure, unused;
  try {
    failure = write_baked(beside, BakedKey(weights), books, progress);
  } catch (...) {
    fs::remove(beside, unused);
    throw;
  }
  if (!failure) fs::rename(beside, path, failure);
  if (failure) {
    fs::remove(beside, unused);
    report.note = path.string() + " cannot be written: " + failure.message();
    return;
  }
  report.file = path;
  remove_unused(path);
}

void CodebookCache::remove_unused(const fs::path& kept) const {
  struct Entry {
    fs::file_time_type used;
    u64 bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  u64 total = 0;
  std::error_code unused;
  for (const fs::path& path : files_in(folder_, ENDING)) {
    const u64 bytes = fs::file_size(path, unused);
    if (unused) continue;
    total += bytes;
    if (path != kept) entries.push_back({fs::last_write_time(path, unused), bytes, path});
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) break;
    if (fs::remove(entry.path, unused)) total -= entry.bytes;
  }
}

void CodebookCache::remove_leftovers(const std::string& of_file) const {
  const auto now = fs::file_time_type::clock::now();
  std::error_code unused;
  const std::string ours = std::string(1, '.').append(of_file).append(1, '.');
  const std::string of_any = std::string(ENDING).append(1, '.');
  for (const fs::path& path : files_in(folder_, UNFINISHED)) {
    const std::string name = path.filename().string();
    if (!name.starts_with('.') || name.find(of_any) == std::string::npos) continue;  // another's
    const auto written = fs::last_write_time(path, unused);
    if (name.starts_with(ours) || (!unused && now - written > LEFT_OVER)) fs::remove(path, unused);
  }
}

}  // namespace tengen::mixnet
