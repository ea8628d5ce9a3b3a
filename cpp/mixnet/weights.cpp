// SPDX-License-Identifier: MIT
#include "mixnet/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "base/crc32.h"

namespace tengen::mixnet {

static_assert(std::endian::native == std::endian::little, "net files are little-endian");

namespace {

constexpr std::string_view MAGIC = "TENGENN1";
constexpr u32 FORMAT = 1;
constexpr size_t HEAD = 64, ALIGNMENT = 64;

[[noreturn]] void fail(const std::string& words) { throw std::invalid_argument(words); }

template <typename T>
T number_at(std::string_view bytes, size_t offset) {
  T found;
  std::memcpy(&found, bytes.data() + offset, sizeof(T));
  return found;
}

u64 fnv1a(std::string_view text) {
  u64 hash = 0xCBF29CE484222325;
  for (const char letter : text) hash = (hash ^ static_cast<u8>(letter)) * 0x100000001B3;
  return hash;
}

float widened(u16 half) {
  const u32 sign = static_cast<u32>(half & 0x8000) << 16;
  const u32 exponent = (half >> 10) & 31, mantissa = half & 0x3FF;
  if (exponent == 0) {  // nothing, or a number below the normal ones
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  if (exponent == 31) fail("the net has a weight that is no number");
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

/// Takes tensors off the payload one by one.
class Payload {
 public:
  explicit Payload(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  std::vector<T> take(size_t count) {
    const size_t wanted = count * sizeof(T);
    if (bytes_.size() - offset_ < wanted) fail("the net file is too short for its architecture");
    std::vector<T> found(count);
    std::memcpy(found.data(), bytes_.data() + offset_, wanted);
    offset_ = std::min(bytes_.size(), (offset_ + wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return found;
  }

  FloatLayer floats(int out, int in, int taps) {
    FloatLayer layer{out, in, taps, {}, {}};
    for (const u16 half : take<u16>(static_cast<size_t>(out * in * taps)))
      layer.weights.push_back(widened(half));
    layer.bias = take<float>(static_cast<size_t>(out));
    for (const float bias : layer.bias)
      if (!std::isfinite(bias)) fail("the net has a bias that is no number");
    return layer;
  }

  template <typename W, typename B>
  Layer<W, B> whole(int out, int in, int taps = 1) {
    Layer<W, B> layer{out, in, taps, take<W>(static_cast<size_t>(out * in * taps)), {}};
    layer.bias = take<B>(static_cast<size_t>(out));
    return layer;
  }

  bool at_end() const { return offset_ == bytes_.size(); }
  /// What was taken so far, padding included.
  std::string_view taken() const { return bytes_.substr(0, offset_); }

 private:
  std::string_view bytes_;
  size_t offset_ = 0;
};

template <typename W>
void check_range(const std::vector<W>& values, i64 most, const char* what) {
  for (const W value : values)
    if (value > most || value < -most) fail(std::string("the net has a ") + what + " out of range");
}

MappingWeights read_mapping(Payload& payload, const Shape& shape) {
  MappingWeights found;
  found.first = payload.floats(shape.m, 2, 3);
  for (size_t k = 0; k < MappingWeights::BLOCKS; ++k) {
    found.along[k] = payload.floats(shape.m, shape.m, 3);
    found.across[k] = payload.floats(shape.m, shape.m, 1);
  }
  found.last = payload.floats(shape.c, shape.m, 1);
  return found;
}

ByteLayer read_bytes(Payload& payload, int out, int in) {
  auto layer = payload.whole<i8, i32>(out, in);
  check_range(layer.weights, 127, "weight");
  check_range(layer.bias, i64{1} << 28, "bias");
  return layer;
}

StarWeights read_star(Payload& payload, int in, int out) {
  auto up = read_bytes(payload, 2 * in, in);
  auto gate = read_bytes(payload, 2 * in, in);
  return {std::move(up), std::move(gate), read_bytes(payload, out, in)};
}

void read_payload(Payload& payload, Weights& net) {
  const Shape& shape = net.shape;
  for (auto& mapping : net.mapping) mapping = read_mapping(payload, shape);
  net.mapping_hash = fnv1a(payload.taken());
  net.mapping_crc = crc32(payload.taken());
  net.conv = payload.whole<i16, i16>(shape.conv(), 1, 9);
  check_range(net.conv.weights, 32767, "weight of the convolution");
  check_range(net.conv.bias, 8192, "bias of the convolution");
  net.policy_hidden = read_bytes(payload, shape.c, shape.c);
  net.policy_dynamic = read_bytes(payload, shape.dynamic(), shape.c);
  net.policy_out = payload.whole<i16, i32>(1, Shape::POLICY_OUTPUTS);
  check_range(net.policy_out.weights, 8191, "weight of the policy");
  check_range(net.policy_out.bias, i64{1} << 30, "bias of the policy");
  for (size_t k = 0; k < 3; ++k) net.stars[k] = read_star(payload, shape.c, shape.v);
  net.stars[3] = read_star(payload, shape.v, shape.v);
  net.value[0] = read_bytes(payload, shape.v, shape.joined());
  net.value[1] = read_bytes(payload, shape.v, shape.v);
  net.value[2] = read_bytes(payload, VALUE_OUTPUTS, shape.v);
  if (!payload.at_end()) fail("the net file is longer than its architecture");
}

/// The text of a field of the header, as it is written there; nothing if there is no such field.
/// The header is ours: no other JSON needs to be read.
std::string field_of(std::string_view header, const std::string& name) {
  const std::string field = '"' + name + '"';
  const size_t key = header.find(field);
  if (key == std::string_view::npos) return {};
  const size_t begin = header.find('"', header.find(':', key + field.size()));
  const size_t end = begin == std::string_view::npos ? begin : header.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  return std::string(header.substr(begin + 1, end - begin - 1));
}

/// The engine runs the whole architecture, in sizes that fill its registers.
Shape shape_of(const std::string& text) {
  Shape shape{};
  int used = 0;
  const int found = std::sscanf(text.c_str(), "mixnet c=%d m=%d p=%d v=%d%n", &shape.c, &shape.m,
                                &shape.p, &shape.v, &used);
  const bool whole = found == 4 && text.substr(static_cast<size_t>(used)) ==
                                       " conv_relu=1 star=1 groups=1 dynamic=1";
  const bool c = shape.c == 32 || shape.c == 64 || shape.c == 128;
  const bool rest = shape.m >= 2 && shape.m <= 512 && shape.p >= 2 && shape.p % 2 == 0 &&
                    shape.p <= shape.c / 2 && shape.v >= 16 && shape.v % 16 == 0 && shape.v <= 128;
  if (!whole || !c || !rest)
    fail("the engine cannot run a net of the architecture '" + text.substr(0, 100) + "'");
  return shape;
}

}  // namespace

Weights read_weights(std::string_view bytes) {
  if (bytes.size() < HEAD || bytes.substr(0, MAGIC.size()) != MAGIC) fail("not a net file");
  if (number_at<u32>(bytes, 8) != FORMAT)
    fail("a net file of format " + std::to_string(number_at<u32>(bytes, 8)) + ", not " +
         std::to_string(FORMAT));
  const size_t header = number_at<u32>(bytes, 12);
  const u64 payload = number_at<u64>(bytes, 32);
  if (header > bytes.size() - HEAD || payload != bytes.size() - HEAD - header)
    fail("the net file is cut off, or longer than it says");
  Weights net;
  net.header = std::string(bytes.substr(HEAD, header));
  const std::string_view rest = bytes.substr(HEAD + header);
  if (crc32(net.header) != number_at<u32>(bytes, 24) || crc32(rest) != number_at<u32>(bytes, 28))
    fail("the net file is damaged: a checksum is wrong");
  const std::string architecture = field_of(net.header, "architecture");
  if (architecture.empty()) fail("the net's header names no architecture");
  if (fnv1a(architecture) != number_at<u64>(bytes, 16))
    fail("the net file is damaged: its architecture has another hash");
  net.shape = shape_of(architecture);
  net.name = field_of(net.header, "name");
  net.codebook_checksum = number_at<u64>(bytes, 40);
  net.rules = number_at<u16>(bytes, 48);
  net.colours = number_at<u16>(bytes, 50);
  net.sizes = number_at<u32>(bytes, 52);
  Payload tensors(rest);
  read_payload(tensors, net);
  return net;
}

}  // namespace tengen::mixnet
