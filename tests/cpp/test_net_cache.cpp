// SPDX-License-Identifier: MIT
// The codebook cache: same bytes as from baking whatever happens to the files, checksum, lock
// between processes, background loading.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "base/crc32.h"
#include "base/file_lock.h"
#include "base/rng.h"
#include "check.h"
#include "mixnet/net_loading.h"

using namespace tengen;
using namespace tengen::mixnet;
namespace fs = std::filesystem;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

std::string lively_bytes() {
  return read_file(fs::path(TENGEN_TEST_DATA) / "golden" / "mixnet" / "lively.net");
}

const Weights& lively() {
  static const Weights weights = read_weights(lively_bytes());
  return weights;
}

const Codebooks& baked() {
  static const Codebooks books = bake(lively());
  return books;
}

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / name()) { fs::create_directory(path_); }
  ~Folder() {
    std::error_code unused;
    fs::remove_all(path_, unused);
  }

  const fs::path& path() const { return path_; }
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_))
      found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }

 private:
  static std::string name() {
    std::ostringstream out;
    out << "tengen-test-" << std::hex << std::random_device()() << std::random_device()();
    return out.str();
  }

  fs::path path_;
};

bool same(const Codebooks& one, const Codebooks& other) {
  return bytes_of(one[0]) == bytes_of(other[0]) && bytes_of(one[1]) == bytes_of(other[1]);
}

/// Gets codebooks, checks them, and returns where they came from.
CacheReport asked(const CodebookCache& cache) {
  CacheReport report;
  CHECK(same(cache.get(lively(), {}, report), baked()));
  return report;
}

}  // namespace

TEST(crc32_versions_give_published_values) {
  using namespace crc32_detail;
  for (const auto way : {by_tables, fastest, plain}) {
    CHECK_EQ(way("", 0), 0u);
    CHECK_EQ(way("a", 0), 0xE8B7BE43u);
    CHECK_EQ(way("123456789", 0), 0xCBF43926u);
    CHECK_EQ(way("The quick brown fox jumps over the lazy dog", 0), 0x414FA339u);
    CHECK_EQ(way(std::string(32, '\xFF'), 0), 0xFF6CAB0Bu);
    CHECK_EQ(way(std::string(1 << 20, '\0'), 0), 0xA738EA1Cu);
  }
}

TEST(crc32_versions_agree_at_any_length_and_alignment) {
  using namespace crc32_detail;
  Rng rng(11);
  std::string bytes(1000, ' ');
  for (char& byte : bytes) byte = static_cast<char>(rng.below(256));
  int wrong = 0;
  for (size_t from = 0; from < 20; ++from)
    for (size_t count = 0; count < 300; ++count) {
      const std::string_view part = std::string_view(bytes).substr(from, count);
      const u32 wanted = plain(part, 0);
      const size_t cut = count == 0 ? 0 : rng.below(count);
      wrong += by_tables(part, 0) != wanted;
      wrong += fastest(part, 0) != wanted;
      wrong += crc32(part.substr(cut), crc32(part.substr(0, cut))) != wanted;
      wrong += by_tables(part.substr(cut), plain(part.substr(0, cut), 0)) != wanted;
    }
  CHECK_EQ(wrong, 0);
}

TEST(cache_returns_baked_codebooks) {
  const Folder folder;
  const CodebookCache cache(folder.path() / "made" / "by itself");
  const CacheReport first = asked(cache), second = asked(cache);
  CHECK(!first.from_cache && second.from_cache);
  CHECK(first.file == second.file && !first.file.empty());
  CHECK_EQ(first.note + second.note, "");
  CHECK_EQ(first.file.filename().string(), CodebookCache::file_name(lively()));
  CHECK_EQ(std::distance(fs::directory_iterator(first.file.parent_path()), {}), 1);
  CHECK_EQ(fs::file_size(first.file), 4096 + 2 * baked()[0].bytes());
}

TEST(cache_detects_damage) {
  const Folder folder;
  const CodebookCache cache(folder.path());
  const fs::path path = asked(cache).file;
  const std::string good = read_file(path);
  std::vector<std::string> damaged = {good.substr(0, 5000), "", good.substr(0, good.size() - 1),
                                      good + "x"};
  // The name, the fingerprint, the header's own checksum; both codebooks.
  for (const size_t place : {size_t{0}, size_t{30}, size_t{63}, size_t{4096}, good.size() - 1}) {
    damaged.push_back(good);
    damaged.back()[place] = static_cast<char>(good[place] ^ 16);
  }
  for (const std::string& bad : damaged) {
    write_file(path, bad);
    CHECK(!asked(cache).from_cache);
  }
  CHECK(read_file(path) == good);
}

TEST(cache_distinguishes_nets) {
  const Folder folder;
  const CodebookCache cache(folder.path());
  const fs::path path = asked(cache).file;
  const auto other_bytes =
      read_file(fs::path(TENGEN_TEST_DATA) / "golden" / "mixnet" / "at_bounds.net");
  const Weights other = read_weights(other_bytes);
  const fs::path other_path = folder.path() / CodebookCache::file_name(other);
  CHECK(other_path != path);
  fs::copy_file(path, other_path);  // whole, but of another net
  CacheReport report;
  const Codebooks books = cache.get(other, {}, report);
  CHECK(!report.from_cache);
  CHECK(!same(books, baked()));
  CHECK(same(books, bake(other)));
  Weights promising = lively();  // the same weights, but the net's file promises other codebooks
  promising.codebook_checksum ^= 1;
  bool refused = false;
  try {
    cache.get(promising, {}, report);
  } catch (const std::runtime_error&) {
    refused = true;
  }
  CHECK(refused);
  CHECK(asked(cache).from_cache);
}

