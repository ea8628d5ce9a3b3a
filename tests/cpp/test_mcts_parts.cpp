// SPDX-License-Identifier: MIT
// Parts of Monte-Carlo tree search: bounded memory, tree reuse, batches, sequential halving, lower
// confidence bounds, threads.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "check.h"
#include "engines.h"
#include "eval/callback_evaluator.h"
#include "mcts_searches.h"

using namespace tengen;
using namespace tengen::mcts;

namespace {

/// A net that answers by the stones, and records the batch sizes.
struct StoneNet {
  std::mutex lock;
  std::multiset<size_t> batches;

  NetCallback ask() {
    return [this](int size, std::span<const float> planes, NetOutput& answer) {
      const auto points = static_cast<size_t>(size * size);
      for (size_t b = 0; b < answer.value.size(); ++b) {
        u64 hash = 1;
        for (size_t i = 0; i < 2 * points; ++i)
          if (planes[2 * b * points + i] != 0) hash ^= Rng(i + 1).next();
        Rng rng(hash);
        answer.value[b] = {static_cast<float>(rng.below(100)) / 50, 1.0F, -1.0F};
        for (size_t i = 0; i < points; ++i)
          answer.policy[b * points + i] = static_cast<float>(rng.below(100)) / 25;
      }
      const std::lock_guard guard(lock);
      batches.insert(answer.value.size());
    };
  }
  EvaluatorFactory evaluators(int size) {
    return [this, size] { return std::make_unique<CallbackEvaluator>(size, ask()); };
  }
};

size_t node_count(Mcts& search) { return reached(search).size(); }

}  // namespace

