// SPDX-License-Identifier: MIT
// Parts of self-play: leaf inspection, tree and root, packed boards, openings, worker pool.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "random_positions.h"
#include "searches.h"
#include "selfplay/random.h"
#include "selfplay_games.h"

using namespace tengen;
using namespace tengen::selfplay;

namespace {

/// Black stones on row 1 from a1 on; white ones on row 5.
Cells rows_of(int size, std::initializer_list<int> black, std::initializer_list<int> white) {
  Cells cells = empty_cells(size);
  for (const int x : black) cells[make_point(x, 0)] = BLACK;
  for (const int x : white) cells[make_point(x, 4)] = WHITE;
  return cells;
}

ProvenState inspect(LeafInspector& inspector, const Cells& cells, Colour side, int vcf = 100) {
  inspector.set(cells, side, 0);
  return inspector.inspect(vcf);
}

bool has_move(const LeafInspector& inspector, Point p) {
  return std::find(inspector.moves().begin(), inspector.moves().end(), p) !=
         inspector.moves().end();
}

/// A root with these priors, in their order.
Tree tree_of(const Settings& settings, std::vector<float> priors, Root& root, double temperature) {
  Tree tree(settings);
  tree.add_node();
  std::vector<MovePrior> choices;
  for (size_t i = 0; i < priors.size(); ++i)
    choices.push_back({point_at(static_cast<int>(i), 15), priors[i]});
  Rng rng(5);
  root.begin(tree, settings, choices, temperature, rng);
  tree.node(ROOT).has_value = true;
  return tree;
}

/// Playouts whose result is a function of the root's move, all one step deep.
template <typename Value>
void play_out(Tree& tree, const Root& root, const Settings& settings, Value value) {
  const Schedule schedule(settings.considered, settings.playouts);
  for (int i = 0; i < settings.playouts; ++i) {
    const Step step = {ROOT, root.pick(tree, schedule, i)};
    const float found = value(tree.edge(step.edge).move);
    tree.back_up({&step, 1}, {-found, 0}, found <= -1 ? ProvenState::WON : ProvenState::UNPROVEN);
  }
}

}  // namespace

TEST(leaf_inspector_finds_fives_and_defences) {
  LeafInspector inspector(15, Rule::FREESTYLE);
  const Cells four = rows_of(15, {1, 2, 3, 4}, {});
  CHECK_EQ(inspect(inspector, four, BLACK), ProvenState::WON);
  CHECK_EQ(inspector.moves().size(), size_t{2});
  CHECK_EQ(inspect(inspector, four, WHITE), ProvenState::LOST);  // open at both ends
  const Cells closed = rows_of(15, {0, 1, 2, 3}, {7});
  CHECK_EQ(inspect(inspector, closed, WHITE), ProvenState::UNPROVEN);
  CHECK(inspector.must_block_four());
  CHECK_EQ(inspector.moves().size(), size_t{1});
  CHECK(has_move(inspector, make_point(4, 0)));
}

TEST(leaf_inspector_finds_open_fours_and_vcf) {
  LeafInspector inspector(15, Rule::FREESTYLE);
  const Cells three = rows_of(15, {4, 5, 6}, {});
  CHECK_EQ(inspect(inspector, three, BLACK), ProvenState::WON);
  CHECK(has_move(inspector, make_point(3, 0)) && has_move(inspector, make_point(7, 0)));
  CHECK_EQ(inspect(inspector, three, WHITE), ProvenState::UNPROVEN);
  CHECK(!inspector.must_block_four() && !inspector.is_unthreatened());
  CHECK(inspector.moves().size() <= 5);
  // Two closed threes that meet: a double four.
  Cells cross = empty_cells(15);
  for (const int i : {0, 1, 2}) cross[make_point(i, 3)] = cross[make_point(3, i)] = BLACK;
  CHECK_EQ(inspect(inspector, cross, BLACK), ProvenState::WON);
  CHECK_EQ(inspector.moves().size(), size_t{1});
  CHECK_EQ(inspect(inspector, cross, BLACK, 0), ProvenState::UNPROVEN);
  CHECK_EQ(inspect(inspector, empty_cells(15), BLACK), ProvenState::UNPROVEN);
  CHECK_EQ(inspector.moves().size(), size_t{225});
}

