// SPDX-License-Identifier: MIT
// `_core.Net`: reading, baking and evaluating nets. Long calls release the GIL.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <filesystem>
#include <optional>
#include <tuple>

#include "bind/bind.h"
#include "bind/bound_net.h"
#include "mixnet/heads.h"
#include "pattern/batch.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using Boards = nb::ndarray<const u8, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Logits = nb::ndarray<nb::numpy, i32>;
using Features = nb::ndarray<nb::numpy, const i16>;

BoundNet read_net(const nb::bytes& data, int threads) {
  const std::string_view bytes(static_cast<const char*>(data.data()), data.size());
  const nb::gil_scoped_release release;
  return BoundNet(std::make_shared<const mixnet::Net>(mixnet::read_weights(bytes), threads));
}

mixnet::NetHeader read_header(const nb::bytes& start, std::optional<u64> length) {
  return mixnet::read_header({static_cast<const char*>(start.data()), start.size()}, length);
}

/// A new zeroed array owned by Python.
Logits new_array(std::initializer_list<size_t> shape, i32*& data) {
  size_t count = 1;
  for (const size_t n : shape) count *= n;
  data = new i32[count]();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<i32*>(p); });
  return Logits(data, shape, owner);
}

void check_boards(const Boards& boards, int size) {
  if (boards.shape(1) != boards.shape(2)) throw std::invalid_argument("the boards are not square");
  const Positions positions{boards.data(), boards.shape(0), to_size(size)};
  if (first_bad_stone(positions) < positions.count * positions.points())
    throw std::invalid_argument("a point is 0 (empty), 1 (own) or 2 (the opponent's)");
}

/// Logits of the value, [n, 3], and of the policy, [n, size, size], of boards with 1 for the side
/// to move and 2 for the other, by the kernels of that name.
std::tuple<Logits, Logits> evaluate(const BoundNet& bound, const Boards& boards,
                                    const std::string& version) {
  const int size = static_cast<int>(boards.shape(1));
  check_boards(boards, size);
  const mixnet::Kernels& kernels = version.empty() ? mixnet::kernels() : mixnet::kernels(version);
  const size_t count = boards.shape(0), points = static_cast<size_t>(size * size);
  i32 *value = nullptr, *policy = nullptr;
  Logits values = new_array({count, 3}, value),
         policies = new_array({count, boards.shape(1), boards.shape(1)}, policy);
  const nb::gil_scoped_release release;
  mixnet::Accumulator sums(*bound.net(), size, kernels);
  mixnet::Heads heads(*bound.net(), kernels);
  std::vector<u16> all;
  for (size_t p = 0; p < points; ++p) all.push_back(static_cast<u16>(p));
  for (size_t n = 0; n < count; ++n) {
    const u8* const board = boards.data() + n * points;
    sums.clear();
    for (size_t p = 0; p < points; ++p)
      if (board[p]) sums.add(static_cast<int>(p), board[p]);
    const mixnet::ValueLogits logits = heads.value(sums);
    value[3 * n] = logits.win;
    value[3 * n + 1] = logits.loss;
    value[3 * n + 2] = logits.draw;
    heads.policy(sums, all, {policy + n * points, points});
  }
  return {std::move(values), std::move(policies)};
}

/// The codebook of rows and columns (0) or of diagonals (1): a view, [patterns, channels].
Features codebook(const BoundNet& bound, int which) {
  if (which != 0 && which != 1) throw std::invalid_argument("there are two codebooks, 0 and 1");
  const mixnet::Codebook& book = bound.net()->codebook(which);
  const auto channels = static_cast<size_t>(bound.net()->shape().c);
  auto* const kept = new std::shared_ptr<const mixnet::Net>(bound.net());
  const nb::capsule owner(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<const mixnet::Net>*>(p); });
  return Features(&book[0], {book.size() / channels, channels}, owner);
}

void register_header(nb::module_& module) {
  using mixnet::NetHeader;
  module.attr("MAX_NET_HEADER") = mixnet::MAX_HEADER;
  nb::class_<NetHeader>(module, "NetHeader", "The header of a net file.")
      .def_static("read", &read_header, nb::arg("start"), nb::arg("length").none(),
                  "From the first MAX_NET_HEADER bytes of a file of so many bytes (None: unknown). "
                  "ValueError if they are not a valid header.")
      .def_prop_ro("json",
                   [](const NetHeader& h) { return nb::bytes(h.json.data(), h.json.size()); })
      .def_ro("architecture_hash", &NetHeader::architecture_hash)
      .def_ro("codebook_checksum", &NetHeader::codebook_checksum)
      .def_ro("payload_bytes", &NetHeader::payload_bytes)
      .def_ro("payload_crc", &NetHeader::payload_crc)
      .def_prop_ro("payload_start", &NetHeader::payload_start)
      .def_ro("rules", &NetHeader::rules, "Bit i: the i-th rule.")
      .def_ro("sizes", &NetHeader::sizes, "Bit s: boards of s lines.")
      .def_ro("colours", &NetHeader::colours, "1: black to move, 2: white.");
}

}  // namespace

void register_mixnet(nb::module_& module) {
  register_header(module);
  nb::class_<BoundNet>(module, "Net", "A Mixnet, baked and ready.", nb::is_weak_referenceable())
      .def_static("read", &read_net, nb::arg("data"), nb::arg("threads") = 0,
                  "From the bytes of a net file. ValueError if they are invalid.")
      .def("evaluate", &evaluate, nb::arg("boards").noconvert(), nb::arg("version") = "")
      .def("codebook", &codebook, nb::arg("which"))
      .def("supports",
           [](const BoundNet& n, int rule, int size) { return n.net()->supports(rule, size); })
      .def_prop_ro("channels", [](const BoundNet& n) { return n.net()->shape().c; })
      .def_prop_ro("checksum", [](const BoundNet& n) {
        return mixnet::codebook_checksum(n.net()->codebooks());
      });
}

}  // namespace tengen::bind
