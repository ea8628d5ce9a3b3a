// SPDX-License-Identifier: MIT
// The hot loops of Mixnet: updates of the feature sums and the layers of the heads. One version per
// instruction set, selected with cpp/simd; all give the same numbers.
#pragma once

#include <string_view>

#include "mixnet/layout.h"

namespace tengen::mixnet {

/// Feature sums of a position for one point of view.
struct AccumulatorState {
  i16* features;  ///< [points][c]: sums of four codebook rows, before the ReLU
  i16* conv;      ///< [points][c / 2]: sums of the depth-wise convolution, before the ReLU
  i32* chunks;    ///< [CHUNKS][c]: sums of the final features over the points of each chunk
};

/// The part of a Layout for a stone's point, in plain pointers: code compiled for one instruction
/// set must not instantiate shared templates.
struct StoneView {
  StoneView(const Layout& layout, int point)
      : chunk(layout.chunk.data()),
        touched(layout.touched.data() + layout.reaches[static_cast<size_t>(point)].touched),
        end(layout.touched.data() + layout.reaches[static_cast<size_t>(point) + 1].touched),
        reads(layout.reads.data() + layout.reaches[static_cast<size_t>(point)].reads) {}

  const u8* chunk;
  const Layout::Touched *touched, *end;
  const Layout::Read* reads;
};

/// The part of a Layout for arbitrary points.
struct BoardView {
  explicit BoardView(const Layout& layout) : size(layout.size), chunk(layout.chunk.data()) {}

  int size;
  const u8* chunk;
};

/// A codebook row that replaces another.
struct RowChange {
  int point;
  const i16* added;
  const i16* removed;
};

/// Maximum number of changes of one stone: four of its own point, and ten on each of four lines.
inline constexpr int MAX_CHANGES = 44;

/// Words per cache line, for prefetching.
inline constexpr int CACHE_LINE_WORDS = 32;

/// Saved values that a stone changed.
struct SavedValues {
  i16* features;  ///< [changed points][c], in the order of the changes
  i16* conv;      ///< [touched points][c / 2], in the order of the layout
  i32* chunks;    ///< [CHUNKS][c]
};

/// Patterns per point, and lines of the largest board.
inline constexpr int POINT_PATTERNS = 4;
inline constexpr int MAX_LINES = 22;

/// Patterns compared per step.
inline constexpr int PATTERNS_PER_BLOCK = 16;

/// Input of a refresh: the patterns of all points, four each, before and after. PATTERNS_PER_BLOCK
/// more numbers behind both may be read but are not used.
struct RefreshInput {
  const i32 *before, *after;
  const i16* books[2];  ///< codebooks of rows and columns, and of diagonals
};

/// The depth-wise convolution: weights [9][c / 2] and bias.
struct Convolution {
  const i16* weights;
  const i16* bias;
};

/// The last layers of the policy, with weights and biases computed from the position.
struct PolicyLayers {
  int channels;        ///< read per point, an even number
  const i16* dynamic;  ///< [channels / 2][POLICY_OUTPUTS][2]
  const i32* bias;     ///< [POLICY_OUTPUTS]
  const i16* weights;  ///< [POLICY_OUTPUTS]
  i32 last_bias;
};

/// Rows per call of a layer: its weights are read once for all of them.
inline constexpr int MAX_ROWS = 4;

/// Outputs of a layer are multiples of it. Weights are interleaved by this width in read order: the
/// layers do not fit into the L1 cache.
inline constexpr int LAYER_WIDTH = 16;

/// Seven-bit weights for inputs of 0 to 127.
struct ByteWeights {
  const i8* bytes;  ///< [out / LAYER_WIDTH][in / 4][LAYER_WIDTH][4]
  /// For each output and every two groups of four inputs, among the first two or the last two of
  /// both groups: positive weights sum to at most I16_WEIGHT_SUM_MAX, negative ones to at least
  /// -I16_WEIGHT_SUM_MAX. Four products then fit into 16 bits, which some kernels exploit.
  bool fits_i16;
};
inline constexpr int I16_WEIGHT_SUM_MAX = 32767 / ACTIVATION_MAX;

/// Seven-bit weights for 16-bit inputs, in two layouts: each kernel uses one of them.
struct WordWeights {
  const i16* words;  ///< [out / LAYER_WIDTH][in / 2][LAYER_WIDTH][2]
  const i8* bytes;   ///< [out / LAYER_WIDTH][in / 4][LAYER_WIDTH][4]
};

/// A star block: `in` inputs, up and gate with 4 * in outputs together, and `out` outputs of their
/// products.
struct StarLayers {
  int in, out;
  ByteWeights both;
  const i32* both_bias;
  WordWeights down;
  const i32* down_bias;
  int down_out;  ///< `out`, padded
};

struct Kernels {
  std::string_view name;