TEST(leaf_inspector_skips_forbidden_points) {
  Rng rng(11);
  LeafInspector inspector(15, Rule::RENJU);
  int forbidden = 0;
  for (int i = 0; i < 3000; ++i) {
    const GamePosition position = middle_game(rng, 15, Rule::RENJU);
    if (position.side != BLACK) continue;
    if (inspect(inspector, position.cells, BLACK) != ProvenState::UNPROVEN) continue;
    Referee referee(position.cells, Rule::RENJU);
    for (const Point p : board_points(15))
      if (position.cells[p] == EMPTY && referee.forbidden(p) != Forbidden::NONE) {
        ++forbidden;
        CHECK(!has_move(inspector, p));
      }
  }
  CHECK(forbidden > 10);
}

TEST(leaf_inspector_is_independent_of_earlier_positions) {
  Rng rng(12);
  std::vector<GamePosition> positions;
  for (int i = 0; i < 200; ++i) positions.push_back(middle_game(rng, 15, Rule::STANDARD));
  LeafInspector kept(15, Rule::STANDARD);
  for (const GamePosition& position : positions) {
    LeafInspector fresh(15, Rule::STANDARD);
    CHECK_EQ(inspect(kept, position.cells, position.side, 40),
             inspect(fresh, position.cells, position.side, 40));
    CHECK(kept.moves() == fresh.moves());
  }
}

TEST(selfplay_schedule_halves) {
  const Schedule schedule(16, 64);
  std::array<int, 16> visits{};
  for (int i = 0; i < 64; ++i) {
    const int before = schedule.visits_before(16, i);
    // One of the moves with so many visits gets another one.
    const auto at = std::find(visits.begin(), visits.end(), before);
    CHECK(at != visits.end());
    ++*at;
  }
  CHECK_EQ(*std::max_element(visits.begin(), visits.end()), 15);  // 1, 2, 4 and 8 in turn
  CHECK_EQ(std::count(visits.begin(), visits.end(), 1), 8);
  for (int i = 0; i < 64; ++i) CHECK_EQ(schedule.visits_before(1, i), i);
}

TEST(selfplay_gumbel_root_finds_the_good_move) {
  Settings settings;
  settings.considered = 8;
  settings.playouts = 32;
  Root root;
  Tree tree = tree_of(settings, {0.3F, 0.25F, 0.15F, 0.1F, 0.1F, 0.05F, 0.03F, 0.02F}, root, 0);
  const Point good = point_at(5, 15);
  play_out(tree, root, settings, [&](Point p) { return p == good ? 0.5F : -0.2F; });
  Rng rng(1);
  CHECK_EQ(tree.edge(root.best(tree, 0, rng)).move, good);
  const std::vector<float>& policy = root.policy(tree);
  CHECK(std::abs(std::accumulate(policy.begin(), policy.end(), 0.0F) - 1) < 1e-4F);
  for (size_t i = 0; i < policy.size(); ++i)
    if (tree.edges(tree.node(ROOT))[i].move == good) CHECK(policy[i] > 0.9F);
  CHECK(root.value(tree).score > 0.4F);
  CHECK_EQ(tree.node(ROOT).visits, 32);
}

TEST(selfplay_gumbel_policy_is_the_prior_where_values_are_equal) {
  Settings settings;
  settings.playouts = 16;
  settings.considered = 4;
  const std::vector<float> priors = {0.4F, 0.3F, 0.2F, 0.1F};
  Root root;
  Tree tree = tree_of(settings, priors, root, 1);
  tree.node(ROOT).value = 0.25F;
  play_out(tree, root, settings, [](Point) { return 0.25F; });
  const std::vector<float>& policy = root.policy(tree);
  for (size_t i = 0; i < policy.size(); ++i) {
    const Point p = tree.edges(tree.node(ROOT))[i].move;
    CHECK(std::abs(policy[i] - priors[static_cast<size_t>(x_of(p))]) < 1e-3F);
  }
}

