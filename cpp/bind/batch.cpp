// SPDX-License-Identifier: MIT
// `_core.batch_*`: pattern queries on NumPy arrays of positions. Each call releases the GIL.
#include <nanobind/ndarray.h>

#include <memory>

#include "bind/bind.h"
#include "pattern/batch.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using Input = nb::ndarray<const u8, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Sides = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<nb::numpy, u8>;

Positions to_positions(const Input& boards) {
  if (boards.shape(1) != boards.shape(2)) throw std::invalid_argument("the boards are not square");
  const Positions positions{boards.data(), boards.shape(0),
                            to_size(static_cast<int>(boards.shape(1)))};
  if (const size_t bad = first_bad_stone(positions); bad < positions.count * positions.points())
    throw std::invalid_argument("position " + std::to_string(bad / positions.points()) +
                                ", point " + std::to_string(bad % positions.points()) +
                                ": a stone is 0, 1 or 2, not " +
                                std::to_string(positions.stones[bad]));
  return positions;
}

const u8* to_sides(const Sides& to_move, const Positions& positions) {
  if (to_move.shape(0) != positions.count)
    throw std::invalid_argument("to_move has " + std::to_string(to_move.shape(0)) +
                                " entries for " + std::to_string(positions.count) + " positions");
  for (size_t i = 0; i < positions.count; ++i) to_colour(to_move.data()[i]);
  return to_move.data();
}

/// Runs fill(out) without the GIL on a new array of the given shape and returns it.
template <typename Fill>
Output filled(std::initializer_list<size_t> shape, Fill fill) {
  size_t bytes = 1;
  for (const size_t n : shape) bytes *= n;
  auto data = std::make_unique<u8[]>(bytes);
  {
    const nb::gil_scoped_release release;
    fill(data.get());
  }
  u8* const raw = data.release();
  const nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<u8*>(p); });
  return Output(raw, shape, owner);
}

}  // namespace

void register_batch(nb::module_& module) {
  // No conversion: 257 must not become 1.
  const auto boards = nb::arg("boards").noconvert(), sides = nb::arg("to_move").noconvert();
  const auto rule = nb::arg("rule"), threads = nb::arg("threads");

  module.def(
      "batch_threats",
      [](const Input& input, int r, int n) {
        const Positions positions = to_positions(input);
        const auto size = static_cast<size_t>(positions.size);
        return filled({positions.count, COLOUR_NB, size, size},
                      [&](u8* out) { batch_threats(positions, to_rule(r), out, n); });
      },
      boards, rule, threads);

  module.def(
      "batch_shapes",
      [](const Input& input, int r, int n) {
        const Positions positions = to_positions(input);
        const auto size = static_cast<size_t>(positions.size);
        return filled({positions.count, COLOUR_NB, DIRECTION_NB, size, size},
                      [&](u8* out) { batch_shapes(positions, to_rule(r), out, n); });
      },
      boards, rule, threads);

  module.def(
      "batch_forbidden",
      [](const Input& input, int r, int n) {
        const Positions positions = to_positions(input);
        const auto size = static_cast<size_t>(positions.size);
        return filled({positions.count, size, size},
                      [&](u8* out) { batch_forbidden(positions, to_rule(r), out, n); });
      },
      boards, rule, threads);

  module.def(
      "batch_legal",
      [](const Input& input, int r, const Sides& to_move, int n) {
        const Positions positions = to_positions(input);
        const u8* const movers = to_sides(to_move, positions);
        const auto size = static_cast<size_t>(positions.size);
        return filled({positions.count, size, size},
                      [&](u8* out) { batch_legal(positions, to_rule(r), movers, out, n); });
      },
      boards, rule, sides, threads);

  module.def(
      "batch_outcome",
      [](const Input& input, int r, const Sides& to_move, int n) {
        const Positions positions = to_positions(input);
        const u8* const movers = to_sides(to_move, positions);
        return filled({positions.count},
                      [&](u8* out) { batch_outcome(positions, to_rule(r), movers, out, n); });
      },
      boards, rule, sides, threads);
}

}  // namespace tengen::bind
