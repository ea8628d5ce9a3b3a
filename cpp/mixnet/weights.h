// SPDX-License-Identifier: MIT
// The weights of a Mixnet and the reader of net files (docs/formats/net.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mixnet/shape.h"

namespace tengen::mixnet {

/// A linear layer: weights [out][in], or [out][in][tap].
template <typename W, typename B>
struct Layer {
  int out = 0, in = 0, taps = 1;
  std::vector<W> weights;
  std::vector<B> bias;

  const W& weight(int o, int i, int tap = 0) const {
    return weights[static_cast<size_t>((o * in + i) * taps + tap)];
  }
};

using FloatLayer = Layer<float, float>;
using ByteLayer = Layer<i8, i32>;
using WordLayer = Layer<i16, i32>;

/// The net that maps a line of eleven cells to features.
struct MappingWeights {
  static constexpr int BLOCKS = 4;

  FloatLayer first;                              ///< 2 -> m, three taps
  std::array<FloatLayer, BLOCKS> along, across;  ///< m -> m with three taps, m -> m with one
  FloatLayer last;                               ///< m -> c
};

struct StarWeights {
  ByteLayer up, gate, down;  ///< in -> 2 in with a ReLU, in -> 2 in, in -> out
};

struct Weights {
  Shape shape{};
  std::array<MappingWeights, 2> mapping;  ///< of rows and columns, of diagonals
  Layer<i16, i16> conv;                   ///< [c / 2][9]
  ByteLayer policy_hidden, policy_dynamic;
  WordLayer policy_out;
  std::array<StarWeights, 4> stars;  ///< corner, edge, centre, quad
  std::array<ByteLayer, 3> value;

  u64 codebook_checksum = 0;  ///< of the baked codebooks; 0: not known
  /// FNV-1a and CRC-32 of the mapping weights in the file; 0: not from a file.
  u64 mapping_hash = 0;
  u32 mapping_crc = 0;
  u16 rules = 0;     ///< bit i: the i-th rule
  u32 sizes = 0;     ///< bit s: boards of s lines
  std::string name;  ///< from the header
};

/// The header of a net file: its fixed part and its JSON text.
struct NetHeader {
  std::string json;           ///< padded with spaces
  u64 architecture_hash = 0;  ///< FNV-1a of the architecture text
  u64 codebook_checksum = 0;  ///< of the baked codebooks; 0: unknown
  u64 payload_bytes = 0;
  u32 payload_crc = 0;
  u32 sizes = 0;    ///< bit s: boards of s lines
  u16 rules = 0;    ///< bit i: the i-th rule
  u16 colours = 0;  ///< 1: black to move, 2: white

  size_t payload_start() const;  ///< bytes from the start of the file
};

/// Reads and checks the header at the start of a file of `length` bytes (none: unknown). This is
/// the only parser of the header: Python uses it through the binding. `start` holds at least
/// MAX_HEADER bytes, or the whole file. Throws std::invalid_argument.
NetHeader read_header(std::string_view start, std::optional<u64> length);

/// The architecture of a net. Throws std::invalid_argument for one that the engine cannot run.
Shape shape_of(const NetHeader& header);

inline constexpr size_t MAX_HEADER = 64 + (size_t{1} << 20);  ///< bytes; a longer one is damaged

/// Reads a net file. Throws std::invalid_argument.
Weights read_weights(std::string_view bytes);

}  // namespace tengen::mixnet