TEST(mcts_memory_is_bounded_and_reused) {
  // No move is proven in so few playouts.
  const GamePosition position =
      position_of(15, Rule::FREESTYLE, {{make_point(7, 7), BLACK}, {make_point(3, 11), WHITE}});
  for (const int threads : {1, 3}) {
    constexpr size_t MEMORY = size_t{1} << 20;
    Mcts small(15, Rule::FREESTYLE, {}, threads, MEMORY, classical_evaluators(Rule::FREESTYLE));
    CHECK(small.tree().bytes() <= MEMORY - MEMORY / 8);
    const SearchLog log = search_and_log(small, request_of(position, 0, 40'000));
    check_answer(position, log);
    check_tree(small);
    CHECK_EQ(log.answer.info.stats.nodes, u64{40'000});  // it did not end for want of memory
    CHECK(small.tree().used() * 64 <= MEMORY);
    CHECK(node_count(small) > 1000);
    // Nothing is lost: what is in use is what the root leads to, and what waits to be swept.
    search_and_log(small, request_of(position, 0, 20'000));
    check_tree(small);
  }
}

TEST(mcts_collection_frees_unreachable_nodes) {
  Rng rng(12);
  const GamePosition position = quiet_game(rng, 12, Rule::STANDARD);
  Mcts search(12, Rule::STANDARD, {}, 1, SMALL_MEMORY, fake_evaluators());
  search_and_log(search, request_of(position, 0, 2000));
  Tree& tree = search.tree();
  const size_t before = tree.used();
  // The root's first child becomes the root of what is kept.
  Index child = mcts::NO_NODE;
  tree.for_each_edge(tree.node(search.root()), [&](const Edge& edge) {
    if (child == mcts::NO_NODE) child = edge.child;
  });
  const u64 gone = tree.node(search.root()).key;
  CHECK(tree.find(gone) == search.root());
  CHECK(tree.collect_garbage(child, [] { return true; }));
  CHECK(tree.find(gone) == mcts::NO_NODE);
  CHECK(tree.find(tree.node(child).key) == child);
  // Freed blocks are allocated again, up to the capacity.
  const size_t room = tree.bytes() / 64;
  size_t added = 0;
  while (tree.find_or_add(1000 + (u64{added} << 20)).node != mcts::NO_NODE) ++added;
  CHECK(added + before > room * 9 / 10);
  CHECK(tree.used() <= room);
  CHECK(added < room);
}

TEST(mcts_collection_can_be_stopped) {
  Rng rng(13);
  const GamePosition position = quiet_game(rng, 15, Rule::FREESTYLE);
  Mcts search(15, Rule::FREESTYLE, {}, 1, size_t{8} << 20, fake_evaluators());
  search_and_log(search, request_of(position, 0, 12'000));
  const auto before = visits_of(search);
  CHECK(!search.tree().collect_garbage(search.root(), [] { return false; }));
  CHECK(visits_of(search) == before);
  check_tree(search);
  CHECK(search.tree().find(search.tree().node(search.root()).key) == search.root());
}

TEST(mcts_reuses_the_tree_of_the_last_move) {
  Rng rng(14);
  int kept = 0;
  for (int i = 0; i < 6; ++i) {
    GamePosition position = quiet_game(rng, 15, Rule::RENJU);
    for (const bool reuse : {true, false}) {
      MctsSettings settings;
      settings.tree_reuse = reuse;
      Mcts search(15, Rule::RENJU, settings, 1, SMALL_MEMORY, classical_evaluators(Rule::RENJU));
      const SearchLog first = search_and_log(search, request_of(position, 0, 800));
      if (first.answer.ponder == NO_POINT) continue;
      GamePosition next = position;
      next.cells[first.answer.move] = position.side;
      next.cells[first.answer.ponder] = opponent(position.side);
      const SearchLog second = search_and_log(search, request_of(next, 0, 100));
      check_answer(next, second);
      check_tree(search);
      if (is_mate(second.answer.info.value)) continue;
      const u32 visits = search.tree().node(search.root()).edge_visits;
      CHECK_EQ(second.answer.info.stats.nodes, u64{100});
      if (reuse) kept += visits > 100;
      if (!reuse) CHECK(visits <= 100);
    }
  }
  CHECK(kept >= 2);
}

TEST(mcts_batches_leaves_of_a_callback) {
  Rng rng(15);
  const GamePosition position = quiet_game(rng, 9, Rule::FREESTYLE);
  for (const int batch : {1, 8}) {
    StoneNet net;
    MctsSettings settings;
    settings.batch = batch;
    Mcts search(9, Rule::FREESTYLE, settings, 1, SMALL_MEMORY, net.evaluators(9));
    const SearchLog log = search_and_log(search, request_of(position, 0, 300));
    check_answer(position, log);
    check_tree(search);
    CHECK_EQ(log.answer.info.stats.nodes, u64{300});
    CHECK_EQ(*net.batches.rbegin(), static_cast<size_t>(batch));
    if (batch > 1) CHECK(net.batches.count(8) > 20);
    // Twice the same, batches or not.
    Mcts again(9, Rule::FREESTYLE, settings, 1, SMALL_MEMORY, net.evaluators(9));
    search_and_log(again, request_of(position, 0, 300));
    CHECK(visits_of(again) == visits_of(search));
  }
}

TEST(mcts_ends_when_a_callback_throws) {
  Rng rng(16);
  const GamePosition position = quiet_game(rng, 9, Rule::FREESTYLE);
  for (const int threads : {1, 3})
    for (const int good : {0, 1, 5}) {
      StoneNet net;
      std::atomic<int> left = good;
      const EvaluatorFactory make = [&] {
        return std::make_unique<CallbackEvaluator>(
            9, [&](int size, std::span<const float> planes, NetOutput& answer) {
              if (left-- <= 0) throw std::runtime_error("the net is gone");
              net.ask()(size, planes, answer);
            });
      };
      Mcts search(9, Rule::FREESTYLE, {}, threads, SMALL_MEMORY, make);
      std::string words;
      try {
        search_and_log(search, request_of(position, 0, 500));
      } catch (const std::runtime_error& error) {
        words = error.what();
      }
      CHECK_EQ(words, "the net is gone");
    }
}

TEST(mcts_halves_the_moves_of_a_gumbel_root) {
  Rng rng(17);
  for (int i = 0; i < 6; ++i) {
    const GamePosition position = quiet_game(rng, 11, Rule::FREESTYLE);
    MctsSettings settings;
    settings.gumbel = 8;
    settings.vcf = false;
    Mcts search(11, Rule::FREESTYLE, settings, 1, SMALL_MEMORY, fake_evaluators());
    const SearchLog log = search_and_log(search, request_of(position, 0, 240));
    check_answer(position, log);
    if (is_mate(log.answer.info.value)) continue;
    std::vector<u32> visits;
    Point most = NO_POINT;
    const Node& root = search.tree().node(search.root());
    search.tree().for_each_edge(root, [&](const Edge& edge) {
      if (edge.proven == ProvenState::UNPROVEN) visits.push_back(edge.visits);
      if (edge.move == log.answer.move) most = edge.move;
    });
    std::sort(visits.rbegin(), visits.rend());
    CHECK_EQ(root.move_count, u16{8});
    if (visits.size() < 8) continue;  // some were lost
    // Thirds of the playouts for eight, four and two moves: 10, 20 and 40 visits more.
    CHECK_EQ(visits[0] + visits[1], 140u);
    CHECK(visits[1] >= 69);
    for (size_t k = 2; k < 4; ++k) CHECK_EQ(visits[k], 30u);
    for (size_t k = 4; k < 8; ++k) CHECK_EQ(visits[k], 10u);
    CHECK(most == log.answer.move);
  }
}

TEST(mcts_gumbel_noise_depends_on_the_seed) {
  Rng rng(18);
  const GamePosition position = quiet_game(rng, 11, Rule::FREESTYLE);
  const auto drawn_by = [&](double noise, u64 seed) {
    MctsSettings settings;
    settings.gumbel = 4;
    settings.gumbel_noise = noise;
    settings.seed = seed;
    Mcts search(11, Rule::FREESTYLE, settings, 1, SMALL_MEMORY, fake_evaluators());
    search_and_log(search, request_of(position, 0, 32));
    std::set<Point> moves;
    search.tree().for_each_edge(search.tree().node(search.root()),
                                [&](const Edge& edge) { moves.insert(edge.move); });
    return moves;
  };
  CHECK(drawn_by(0, 1) == drawn_by(0, 2));
  CHECK(drawn_by(2, 1) == drawn_by(2, 1));
  CHECK(drawn_by(2, 1) != drawn_by(2, 2));
}

TEST(mcts_lower_bound_prefers_certain_moves) {
  NodeStats child;
  Edge edge{};
  edge.q = 0.3F;
  child.visits = 100;
  child.square = 0.25;
  const double few = lower_bound(edge, child, 2);
  CHECK(few < 0.3 && few > 0);
  CHECK_EQ(lower_bound(edge, child, 0), static_cast<double>(edge.q));
  child.visits = 10'000;
  CHECK(lower_bound(edge, child, 2) > few);
  child.square = 0.8;  // the same average of wilder results
  CHECK(lower_bound(edge, child, 2) < 0.3 - 2 * std::sqrt((0.25 - 0.09) / 10'000));
}

TEST(mcts_ranks_proven_moves_by_their_distance) {
  // The positions after six moves of a root: won, lost and drawn for the side to move there.
  const std::vector<ProvenResult> after = {ProvenResult::win(3), ProvenResult::loss(4),
                                           ProvenResult::win(7), ProvenResult::loss(2),
                                           ProvenResult::draw(), ProvenResult::win(1)};
  Tree tree(SMALL_MEMORY);
  const Index root = tree.find_or_add(1).node;
  std::vector<MovePrior> moves(after.size());
  for (size_t i = 0; i < moves.size(); ++i) moves[i].move = make_point(static_cast<int>(i), 0);
  CHECK(tree.set_moves(tree.node(root), moves));
  for (size_t i = 0; i < after.size(); ++i) {
    Edge* edge = tree.add_edge(tree.node(root));
    edge->visits = 1;
    edge->child = tree.find_or_add((i + 2) << 20).node;
    tree.node(edge->child).proven_result = after[i];
  }
  std::vector<Value> values;
  for (const RankedMove& move : ranked_moves(tree, root, {}, nullptr)) values.push_back(move.value);
  // The shortest win first, the longest loss before shorter ones.
  const std::vector<Value> expected = {mate_in(3),  mate_in(5),  DRAW,
                                       mated_in(8), mated_in(4), mated_in(2)};
  CHECK(values == expected);
}

TEST(mcts_variance_is_right_after_millions_of_results) {
  Node node{};
  for (int i = 0; i < 40'000'000; ++i) node.add_visit(i % 2 == 0 ? 0.1 : 0.5);
  CHECK_EQ(node.visits, 40'000'000u);
  CHECK(std::abs(node.square_sum / node.counted_visits() - 0.3) < 0.01);
}

TEST(mcts_threads_share_one_tree) {
  Rng rng(19);
  for (int i = 0; i < 4; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, 15, rule);
    Mcts search(15, rule, {}, 4, SMALL_MEMORY, classical_evaluators(rule));
    SearchRequest request = request_of(position, 0, 3000);
    request.multipv = 1 + i % 2;
    check_answer(position, search_and_log(search, request));
    check_tree(search);
  }
}

TEST(mcts_softmax_sums_to_one_and_is_sorted) {
  const Softmax softmax(EVAL_PER_LOGIT);
  std::vector<ScoredMove> moves = {{make_point(1, 1), 0},
                                   {make_point(2, 1), 200},
                                   {make_point(3, 1), 200},
                                   {make_point(4, 1), -1'000'000'000}};
  std::vector<MovePrior> choices;
  softmax.apply(moves, choices);
  CHECK_EQ(choices.size(), size_t{4});
  CHECK_EQ(choices[0].move, make_point(2, 1));
  CHECK_EQ(choices[1].move, make_point(3, 1));
  CHECK_EQ(choices[3].move, make_point(4, 1));
  const double e = std::exp(1.0);
  CHECK(std::abs(choices[0].prior - PRIOR_ONE * e / (2 * e + 1)) < 2);
  CHECK(std::abs(choices[2].prior - PRIOR_ONE / (2 * e + 1)) < 2);
  CHECK_EQ(choices[3].prior, u16{1});
}

TEST(mcts_results_and_evaluations_are_inverse) {
  for (const Value points : {-2000, -400, -1, 0, 1, 199, 3000})
    CHECK(std::abs(eval_from_result(result_from_eval(points)) - points) <=
          (points * points > 9e5 ? 40 : 0));
  CHECK(result_from_eval(EVAL_LIMIT) <= 1 && result_from_eval(EVAL_LIMIT) > 0.999);
  CHECK_EQ(result_from_eval(-300), -result_from_eval(300));
  CHECK(!is_mate(eval_from_result(1)) && !is_mate(eval_from_result(-1)));
}
