// SPDX-License-Identifier: MIT
#include "mixnet/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "base/crc32.h"
#include "game/point.h"
#include "game/rule.h"

namespace tengen::mixnet {

static_assert(std::endian::native == std::endian::little, "net files are little-endian");

namespace {

constexpr std::string_view MAGIC = "TENGENN1";
constexpr u32 FORMAT = 1;
constexpr size_t HEAD = 64, ALIGNMENT = 64;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

template <typename T>
T number_at(std::string_view bytes, size_t offset) {
  T result;
  std::memcpy(&result, bytes.data() + offset, sizeof(T));
  return result;
}

u64 fnv1a(std::string_view text) {
  u64 hash = 0xCBF29CE484222325;
  for (const char letter : text) hash = (hash ^ static_cast<u8>(letter)) * 0x100000001B3;
  return hash;
}

float half_to_float(u16 half) {
  const u32 sign = static_cast<u32>(half & 0x8000) << 16;
  const u32 exponent = (half >> 10) & 31, mantissa = half & 0x3FF;
  if (exponent == 0) {  // zero or subnormal
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  if (exponent == 31) fail("the net has a weight that is not a number");
  const u32 bits = sign | (exponent + 112) << 23 | mantissa << 13;
  float value;  // no std::bit_cast: older C++ libraries lack it
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Reads the tensors of the payload in order.
class Payload {
 public:
  explicit Payload(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  std::vector<T> take(size_t count) {
    const size_t size = count * sizeof(T);
    if (bytes_.size() - offset_ < size) fail("the net file is too short for its architecture");
    std::vector<T> result(count);
    std::memcpy(result.data(), bytes_.data() + offset_, size);
    offset_ = std::min(bytes_.size(), (offset_ + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return result;
  }

  FloatLayer floats(int out, int in, int taps) {
    FloatLayer layer{out, in, taps, {}, {}};
    for (const u16 half : take<u16>(static_cast<size_t>(out * in * taps)))
      layer.weights.push_back(half_to_float(half));
    layer.bias = take<float>(static_cast<size_t>(out));
    for (const float bias : layer.bias)
      if (!std::isfinite(bias)) fail("the net has a bias that is not a number");
    return layer;
  }

  template <typename W, typename B>
  Layer<W, B> integers(int out, int in, int taps = 1) {
    Layer<W, B> layer{out, in, taps, take<W>(static_cast<size_t>(out * in * taps)), {}};
    layer.bias = take<B>(static_cast<size_t>(out));
    return layer;
  }

  bool at_end() const { return offset_ == bytes_.size(); }
  /// The bytes read so far, including padding.
  std::string_view taken() const { return bytes_.substr(0, offset_); }

 private:
  std::string_view bytes_;
  size_t offset_ = 0;
};

template <typename W>
void check_range(const std::vector<W>& values, i64 limit, const char* what) {
  for (const W value : values)
    if (value > limit || value < -limit)
      fail(std::string("the net has a ") + what + " out of range");
}

MappingWeights read_mapping(Payload& payload, const Shape& shape) {
  MappingWeights result;
  result.first = payload.floats(shape.m, 2, 3);
  for (size_t k = 0; k < MappingWeights::BLOCKS; ++k) {
    result.along[k] = payload.floats(shape.m, shape.m, 3);
    result.across[k] = payload.floats(shape.m, shape.m, 1);
  }
  result.last = payload.floats(shape.c, shape.m, 1);
  return result;
}

ByteLayer read_bytes(Payload& payload, int out, int in) {
  auto layer = payload.integers<i8, i32>(out, in);
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
  net.conv = payload.integers<i16, i16>(shape.conv(), 1, 9);
  check_range(net.conv.weights, 32767, "weight of the convolution");
  check_range(net.conv.bias, 8192, "bias of the convolution");
  net.policy_hidden = read_bytes(payload, shape.c, shape.c);
  net.policy_dynamic = read_bytes(payload, shape.dynamic(), shape.c);
  net.policy_out = payload.integers<i16, i32>(1, Shape::POLICY_OUTPUTS);
  check_range(net.policy_out.weights, 8191, "weight of the policy");
  check_range(net.policy_out.bias, i64{1} << 30, "bias of the policy");
  for (size_t k = 0; k < 3; ++k) net.stars[k] = read_star(payload, shape.c, shape.v);
  net.stars[3] = read_star(payload, shape.v, shape.v);
  net.value[0] = read_bytes(payload, shape.v, shape.joined());
  net.value[1] = read_bytes(payload, shape.v, shape.v);
  net.value[2] = read_bytes(payload, VALUE_OUTPUTS, shape.v);
  if (!payload.at_end()) fail("the net file is longer than its architecture");
}

/// The value of a string field of the header, unescaped; empty if there is none. Sufficient for the
/// JSON that our exporter writes.
std::string field_of(std::string_view header, const std::string& name) {
  const std::string field = '"' + name + '"';
  const size_t key = header.find(field);
  if (key == std::string_view::npos) return {};
  const size_t begin = header.find('"', header.find(':', key + field.size()));
  const size_t end = begin == std::string_view::npos ? begin : header.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  return std::string(header.substr(begin + 1, end - begin - 1));
}

/// The engine supports the complete architecture in sizes that are multiples of its registers.
Shape shape_of(const std::string& text) {
  Shape shape{};
  int used = 0;
  const int fields = std::sscanf(text.c_str(), "mixnet c=%d m=%d p=%d v=%d%n", &shape.c, &shape.m,
                                 &shape.p, &shape.v, &used);
  const bool complete = fields == 4 && text.substr(static_cast<size_t>(used)) ==
                                           " conv_relu=1 star=1 groups=1 dynamic=1";
  const bool c = shape.c == 32 || shape.c == 64 || shape.c == 128;
  const bool rest = shape.m >= 2 && shape.m <= 512 && shape.p >= 2 && shape.p % 2 == 0 &&
                    shape.p <= shape.c / 2 && shape.v >= 16 && shape.v % 16 == 0 && shape.v <= 128;
  if (!complete || !c || !rest)
    fail("the engine cannot run a net of the architecture '" + text.substr(0, 100) + "'");
  return shape;
}

}  // namespace

size_t NetHeader::payload_start() const { return HEAD + json.size(); }

NetHeader read_header(std::string_view start, std::optional<u64> length) {
  if (start.empty()) fail("empty");
  if (start.substr(0, MAGIC.size()) != MAGIC)
    fail("not a net file: it does not begin with " + std::string(MAGIC));
  if (start.size() < HEAD) fail("cut off: the file ends within its header");
  if (const auto format = number_at<u32>(start, 8); format != FORMAT)
    fail("the net file has format " + std::to_string(format) + ", this version reads " +
         std::to_string(FORMAT) + ": export the net again, or use the version that wrote it");
  const size_t json_bytes = number_at<u32>(start, 12);
  if (json_bytes % ALIGNMENT || json_bytes == 0 || json_bytes > MAX_HEADER - HEAD ||
      number_at<u64>(start, 56) != 0)
    fail("damaged: the fixed part of the header is not valid");
  if (start.size() - HEAD < json_bytes) fail("cut off: the file ends within its header");
  NetHeader header;
  header.json = std::string(start.substr(HEAD, json_bytes));
  header.architecture_hash = number_at<u64>(start, 16);
  header.payload_crc = number_at<u32>(start, 28);
  header.payload_bytes = number_at<u64>(start, 32);
  header.codebook_checksum = number_at<u64>(start, 40);
  header.rules = number_at<u16>(start, 48);
  header.colours = number_at<u16>(start, 50);
  header.sizes = number_at<u32>(start, 52);
  if (crc32(header.json) != number_at<u32>(start, 24))
    fail("damaged: the checksum of the header is wrong");
  if (fnv1a(field_of(header.json, "architecture")) != header.architecture_hash)
    fail("damaged: the architecture is missing in the header, or its hash is wrong");
  const u64 expected = header.payload_start() + header.payload_bytes;
  if (length && *length != expected)
    fail(std::string(*length < expected ? "cut off" : "damaged") + ": the file has " +
         std::to_string(*length) + " bytes instead of " + std::to_string(expected));
  if (header.rules == 0 || header.rules >> RULE_NB)
    fail("damaged, or made for rules that this version does not know");
  if (header.sizes == 0 || header.sizes >> (MAX_SIZE + 1) || header.sizes % (1u << MIN_SIZE))
    fail("damaged, or made for boards beyond " + std::to_string(MIN_SIZE) + " to " +
         std::to_string(MAX_SIZE));
  if (header.colours == 0 || header.colours > 3)
    fail("damaged: the net serves neither black nor white");
  return header;
}

Shape shape_of(const NetHeader& header) { return shape_of(field_of(header.json, "architecture")); }

Weights read_weights(std::string_view bytes) {
  const NetHeader header = read_header(bytes, bytes.size());
  const std::string_view payload = bytes.substr(header.payload_start());
  if (crc32(payload) != header.payload_crc) fail("damaged: the checksum of the weights is wrong");
  Weights net;
  net.shape = shape_of(header);
  net.name = field_of(header.json, "name");
  net.codebook_checksum = header.codebook_checksum;
  net.rules = header.rules;
  net.sizes = header.sizes;
  Payload tensors(payload);
  read_payload(tensors, net);
  return net;
}

}  // namespace tengen::mixnet
