// SPDX-License-Identifier: MIT
#include "page/page_engine.h"

#include <algorithm>
#include <utility>

#include "engine/review.h"
#include "engine/swap2.h"
#include "page/attempt.h"
#include "page/review_event.h"

namespace tengen::page {

namespace {

constexpr size_t MAX_REQUEST = size_t{64} << 10;  ///< characters; the longest useful one has 10 KiB
constexpr int MAX_ID = 0x7FFFFFFF;                ///< also of a seed
constexpr int MAX_LINES = 10;                     ///< of an analysis
constexpr double MAX_TIME = 600;                  ///< seconds of an analysis
constexpr double MAX_MOVE_TIME = 60;              ///< seconds of a move
constexpr double MAX_CLOCK = 36'000;              ///< seconds of a clock
constexpr size_t POLICY_POINTS = 24;              ///< that are sent
constexpr double MIN_PROBABILITY = 0.004;         ///< less would show as 0%
constexpr double SWAP2_TIME = 1;                  ///< seconds of a choice
constexpr double SOLVE_TIME = 30;                 ///< seconds of a solver at most
constexpr size_t SOLVER_MEMORY = size_t{32} << 20;
constexpr size_t MAX_PROOFS = 4;       ///< that are kept
constexpr size_t MAX_REPLIES = 60;     ///< of a proof node that are sent
constexpr int MAX_REVIEWED = 400;      ///< moves of a game
constexpr double REVIEW_EVENT = 0.25;  ///< seconds between two events of a review

void send_json(const PageEngine::Send& send, const Json& event) { send(event.dump()); }

void send_error(const PageEngine::Send& send, const Json& id, const std::string& code,
                const std::string& text) {
  send_json(send, Json::Object{{"type", "error"}, {"id", id}, {"code", code}, {"text", text}});
}

PagePosition position_in(const Json& request) {
  const Json* const position = member(request, "position");
  if (position == nullptr) throw RequestError("invalid", "position: it is missing");
  return read_position(*position);
}

/// Throws RequestError if the game is over.
PlayRequest search_of(const PagePosition& position) {
  if (outcome(position.board, position.rule).ending != Ending::NONE)
    throw RequestError("over", "the game is over: there is nothing to search");
  return {position.board, position.rule};
}

Goal goal_in(const Json& request) {
  const Json* const goal = member(request, "goal");
  const std::string* const name = goal != nullptr ? goal->text() : nullptr;
  if (name != nullptr && *name == "vcf") return Goal::VCF;
  if (name != nullptr && *name == "vct") return Goal::VCT;
  throw RequestError("invalid", "goal: expected vcf or vct");
}

/// The key of a proof: the id of its request.
double key_of(const Json& id) { return id.number() != nullptr ? *id.number() : -1; }

bool contains(const std::vector<Point>& points, Point p) {
  return std::find(points.begin(), points.end(), p) != points.end();
}

}  // namespace

// --- requests ---

PageEngine::PageEngine(PlayOptions options, Bundle bundle, LoadExternal load_external)
    : player_(options, std::move(bundle), std::move(load_external)),
      options_(std::move(options)),
      threads_(options_.core.threads) {}

void PageEngine::handle(std::string_view text, const Send& send) {
  is_stopped_ = false;
  Json id;
  std::string code, problem;
  try {
    if (text.size() > MAX_REQUEST) throw RequestError("invalid", "the request is too long");
    const Json request = Json::parse(text);
    if (member(request, "id") != nullptr) id = whole_in(request, "id", 0, 0, MAX_ID);
    return answer(request, id, send);
  } catch (const RequestError& error) {
    code = error.code();
    problem = error.what();
  } catch (const std::invalid_argument& error) {
    code = "invalid";
    problem = error.what();
  } catch (const std::bad_alloc&) {
    code = "memory";
    problem = "there is not enough memory";
  } catch (const std::exception& error) {
    code = "engine";
    problem = error.what();
  }
  end_analysis();
  send_error(send, id, code, problem);
}

void PageEngine::end_analysis() {
  const std::lock_guard guard(lock_);
  analysis_.reset();
}

void PageEngine::answer(const Json& request, const Json& id, const Send& send) {
  using Answer = void (PageEngine::*)(const Json&, const Json&, const Send&);
  static constexpr std::pair<std::string_view, Answer> ANSWERS[] = {
      {"view", &PageEngine::view},       {"new_game", &PageEngine::new_game},
      {"move", &PageEngine::move},       {"swap2", &PageEngine::swap2},
      {"analyse", &PageEngine::analyse}, {"solve", &PageEngine::solve},
      {"review", &PageEngine::review},   {"proof_step", &PageEngine::proof_step},
      {"attempt", &PageEngine::attempt}};
  const Json* const type = member(request, "type");
  if (type != nullptr && type->text() != nullptr)
    for (const auto& [name, answer] : ANSWERS)
      if (name == *type->text()) return (this->*answer)(request, id, send);
  throw RequestError("message", "there is no such request");
}

void PageEngine::stop() {
  is_stopped_ = true;
  player_.stop();
}

void PageEngine::report(const Send& send) {
  const std::lock_guard guard(lock_);
  if (analysis_) send_json(send, analysis_->event(false, player_.progress()));
}

void PageEngine::set_hook(std::function<void()> hook) {
  hook_ = std::move(hook);
  player_.set_hook([this] {
    hook_();
    return true;
  });
}

void PageEngine::view(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  const Json* const whole = member(request, "whole_line");
  if (whole != nullptr && whole->truth() == nullptr)
    throw RequestError("invalid", "whole_line: expected true or false");
  const bool is_whole = whole != nullptr && *whole->truth();
  Json::Array views;
  if (is_whole)
    views = views_along(position);
  else
    views.push_back(view_of(position.board, position.rule));
  send_json(send, Json::Object{{"type", "views"}, {"id", id}, {"views", std::move(views)}});
}

PlayedMove PageEngine::search(const PlayRequest& request, int level,
                              const Player::OnLine& on_line) {
  options_.level = level;
  options_.core.threads = level == FULL_LEVEL ? threads_ : level_threads_.value_or(threads_);
  player_.configure(options_);
  player_.clear_stop();
  if (is_stopped_) player_.stop();
  return player_.play(request, [&](const SearchLine& line) {
    if (on_line) on_line(line);
  });
}

PlayedMove PageEngine::search_at_level(const PlayRequest& play, const Json& request) {
  if (member(request, "seed") != nullptr)
    options_.core.seed = static_cast<u64>(whole_in(request, "seed", 0, 0, MAX_ID));
  return search(play, whole_in(request, "level", FULL_LEVEL, 1, FULL_LEVEL));
}

void PageEngine::new_game(const Json&, const Json& id, const Send& send) {
  player_.new_game();
  send_json(send, Json::Object{{"type", "ready"}, {"id", id}});
}

void PageEngine::move(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  PlayRequest play = search_of(position);
  const bool has_time = member(request, "seconds") != nullptr;
  play.limit.time = number_in(request, "seconds", 1, 0.01, MAX_MOVE_TIME);
  if (const Json* const clock = member(request, "clock")) {
    if (clock->object() == nullptr || member(*clock, "left") == nullptr)
      throw RequestError("invalid", "clock: expected an object with the seconds left");
    play.limit.clock = number_in(*clock, "left", 0, 0, MAX_CLOCK);
    play.limit.increment = number_in(*clock, "increment", 0, 0, MAX_CLOCK);
    if (!has_time) play.limit.time = MAX_MOVE_TIME;
  }
  const PlayedMove played = search_at_level(play, request);
  const Colour side = position.board.side_to_move();
  send_json(send, Json::Object{{"type", "move"},
                               {"id", id},
                               {"move", name_of(played.move)},
                               {"line", played.line ? line_of(*played.line, 1, side) : Json()}});
}

void PageEngine::swap2(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  const std::vector<Point>& moves = position.moves();
  const int stones = static_cast<int>(moves.size()), size = position.board.size();
  if (position.start != Board(size) || contains(moves, NO_POINT))
    throw RequestError("invalid", "a swap2 opening starts from an empty board and has no passes");
  std::vector<Point> choice;
  if (stones == 0) {
    const int number = whole_in(request, "number", 0, 0, 1 << 16);
    choice = swap2_opening(size, static_cast<u32>(number));
  } else if (stones == 3 || stones == 5) {
    PlayRequest play = search_of(position);
    play.limit.time = number_in(request, "seconds", SWAP2_TIME, 0.01, MAX_MOVE_TIME);
    const PlayedMove played = search_at_level(play, request);
    choice = swap2_choice(
        {played.move, played.ponder, played.line ? played.line->info : SearchInfo{}}, stones);
  } else {
    throw RequestError("invalid", "a swap2 opening has no, three or five stones");
  }
  send_json(send, Json::Object{{"type", "swap2"}, {"id", id}, {"stones", names_of(choice)}});
}

Json::Array PageEngine::policy_of(const PlayRequest& request) {
  Json::Array points;
  const auto prepared = player_.prepare(request.rule, request.board.size());
  for (const PolicyMove& move : player_.root_policy(request, prepared)) {
    if (move.probability < MIN_PROBABILITY || points.size() == POLICY_POINTS) break;
    points.push_back(
        Json::Object{{"point", name_of(move.point)}, {"probability", move.probability}});
  }
  return points;
}

void PageEngine::analyse(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  PlayRequest play = search_of(position);
  play.purpose = SearchPurpose::ANALYSIS;
  play.limit.time = number_in(request, "seconds", 120, 0.01, MAX_TIME);
  play.multipv = whole_in(request, "lines", 3, 1, MAX_LINES);
  const int size = position.board.size();
  const std::vector<Point> legal = legal_points(position.board, position.rule);
  play.moves = points_in(request, "only", size);
  std::sort(play.moves.begin(), play.moves.end());
  play.moves.erase(std::unique(play.moves.begin(), play.moves.end()), play.moves.end());
  for (const Point p : play.moves)
    if (!contains(legal, p)) throw RequestError("invalid", name_of(p) + " is not legal");
  if (const std::vector<Point> excluded = points_in(request, "exclude", size); !excluded.empty()) {
    if (play.moves.empty()) play.moves = legal;
    std::erase_if(play.moves, [&](Point p) { return contains(excluded, p); });
    if (play.moves.empty()) throw RequestError("blocked", "every move is excluded");
  }
  {
    Json::Array policy = policy_of(play);
    const std::lock_guard guard(lock_);
    analysis_.emplace(id, position.board.side_to_move(), std::move(policy));
  }
  report(send);
  search(play, FULL_LEVEL, [&](const SearchLine& line) {
    const std::lock_guard guard(lock_);
    analysis_->add(line);
  });
  const std::lock_guard guard(lock_);
  const Json done = analysis_->event(true, player_.progress());
  analysis_.reset();  // no report follows
  send_json(send, done);
}

// --- solver ---

Solver& PageEngine::solver_for(const PagePosition& position) {
  if (!solver_) solver_.emplace(position.board.size(), position.rule, SOLVER_MEMORY);
  solver_->set_game(position.board.size(), position.rule);
  return *solver_;
}

void PageEngine::solve(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  const Board& board = position.board;
  const Goal goal = goal_in(request);
  search_of(position);
  const Stone side = colour_in(request, "side");
  const Colour attacker = side != EMPTY ? side : board.side_to_move();
  const auto event = [&](const char* state, const std::vector<Point>& line) {
    send_json(send, Json::Object{{"type", "solution"},
                                 {"id", id},
                                 {"state", state},
                                 {"attacker", colour_name(attacker)},
                                 {"line", names_of(line)},
                                 {"depth", (line.size() + 1) / 2}});
  };
  event("running", {});
  SolveRequest search;
  search.goal = goal;
  search.limits.seconds = number_in(request, "seconds", 10, 0.01, SOLVE_TIME);
  search.cancel = &is_stopped_;
  if (hook_)
    search.hook = [this](const SolverProgress&) {
      hook_();
      return true;
    };
  Solution found = solver_for(position).solve(board.cells(), attacker, 0, search);
  if (!found.proof) return event(found.status == SolveStatus::NO_WIN ? "no_win" : "unknown", {});
  const double number = key_of(id);
  std::erase_if(proofs_, [&](const auto& stored) { return stored->id == number; });
  proofs_.push_back(std::make_unique<StoredProof>(number, position.rule, std::move(*found.proof)));
  if (proofs_.size() > MAX_PROOFS) proofs_.pop_front();
  event("win", proofs_.back()->tree.line().moves);
}

void PageEngine::attempt(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  if (position.moves().empty()) throw RequestError("invalid", "an attempt has at least one move");
  const Goal goal = goal_in(request);
  const Attempt found = check_attempt(solver_for(position), position, goal, is_stopped_);
  const auto named = [](const std::optional<Point>& p) { return p ? Json(name_of(*p)) : Json(); };
  send_json(send, Json::Object{{"type", "attempt_result"},
                               {"id", id},
                               {"verdict", found.verdict},
                               {"reason", found.reason},
                               {"point", named(found.point)},
                               {"reply", named(found.reply)}});
}

void PageEngine::proof_step(const Json& request, const Json& id, const Send& send) {
  const double number = key_of(id);
  const auto found = std::find_if(proofs_.rbegin(), proofs_.rend(),
                                  [&](const auto& stored) { return stored->id == number; });
  if (found == proofs_.rend())
    throw RequestError("proof", "the engine has dropped this proof: solve again");
  const auto& [_, rule, proof, tree] = **found;
  const std::vector<Point> moves = points_in(request, "moves", proof.size);
  const Board board = board_after(tree.start(), rule, moves);
  const u32 node = tree.walk(moves);
  const bool is_over = outcome(board, rule).ending != Ending::NONE, attacks = moves.size() % 2 == 0;
  Json attack, threat;
  Json::Array replies;
  if (!is_over && attacks) attack = name_of(proof.nodes[node].move);
  if (!is_over && !attacks) {
    const std::vector<Point> legal = legal_points(board, rule);
    for (const ProofTree::Reply& reply : tree.resistance(node)) {
      if (!reply.point)
        threat = name_of(proof.nodes[reply.node].move);
      else if (contains(legal, *reply.point) && replies.size() < MAX_REPLIES)
        replies.push_back(name_of(*reply.point));
    }
  }
  send_json(send, Json::Object{{"type", "proof_node"},
                               {"id", id},
                               {"moves", names_of(moves)},
                               {"attack", attack},
                               {"replies", std::move(replies)},
                               {"threat", threat},
                               {"over", is_over}});
}

// --- review ---

void PageEngine::review(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  const int plies = static_cast<int>(position.moves().size());
  if (plies < 1 || plies > MAX_REVIEWED)
    throw RequestError("length", "expected a game of 1 to " + std::to_string(MAX_REVIEWED) +
                                     " moves, got " + std::to_string(plies));
  const double effort = number_in(request, "effort", 1, 0.01, 10);
  Review game(position.start, position.rule, 0, position.moves(), Review::DEFAULT_TIME * effort);
  const Colour first_turn = position.start.side_to_move();
  const auto event = [&](const char* state) {
    send_json(send, review_event(id, state, game, first_turn));
  };
  player_.new_game();
  double sent = 0;
  while (const std::optional<ReviewTask> task = game.next()) {
    if (is_stopped_) return event("stopped");
    if (const double time = StopCondition::now(); time - sent >= REVIEW_EVENT) {
      sent = time;
      event("running");
    }
    PlayRequest play{task->board, position.rule};
    play.purpose = SearchPurpose::ANALYSIS;
    play.limit.time = task->seconds;
    const PlayedMove played = search(play, FULL_LEVEL);
    Assessment found{{}, {played.move}};
    if (played.line) {
      const SearchInfo& info = played.line->info;
      found = {Score::of(info.value, info.proven), info.pv.empty() ? found.line : info.pv,
               info.depth};
    }
    game.put(std::move(found));
  }
  event(is_stopped_ ? "stopped" : "done");
}

}  // namespace tengen::page
