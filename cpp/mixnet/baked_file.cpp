// SPDX-License-Identifier: MIT
#include "mixnet/baked_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/c_file.h"
#include "base/crc32.h"
#include "base/parallel.h"
#include "mixnet/patterns.h"
#include "os/os.h"

namespace tengen::mixnet {

namespace {

constexpr char MAGIC[8] = {'T', 'E', 'N', 'G', 'E', 'N', 'C', '1'};
constexpr u32 FORMAT = 1;
constexpr size_t HEADER_BYTES = 4096;  ///< size of the header, padded
/// Bytes per read or write: small enough to stay in the cache for the checksum and to stop quickly.
constexpr size_t BLOCK_BYTES = size_t{256} << 10;

struct Head {
  char magic[8];
  u32 format;
  u32 channels;
  u32 inner_channels;
  u32 patterns;
  u64 mapping_hash;
  u32 mapping_crc;
  u32 zero;
  u64 book_bytes;  ///< of each of the two
  u64 checksum;    ///< CRC-32 of both codebooks, that of rows and columns in the high half
  u32 more_zeros;
  u32 head_crc;  ///< of the bytes before
};
static_assert(sizeof(Head) == 64 && offsetof(Head, head_crc) == 60);

std::string_view bytes_of(const Head& head, size_t count = sizeof(Head)) {
  return {reinterpret_cast<const char*>(&head), count};
}

/// The header that a file with these codebooks must have.
Head head_of(const BakedKey& key, u64 checksum) {
  Head head{};
  std::copy_n(MAGIC, sizeof MAGIC, head.magic);
  head.format = FORMAT;
  head.channels = key.channels;
  head.inner_channels = key.inner_channels;
  head.patterns = PATTERN_NB;
  head.mapping_hash = key.mapping_hash;
  head.mapping_crc = key.mapping_crc;
  head.book_bytes = u64{PATTERN_NB} * key.channels * sizeof(i16);
  head.checksum = checksum;
  head.head_crc = crc32(bytes_of(head, offsetof(Head, head_crc)));
  return head;
}

/// Whether header and length of a file are those of the codebooks of `key`.
bool read_head(const std::filesystem::path& path, const BakedKey& key, Head& head) {
  const CFile file = open_file(path, false);
  if (!file || std::fread(&head, sizeof head, 1, file.get()) != 1) return false;
  const Head expected =
      head_of(key, key.expected_checksum != 0 ? key.expected_checksum : head.checksum);
  std::error_code failure;
  const auto length = std::filesystem::file_size(path, failure);
  return bytes_of(head) == bytes_of(expected) && !failure &&
         length == HEADER_BYTES + 2 * head.book_bytes;
}

/// Fills a codebook from a file. False if it is incomplete or its CRC-32 is wrong.
bool read_book(const std::filesystem::path& path, size_t offset, u32 crc, Codebook& book,
               const Progress& progress) {
  const CFile file = open_file(path, false);
  if (!file || std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0) return false;
  char* const to = reinterpret_cast<char*>(&book[0]);
  u32 computed = 0;
  for (size_t at = 0; at < book.bytes(); at += BLOCK_BYTES) {
    progress.check();
    const size_t count = std::min(BLOCK_BYTES, book.bytes() - at);
    if (std::fread(to + at, 1, count, file.get()) != count) return false;
    computed = crc32({to + at, count}, computed);
  }
  return computed == crc;
}

bool write_all(std::FILE* file, std::string_view bytes, const Progress& progress) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(BLOCK_BYTES, bytes.size()))) {
    progress.check();
    const size_t count = std::min(BLOCK_BYTES, bytes.size());
    if (std::fwrite(bytes.data(), 1, count, file) != count) return false;
  }
  return true;
}

}  // namespace

std::optional<Codebooks> read_baked(const std::filesystem::path& path, const BakedKey& key,
                                    const Progress& progress) {
  Head head;
  if (!read_head(path, key, head)) return {};
  const size_t length = head.book_bytes / sizeof(i16);
  Codebooks books{Codebook(length), Codebook(length)};
  std::array<bool, 2> good{};
  const std::array<u32, 2> crcs = {static_cast<u32>(head.checksum >> 32),
                                   static_cast<u32>(head.checksum)};
  const auto read = [&](size_t i, size_t) {
    good[i] = read_book(path, HEADER_BYTES + i * head.book_bytes, crcs[i], books[i], progress);
  };
  parallel_ranges(good.size(), os::THREADS_READ_FILES ? 2 : 1, read, 1);
  if (!good[0] || !good[1]) return {};
  return books;
}

std::string baked_header(const BakedKey& key, const Codebooks& books) {
  const Head head = head_of(key, codebook_checksum(books));
  std::string header(HEADER_BYTES, '\0');
  std::memcpy(header.data(), &head, sizeof head);
  return header;
}

std::error_code write_baked(const std::filesystem::path& path, const BakedKey& key,
                            const Codebooks& books, const Progress& progress) {
  const auto last_error = [] { return std::error_code(errno, std::generic_category()); };
  CFile file = open_file(path, true);
  if (!file) return last_error();
  const std::string header = baked_header(key, books);
  for (const std::string_view part :
       {std::string_view(header), mixnet::bytes_of(books[0]), mixnet::bytes_of(books[1])})
    if (!write_all(file.get(), part, progress)) return last_error();
  if (std::fclose(file.release()) != 0) return last_error();
  return {};
}

}  // namespace tengen::mixnet
