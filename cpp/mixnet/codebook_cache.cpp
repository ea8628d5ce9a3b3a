// SPDX-License-Identifier: MIT
// Files are written under a temporary name and renamed when complete. A killed process leaves at
// most a temporary file and an unheld lock file; the next process that bakes the same net, or any
// net an hour later, removes them.
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

constexpr std::string_view ENDING = ".codebook", TEMPORARY = ".tmp", LOCK = ".lock";
/// Held while a net is baked.
constexpr std::string_view BAKE_LOCK = "options.codebook.lock";
constexpr auto POLL_INTERVAL = 20ms;
/// After this time a process that holds the lock is considered stuck.
constexpr auto LOCK_TIMEOUT = 60s;
/// Age from which a temporary file is considered abandoned.
constexpr auto STALE_AGE = 1h;

/// A net name with only characters that are valid in file names.
std::string safe_name(std::string_view name) {
  constexpr size_t MAX_LENGTH = 48;
  std::string result;
  for (const char c : name.substr(0, MAX_LENGTH)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += plain || c == '-' || c == '_' ? c : '_';
  }
  return result.empty() ? "net" : result;
}

/// Waits for the lock; returns without it if locks are not supported or after LOCK_TIMEOUT.
void acquire(FileLock& lock, const Progress& progress) {
  const auto end = std::chrono::steady_clock::now() + LOCK_TIMEOUT;
  while (lock.try_lock() == FileLock::Result::BUSY && std::chrono::steady_clock::now() < end) {
    progress.check();
    std::this_thread::sleep_for(POLL_INTERVAL);
  }
}

/// Regular files of a folder with this extension; none if it is unreadable.
std::vector<fs::path> files_in(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> result;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code unused;
    if (at->path().extension() == ending && at->is_regular_file(unused))
      result.push_back(at->path());
  }
  return result;
}

fs::path temporary_name(const fs::path& path) {
  std::random_device random;
  std::array<char, 32> tag;
  std::snprintf(tag.data(), tag.size(), ".%08x%08x", random(), random());
  std::string name(1, '.');
  name.append(path.filename().string()).append(tag.data()).append(TEMPORARY);
  return path.parent_path() / name;
}

}  // namespace

std::string CodebookCache::file_name(const Weights& weights) {
  std::array<char, 32> tag;
  std::snprintf(tag.data(), tag.size(), "-%016llx%08x",
                static_cast<unsigned long long>(weights.mapping_hash), weights.mapping_crc);
  return safe_name(weights.name) + tag.data() + std::string(ENDING);
}

Codebooks CodebookCache::get(const Weights& weights, const BakeOptions& options,
                             CacheReport& report) const {
  if (folder_.empty() || weights.mapping_hash == 0) return bake(weights, options);
  Progress unused_progress;
  const Progress& progress = options.progress != nullptr ? *options.progress : unused_progress;
  const BakedKey key(weights);
  const fs::path path = folder_ / file_name(weights);
  const auto from_file = [&] {
    auto books = read_baked(path, key, progress);
    if (books) {
      report.from_cache = true;
      report.file = path;
      std::error_code unused;  // least recently used files are deleted first
      fs::last_write_time(path, fs::file_time_type::clock::now(), unused);
    }
    return books;
  };
  if (auto books = from_file()) return std::move(*books);
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) {
    report.note = "no folder " + folder_.string() + " for baked nets: " + failure.message();
    return bake(weights, options);
  }
  FileLock lock(path.string() + std::string(LOCK));
  acquire(lock, progress);
  if (auto books = from_file()) return std::move(*books);  // another process baked it meanwhile
  // One net at a time over all processes: baking uses all cores and twice the memory of the net.
  FileLock bake_lock((folder_ / BAKE_LOCK).string());
  acquire(bake_lock, progress);
  Codebooks books = bake(weights, options);
  if (lock.is_held()) remove_stale(path.filename().string());
  store(path, weights, books, progress, report);
  return books;
}

void CodebookCache::store(const fs::path& path, const Weights& weights, const Codebooks& books,
                          const Progress& progress, CacheReport& report) const {
  const fs::path temporary = temporary_name(path);
  std::error_code failure, unused;
  try {
    failure = write_baked(temporary, BakedKey(weights), books, progress);
  } catch (...) {
    fs::remove(temporary, unused);
    throw;
  }
  if (!failure) fs::rename(temporary, path, failure);
  if (failure) {
    fs::remove(temporary, unused);
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
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) break;
    if (fs::remove(entry.path, unused)) total -= entry.bytes;
  }
}

void CodebookCache::remove_stale(const std::string& of_file) const {
  const auto now = fs::file_time_type::clock::now();
  std::error_code unused;
  const std::string own_prefix = std::string(1, '.').append(of_file).append(1, '.');
  const std::string of_any = std::string(ENDING).append(1, '.');
  for (const fs::path& path : files_in(folder_, TEMPORARY)) {
    const std::string name = path.filename().string();
    if (!name.starts_with('.') || name.find(of_any) == std::string::npos) continue;  // another's
    const auto written = fs::last_write_time(path, unused);
    if (name.starts_with(own_prefix) || (!unused && now - written > STALE_AGE))
      fs::remove(path, unused);
  }
}

}  // namespace tengen::mixnet