TEST(selfplay_gumbel_noise_samples_by_the_prior) {
  Settings settings;
  settings.considered = 1;
  Rng rng(3);
  int first = 0;
  for (int i = 0; i < 4000; ++i) {
    Tree tree(settings);
    tree.add_node();
    std::vector<MovePrior> choices = {{point_at(0, 15), 0.7F}, {point_at(1, 15), 0.3F}};
    Root root;
    root.begin(tree, settings, choices, 1, rng);
    first += tree.edges(tree.node(ROOT))[0].move == point_at(0, 15);
  }
  CHECK(first > 2700 && first < 2900);
}

TEST(selfplay_puct_root_visits_the_good_move_most) {
  Settings settings;
  settings.gumbel = false;
  settings.playouts = 60;
  settings.noise_share = 0;
  Root root;
  Tree tree = tree_of(settings, {0.3F, 0.25F, 0.15F, 0.1F, 0.1F, 0.05F, 0.03F, 0.02F}, root, 1);
  const Point good = point_at(3, 15);
  play_out(tree, root, settings, [&](Point p) { return p == good ? 0.6F : -0.3F; });
  Rng rng(1);
  CHECK_EQ(tree.edge(root.best(tree, 0, rng)).move, good);
  const std::vector<float>& policy = root.policy(tree);
  CHECK(std::abs(std::accumulate(policy.begin(), policy.end(), 0.0F) - 1) < 1e-4F);
  CHECK(*std::max_element(policy.begin(), policy.end()) > 0.5F);
}

TEST(selfplay_roots_use_proven_moves) {
  for (const bool gumbel : {true, false}) {
    Settings settings;
    settings.gumbel = gumbel;
    settings.playouts = 8;
    settings.considered = 2;
    settings.noise_share = 0;
    Root root;
    Tree tree = tree_of(settings, {0.5F, 0.3F, 0.2F}, root, 0);
    // Two moves lose by force: the third is played, though it is not among those considered.
    const Point third = point_at(2, 15);
    play_out(tree, root, settings, [&](Point p) { return p == third ? -0.5F : -1.0F; });
    Rng rng(1);
    CHECK_EQ(tree.edge(root.best(tree, 1, rng)).move, third);
    CHECK_EQ(tree.node(ROOT).proven, ProvenState::UNPROVEN);
    CHECK(root.policy(tree)[2] > 0.99F);
    const Step step = {ROOT, tree.node(ROOT).first_edge + 2};
    tree.back_up({&step, 1}, {1, 0}, ProvenState::WON);
    CHECK_EQ(tree.node(ROOT).proven, ProvenState::LOST);
    CHECK_EQ(root.value(tree).score, -1.0F);
    const Step won = {ROOT, tree.node(ROOT).first_edge + 1};
    tree.edge(won.edge).proven = ProvenState::UNPROVEN;
    tree.back_up({&won, 1}, {-1, 0}, ProvenState::LOST);
    CHECK_EQ(tree.node(ROOT).proven, ProvenState::WON);
    CHECK_EQ(root.best(tree, 1, rng), won.edge);
  }
}

