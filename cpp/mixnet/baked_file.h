// SPDX-License-Identifier: MIT
// A file of baked codebooks (docs/formats/codebook.md): its header, reading and writing it. Relies
// on bake.h; the cache relies on it.
#pragma once

#include <filesystem>
#include <optional>
#include <system_error>

#include "mixnet/bake.h"

namespace tengen::mixnet {

/// What the codebooks in a file are baked from. Two nets have the same only if their codebooks are
/// the same.
struct BakedKey {
  u32 channels = 0;
  u32 inner_channels = 0;  ///< of the mapping nets
  u64 mapping_hash = 0;
  u32 mapping_crc = 0;
  u64 promised = 0;  ///< checksum of the codebooks that the net's file tells; 0: none

  explicit BakedKey(const Weights& weights)
      : channels(static_cast<u32>(weights.shape.c)),
        inner_channels(static_cast<u32>(weights.shape.m)),
        mapping_hash(weights.mapping_hash),
        mapping_crc(weights.mapping_crc),
        promised(weights.codebook_checksum) {}
};

/// The codebooks of a file, read and checked on two threads. Nothing if there is no such file, if
/// it holds those of another net, or if a bit is wrong. Throws Stopped and std::bad_alloc.
std::optional<Codebooks> read_baked(const std::filesystem::path& path, const BakedKey& key,
                                    const Progress& progress);

/// Writes a new file. Tells why if the system does not take all of it: then an unfinished file may
/// be left, as after Stopped, which it throws.
std::error_code write_baked(const std::filesystem::path& path, const BakedKey& key,
                            const Codebooks& books, const Progress& progress);

}  // namespace tengen::mixnet
