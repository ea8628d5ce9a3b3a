// SPDX-License-Identifier: MIT
// Files of baked codebooks (docs/formats/codebook.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "mixnet/bake.h"

namespace tengen::mixnet {

/// Identifies the weights that codebooks were baked from. Nets with equal keys have equal
/// codebooks.
struct BakedKey {
  u32 channels = 0;
  u32 inner_channels = 0;  ///< of the mapping nets
  u64 mapping_hash = 0;
  u32 mapping_crc = 0;
  u64 expected_checksum = 0;  ///< checksum of the codebooks in the net file; 0: none

  explicit BakedKey(const Weights& weights)
      : channels(static_cast<u32>(weights.shape.c)),
        inner_channels(static_cast<u32>(weights.shape.m)),
        mapping_hash(weights.mapping_hash),
        mapping_crc(weights.mapping_crc),
        expected_checksum(weights.codebook_checksum) {}
};

/// Reads and verifies codebooks, on two threads where they can read. nullopt if there is no such
/// file, if it is of another net, or if it is damaged. Throws Stopped and std::bad_alloc.
std::optional<Codebooks> read_baked(const std::filesystem::path& path, const BakedKey& key,
                                    const Progress& progress);

/// The start of such a file; both codebooks follow it.
std::string baked_header(const BakedKey& key, const Codebooks& books);

/// Writes a new file. On an error, or when it throws Stopped, an unfinished file may remain.
std::error_code write_baked(const std::filesystem::path& path, const BakedKey& key,
                            const Codebooks& books, const Progress& progress);

}  // namespace tengen::mixnet