TEST(cache_works_without_a_folder) {
  CHECK_EQ(asked(CodebookCache("")).note, "");
  const Folder folder;
  write_file(folder.path() / "file", "no folder");
  const CacheReport report = asked(CodebookCache(folder.path() / "file" / "below"));
  CHECK(!report.from_cache && report.file.empty());
  CHECK(report.note.find("no folder") != std::string::npos);
  fs::create_directory(folder.path() / CodebookCache::file_name(lively()));  // in the way
  const CacheReport blocked = asked(CodebookCache(folder.path()));
  CHECK(blocked.file.empty());
  CHECK(blocked.note.find("cannot be written") != std::string::npos);
  CHECK_EQ(folder.files().size(), 2u);  // nothing unfinished is left
}

TEST(cache_deletes_least_recently_used_files) {
  const Folder folder;
  const u64 bytes = 4096 + 2 * baked()[0].bytes();
  const auto now = fs::file_time_type::clock::now();
  for (const int age : {1, 2, 3}) {
    const fs::path path = folder.path() / ("old" + std::to_string(age) + ".codebook");
    write_file(path, std::string(1000, 'x'));
    fs::last_write_time(path, now - std::chrono::hours(age));
  }
  write_file(folder.path() / "notes.txt", std::string(5000, 'x'));
  const CodebookCache cache(folder.path(), bytes + 2500);
  const CacheReport report = asked(cache);
  const std::vector<std::string> kept = {report.file.filename().string(), "notes.txt",
                                         "old1.codebook", "old2.codebook"};
  CHECK(folder.files() == kept);
  asked(CodebookCache(folder.path(), 0));  // even alone too large: what is used stays
  CHECK(folder.files() == kept);
  fs::remove(report.file);
  asked(CodebookCache(folder.path(), 0));
  CHECK_EQ(folder.files().size(), 2u);
}

TEST(cache_removes_stale_temporary_files) {
  const Folder folder;
  const std::string name = CodebookCache::file_name(lively());
  const auto now = fs::file_time_type::clock::now();
  write_file(folder.path() / ("." + name + ".1234.tmp"), "unfinished");
  write_file(folder.path() / ".other.codebook.1234.tmp", "perhaps still being written");
  write_file(folder.path() / ".old.codebook.1234.tmp", "of a process long dead");
  write_file(folder.path() / (name + ".lock"), "");
  write_file(folder.path() / "x.tmp", "of somebody else");
  for (const char* old : {".old.codebook.1234.tmp", "x.tmp"})
    fs::last_write_time(folder.path() / old, now - std::chrono::hours(2));
  asked(CodebookCache(folder.path()));
  const std::vector<std::string> kept = {".other.codebook.1234.tmp", name, "x.tmp"};
  CHECK(folder.files() == kept);
}

TEST(file_lock_is_held_by_one) {
  const Folder folder;
  const fs::path path = folder.path() / "a.lock";
  FileLock one(path), two(path), three(path);
  CHECK(one.try_lock() == FileLock::Result::LOCKED);
  CHECK(two.try_lock() == FileLock::Result::BUSY);
  one.release();
  CHECK(folder.files().empty());
  CHECK(two.try_lock() == FileLock::Result::LOCKED);
  CHECK(one.try_lock() == FileLock::Result::BUSY);
  fs::remove(path);  // the next holder creates another file
  CHECK(three.try_lock() == FileLock::Result::LOCKED);
  FileLock nowhere(folder.path() / "no" / "folder");
  CHECK(nowhere.try_lock() == FileLock::Result::UNSUPPORTED);
}

TEST(file_lock_is_held_by_one_of_many) {
  const Folder folder;
  std::atomic<int> inside{0}, together{0}, times{0};
  const auto work = [&] {
    for (int i = 0; i < 5000; ++i) {
      FileLock lock(folder.path() / "a.lock");
      if (lock.try_lock() != FileLock::Result::LOCKED) continue;
      together += inside++ != 0;
      ++times;
      --inside;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(together.load(), 0);
  CHECK(times > 100);
}

TEST(net_loading_returns_a_net_or_an_error) {
  const Folder folder;
  const auto loaded = [&](std::string bytes) {
    auto loading = std::make_unique<NetLoading>(std::move(bytes), CodebookCache(folder.path()));
    while (!loading->is_done()) std::this_thread::yield();
    return loading;
  };
  const auto first = loaded(lively_bytes()), second = loaded(lively_bytes());
  CHECK(same(first->net()->codebooks(), baked()) && same(second->net()->codebooks(), baked()));
  CHECK(!first->report().from_cache && second->report().from_cache);
  CHECK_EQ(first->progress(), 1.0);
  bool refused = false;
  try {
    loaded("no net")->net();
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(net_loading_can_be_stopped) {
  const Folder folder;
  const auto is_writing = [&] {
    return std::ranges::any_of(folder.files(), [](const auto& f) { return f.ends_with(".tmp"); });
  };
  for (int i = 0; i < 6; ++i) {
    NetLoading loading(lively_bytes(), CodebookCache(folder.path()));
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
    while (i % 2 == 1 && !loading.is_done() && !is_writing())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    loading.stop();
    CHECK(loading.is_done());
    if (!loading.report().file.empty()) fs::remove(loading.report().file);
    CHECK(folder.files().empty());  // neither a lock nor an unfinished file
  }
  {
    const NetLoading dropped(lively_bytes(), CodebookCache(folder.path()));
  }
  asked(CodebookCache(folder.path()));
}