  /// Applies the changes of one stone; changes of the same point are adjacent. `weights`: weights
  /// of the convolution, [9][c / 2]. Saves old values to `saved`. Index 0, 1, 2 for c = 32, 64,
  /// 128.
  using Apply = void (*)(const StoneView& stone, const i16* weights, const AccumulatorState& state,
                         const RowChange* changes, int count, const SavedValues& saved);
  Apply apply[3];
  /// Restores what apply() saved. `points`: the changed points, each once.
  using Restore = void (*)(const StoneView& stone, const AccumulatorState& state, const u16* points,
                           int count, const SavedValues& saved);
  Restore restore[3];
  /// Writes the chunk sums as apply() would leave them to `chunks`; changes nothing else.
  using PreviewAdd = void (*)(const StoneView& stone, const i16* weights,
                              const AccumulatorState& state, const RowChange* changes, int count,
                              i32* chunks);
  PreviewAdd preview_add[3];
  /// Adds and removes any number of stones: recomputes the convolution at each point that reads a
  /// changed one, which is faster than single updates from three or four stones on. By value, so
  /// that the compiler need not reload arguments after stores.
  using Refresh = void (*)(BoardView board, Convolution conv, AccumulatorState state,
                           RefreshInput input);
  Refresh refresh[3];

  /// sums[row][out] = bias + weights * x[row], for up to MAX_ROWS rows. x is 0 to 127; in and out
  /// are multiples of 16.
  void (*add_bytes)(const u8* const* x, int rows, int in, const ByteWeights& weights,
                    const i32* bias, int out, i32* sums);

  /// Policy logits at points; their features are conv + point * stride. Up to the next multiple of
  /// 16 may be read but is not used.
  void (*policy)(const PolicyLayers& layers, const i16* conv, int stride, const u16* points,
                 size_t count, i32* logits);
  /// Converts sums to weights of the dynamic convolution. Here and below counts are multiples of
  /// LAYER_WIDTH.
  void (*make_dynamic)(const i32* sums, int count, i16* out);

  /// A layer of one row with activations of 0 to 127. Requires at most MAX_CHANNELS outputs.
  void (*layer)(const u8* x, int in, const ByteWeights& weights, const i32* bias, int out, u8* to);
  /// A star block for up to MAX_ROWS inputs.
  void (*star)(const StarLayers& star, const u8* const* from, u8* const* to, int rows);
  /// Rounded means of four rows of activations.
  void (*mean_of_four)(const u8* const* rows, int count, u8* out);
  /// Means of the features over each chunk and over all points, as activations. `sums` are
  /// [CHUNKS][c], `means` those of the layout, `chunks` [CHUNKS][MAX_CHANNELS].
  void (*compute_means)(const i32* sums, int c, const Mean* means, u8* chunks, u8* all);
};

/// The version of simd::ops().
const Kernels& kernels();
/// The version with that name in cpp/simd; requires that this machine supports it.
const Kernels& kernels(std::string_view name);

/// Index of a number of channels in Kernels::apply.
constexpr int channel_index(int channels) { return channels == 32 ? 0 : channels == 64 ? 1 : 2; }

}  // namespace tengen::mixnet
