// SPDX-License-Identifier: MIT
// The two things that take the time: bringing the feature sums of a position up to date, and the
// layers of the heads. One version for each instruction set, the one that cpp/simd has chosen; all
// give the same numbers. Relies on layout.h and simd; the accumulator and the heads rely on it.
#pragma once

#include <string_view>

#include "mixnet/layout.h"

namespace tengen::mixnet {

/// The feature sums of a position, for one point of view.
struct Planes {
  i16* features;  ///< [points][c]: sums of four codebook rows, before the ReLU
  i16* conv;      ///< [points][c / 2]: sums of the depth-wise convolution, before the ReLU
  i32* chunks;    ///< [CHUNKS][c]: sums of the final features over the points of each chunk
};

/// The part of a Layout that a stone's point needs, in plain pointers: what is compiled for one
/// instruction set shares no code with the rest, not even that of a vector.
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

/// The part of a Layout that any points need.
struct BoardView {
  explicit BoardView(const Layout& layout) : size(layout.size), chunk(layout.chunk.data()) {}

  int size;
  const u8* chunk;
};

/// A codebook row that takes the place of another one.
struct RowChange {
  int point;
  const i16* added;
  const i16* removed;
};

/// The most changes of one stone: four of its own point, and ten on each of four lines.
inline constexpr int MAX_CHANGES = 44;

/// Words in a line of the cache: rows are asked for line by line.
inline constexpr int LINE_WORDS = 32;

/// What a stone changed, as it was before.
struct Kept {
  i16* features;  ///< [changed points][c], in the order of the changes
  i16* conv;      ///< [touched points][c / 2], in the order of the layout
  i32* chunks;    ///< [CHUNKS][c]
};

/// Patterns of a point, and lines of the largest board.
inline constexpr int POINT_PATTERNS = 4;
inline constexpr int MOST_LINES = 22;

/// Patterns that are compared at once.
inline constexpr int PATTERNS_AT_ONCE = 16;

/// Several stones at once: the patterns of all points, four each, as they were and as they are.
/// Behind both PATTERNS_AT_ONCE more numbers may be read, but are not used.
struct Renewal {
  const i32 *before, *after;
  const i16* books[2];  ///< the codebooks of rows and columns, and of diagonals
};

/// The depth-wise convolution: its weights [9][c / 2], and what its sums begin with.
struct Convolution {
  const i16* taps;
  const i16* bias;
};

/// The last layers of the policy: the weights and biases that the position has made.
struct PolicyLayers {
  int channels;        ///< that are read of a point, an even number
  const i16* dynamic;  ///< [channels / 2][POLICY_OUTPUTS][2]
  const i32* bias;     ///< [POLICY_OUTPUTS]
  const i16* weights;  ///< [POLICY_OUTPUTS]
  i32 last_bias;
};

/// Rows that a layer is asked about at once: its weights are read once for all of them.
inline constexpr int MAX_ROWS = 4;

/// Outputs of a layer come in multiples of it. The weights for so many lie together, in the order
/// in which they are read: the layers of a net do not fit into the nearest cache.
inline constexpr int LAYER_WIDTH = 16;

/// Weights of seven bits for inputs of 0 to 127.
struct ByteWeights {
  const i8* bytes;  ///< [out / LAYER_WIDTH][in / 4][LAYER_WIDTH][4]
  /// Of an output's weights for two fours of inputs, the first two of both or the last two of both:
  /// those above zero add up to LIGHT_MAX at most, and those below to -LIGHT_MAX at least. Then 16
  /// bits hold four products, which saves some kernels a part of their work.
  bool light;
};
inline constexpr int LIGHT_MAX = 32767 / ACTIVATION_MAX;

/// Weights of seven bits for inputs of 16 bits, in both orders: the kernels use one of them.
struct WordWeights {
  const i16* words;  ///< [out / LAYER_WIDTH][in / 2][LAYER_WIDTH][2]
  const i8* bytes;   ///< [out / LAYER_WIDTH][in / 4][LAYER_WIDTH][4]
};

/// A star block: in inputs, up and gate of 4 in outputs together, and out outputs of their
/// products.
struct StarLayers {
  int in, out;
  ByteWeights both;
  const i32* both_bias;
  WordWeights down;
  const i32* down_bias;
  int down_out;  ///< out, filled up
};

struct Kernels {
  std::string_view name;

  /// One stone's changes; those of the same point stand side by side. `taps` are the weights of the
  /// convolution, [9][c / 2]. What was there before goes to `kept`. For c = 32, 64, 128: at place
  /// 0, 1, 2.
  using Apply = void (*)(const StoneView& stone, const i16* taps, const Planes& planes,
                         const RowChange* changes, int count, const Kept& kept);
  Apply apply[3];
  /// Puts back what apply() kept. `points` are those that changed, each once.
  using PutBack = void (*)(const StoneView& stone, const Planes& planes, const u16* points,
                           int count, const Kept& kept);
  PutBack put_back[3];
  /// The sums of the chunks as apply() would leave them go to `chunks`; nothing else changes.
  using Peek = void (*)(const StoneView& stone, const i16* taps, const Planes& planes,
                        const RowChange* changes, int count, i32* chunks);
  Peek peek[3];
  /// Any number of stones put on and taken off at once: the convolution is worked out anew at each
  /// point that reads a changed one, which is quicker than stone by stone from three or four stones
  /// on. By value, since what is written through pointers could otherwise change these, for all
  /// that a compiler knows.
  using Renew = void (*)(BoardView board, Convolution conv, Planes planes, Renewal renewal);
  Renew renew[3];

  /// sums[row][out] = bias + weights * x[row], for up to MAX_ROWS rows. x is 0 to 127; in and out
  /// are multiples of 16.
  void (*add_bytes)(const u8* const* x, int rows, int in, const ByteWeights& weights,
                    const i32* bias, int out, i32* sums);

  /// Logits of a policy at points; their features are conv + point * stride. What lies beyond them
  /// may be read up to a multiple of 16, but is not used.
  void (*policy)(const PolicyLayers& layers, const i16* conv, int stride, const u16* points,
                 size_t count, i32* logits);
  /// Sums as weights of the dynamic convolution. Here and below counts are multiples of
  /// LAYER_WIDTH.
  void (*make_dynamic)(const i32* sums, int count, i16* out);

  /// A layer of one row, whose sums become activations: 0 to 127. Requires MAX_CHANNELS outputs at
  /// most.
  void (*layer)(const u8* x, int in, const ByteWeights& weights, const i32* bias, int out, u8* to);
  /// A star block for up to MAX_ROWS inputs at once.
  void (*star)(const StarLayers& star, const u8* const* from, u8* const* to, int rows);
  /// Rounded means of four rows of activations.
  void (*mean_of_four)(const u8* const* rows, int count, u8* out);
  /// Means of the features over the points of each chunk, and over all, as activations. `sums` are
  /// [CHUNKS][c], `means` those of the layout, `chunks` [CHUNKS][MAX_CHANNELS].
  void (*take_means)(const i32* sums, int c, const Mean* means, u8* chunks, u8* all);
};

/// The version of simd::ops().
const Kernels& kernels();
/// The version with that name of cpp/simd; requires that this machine can run it.
const Kernels& kernels(std::string_view name);

/// The place of a number of channels in Kernels::apply.
constexpr int apply_place(int channels) { return channels == 32 ? 0 : channels == 64 ? 1 : 2; }

}  // namespace tengen::mixnet