TEST(selfplay_trees_keep_the_most_likely_moves) {
  Settings settings;
  Tree tree(settings);
  tree.add_node();
  const u32 node = tree.add_node();
  std::vector<MovePrior> choices;
  for (int i = 0; i < 100; ++i)
    choices.push_back({point_at((i * 37) % 100, 15), static_cast<float>((i * 37) % 100) / 4950});
  std::vector<MovePrior> all = choices;
  tree.set_moves(node, choices, false);
  CHECK_EQ(size_t{tree.node(node).edge_count}, Tree::MAX_MOVES);
  CHECK(!tree.node(node).has_all_moves);
  for (size_t i = 0; i < Tree::MAX_MOVES; ++i)
    CHECK_EQ(tree.edges(tree.node(node))[i].move, point_at(99 - static_cast<int>(i), 15));
  const u32 other = tree.add_node();
  tree.set_moves(other, all, true);
  CHECK_EQ(tree.node(other).edge_count, 100);
  CHECK(tree.node(other).has_all_moves);
}

TEST(selfplay_views_turn_boards_and_points_alike) {
  Rng rng(4);
  for (const int size : {5, 8, 15, 22}) {
    const BoardPacker packer(size);
    const GamePosition position = position_of(size, Rule::FREESTYLE, random_stones(rng, size));
    for (int s = 0; s < SYMMETRY_NB; ++s) {
      std::vector<u8> packed(static_cast<size_t>(bytes_of(size)), 0xFF);
      packer.pack(position.cells, WHITE, s, packed.data());
      const std::vector<u8> seen = unpacked(packed.data(), size);
      for (const Point p : board_points(size)) {
        const Point q = transformed(p, s, size);
        CHECK_EQ(packer.index(p, s), y_of(q) * size + x_of(q));
        const Stone stone = position.cells[p];
        CHECK_EQ(seen[static_cast<size_t>(packer.index(p, s))], stone == EMPTY   ? 0
                                                                : stone == WHITE ? 1
                                                                                 : 2);
      }
      if (const int spare = size * size % 4) CHECK_EQ(packed.back() >> (2 * spare), 0);
    }
  }
}

TEST(selfplay_openings_are_known_under_every_symmetry) {
  Rng rng(6);
  const std::vector<Point> moves = {make_point(7, 7), make_point(8, 6), make_point(5, 7)};
  const u64 key = canonical_key(moves, 15);
  for (int s = 0; s < SYMMETRY_NB; ++s) {
    std::vector<Point> image;
    for (const Point p : moves) image.push_back(transformed(p, s, 15));
    CHECK_EQ(canonical_key(image, 15), key);
    std::swap(image[0], image[2]);  // the same stones in another order
    CHECK_EQ(canonical_key(image, 15), key);
  }
  PlayedOpenings played(10);
  for (u64 i = 1; i <= 7; ++i) CHECK(played.add(i));
  for (u64 i = 3; i <= 7; ++i) CHECK(!played.add(i));
  for (u64 i = 8; i <= 11; ++i) CHECK(played.add(i));
  CHECK(!played.contains(1) && played.contains(11));  // the oldest was dropped
}

TEST(worker_pool_processes_every_index_once) {
  for (const int threads : {1, 2, 7}) {
    WorkerPool pool(threads);
    CHECK_EQ(pool.size(), threads);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{100}, size_t{1003}}) {
      std::vector<std::atomic<int>> done(count);
      pool.run(count, [&](int worker, size_t first, size_t last) {
        CHECK(worker >= 0 && worker < threads);
        for (size_t i = first; i < last; ++i) ++done[i];
      });
      CHECK(std::all_of(done.begin(), done.end(), [](const auto& n) { return n == 1; }));
    }
    bool thrown = false;
    try {
      pool.run(50, [](int, size_t first, size_t) {
        if (first >= 8) throw std::runtime_error("no");
      });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    CHECK(thrown);
    int again = 0;
    pool.run(1, [&](int, size_t, size_t) { ++again; });
    CHECK_EQ(again, 1);
  }
}

TEST(selfplay_gamma_has_its_mean) {
  Rng rng(9);
  for (const double shape : {0.05, 0.5, 1.0, 4.0}) {
    double sum = 0;
    for (int i = 0; i < 20000; ++i) sum += sample_gamma(rng, shape);
    CHECK(std::abs(sum / 20000 - shape) < 0.1 * shape + 0.01);
  }
}
