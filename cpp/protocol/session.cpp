// SPDX-License-Identifier: MIT
#include "protocol/session.h"

#include <array>
#include <cmath>
#include <utility>

#include "engine/swap2.h"

namespace tengen::protocol {

namespace {

/// Commands that may wait for the end of a search: several whole boards.
constexpr size_t MAX_WAITING = 4096;
constexpr int DEFAULT_SIZE = 15;  ///< of boards, before START

Action send(std::string line) { return SendLine{std::move(line)}; }
Action message(const std::string& text) { return send("MESSAGE " + text); }

void append(Actions& actions, Actions more) {
  for (Action& one : more) actions.push_back(std::move(one));
}

}  // namespace

Session::Session(SessionConfig config) : config_(std::move(config)), settings_(config_.settings) {}

Session::Handler Session::find(std::string_view verb) {
  static constexpr std::array<std::pair<std::string_view, Handler>, 11> COMMANDS = {{
      {"START", &Session::start},
      {"RECTSTART", &Session::rect_start},
      {"RESTART", &Session::restart},
      {"BEGIN", &Session::begin},
      {"TURN", &Session::turn},
      {"BOARD", &Session::open_block},
      {"SWAP2BOARD", &Session::open_block},
      {"DONE", &Session::done},
      {"PLAY", &Session::play},
      {"TAKEBACK", &Session::take_back},
      {"ABOUT", &Session::about},
  }};
  for (const auto& [name, handler] : COMMANDS)
    if (name == verb) return handler;
  return nullptr;
}

Session::Handler Session::find_at_once(std::string_view verb) {
  if (verb == "INFO") return &Session::info;
  if (verb == "STOP" || verb == "YXSTOP") return &Session::stop;
  return verb == "END" ? &Session::end : nullptr;
}

Actions Session::handle(std::string_view line) {
  std::optional<Command> command = parse_command(line);
  if (!command || closing_) return {};
  if (const Handler urgent = find_at_once(command->verb)) return (this->*urgent)(*command);
  if (!search_) return execute(*command);
  if (waiting_.size() >= MAX_WAITING)
    return {send("ERROR too many commands are waiting for the end of the search")};
  // A new game: the running one is abandoned.
  const bool is_new_game = command->verb == "START" || command->verb == "RESTART";
  waiting_.push_back(std::move(*command));
  return is_new_game ? Actions{StopSearch{}} : Actions{};
}

Actions Session::search_event(const SearchEvent& event) {
  if (!search_) return {};
  if (const auto* line = std::get_if<SearchLine>(&event)) {
    Actions actions = report_evaluator(line->evaluator);
    if (auto text = search_->report.line(*line, settings_.show_detail))
      actions.push_back(message(*text));
    return actions;
  }
  Search search = std::move(*search_);
  search_.reset();
  Actions actions;
  if (const auto* failed = std::get_if<SearchFailed>(&event)) {
    position_ = std::move(search.before);
    actions.push_back(send("ERROR " + plain(failed->reason)));
  } else {
    actions = finish(search, std::get<PlayedMove>(event));
  }
  if (waiting_.empty() && !closing_) append(actions, ponder_on(event));
  while (!waiting_.empty() && !search_) {
    const Command command = std::move(waiting_.front());
    waiting_.pop_front();
    Actions more = execute(command);
    if (closing_)  // nothing but answers
      std::erase_if(more, [](const Action& one) { return !std::holds_alternative<SendLine>(one); });
    append(actions, std::move(more));
  }
  if (closing_) {
    search_.reset();
    actions.push_back(Quit{});
  }
  return actions;
}

Actions Session::close() {
  closing_ = true;
  return search_ ? Actions{StopSearch{}} : Actions{Quit{}};
}

// --- commands ---

Actions Session::execute(const Command& command) {
  const std::optional<GamePosition> before = position_;
  try {
    if (position_) position_->use(settings_.rule);
    return run(command);
  } catch (const Refused& error) {
    position_ = before;
    return {send(std::string("ERROR ") + error.what())};
  }
}

Actions Session::run(const Command& command) {
  if (block_) return in_block(command);
  const Handler handler = find(command.verb);
  if (handler == nullptr) return {send("UNKNOWN command '" + in_quotes(command.text()) + "'")};
  Actions actions = (this->*handler)(command);
  if (command.verb == "ABOUT") return actions;
  // StartSearch itself ends pondering, or continues it on the expected reply.
  Actions stopping = end_pondering();
  if (search_) return actions;
  append(stopping, std::move(actions));
  return stopping;
}

Actions Session::start(const Command& command) {
  const std::optional<i64> size = parse_number(first_word(command.rest).first);
  if (!size || *size < MIN_SIZE || *size > MAX_SIZE) {
    const std::string text = command.rest.empty() ? "" : " '" + in_quotes(command.rest) + "'";
    throw Refused("no board of that size" + text + ": sizes are " + std::to_string(MIN_SIZE) +
                  " to " + std::to_string(MAX_SIZE));
  }
  return begin_game(static_cast<int>(*size));
}

Actions Session::restart(const Command&) { return begin_game(started().size()); }

Actions Session::begin_game(int size) {
  if (position_) {  // the time left was that of the last game
    spent_ = 0;
    settings_.time_left.reset();
  }
  position_ = GamePosition(size, settings_.rule);
  return {StartGame{*position_, options(), settings_.limit(spent_)}, send("OK")};
}

Actions Session::rect_start(const Command&) {
  throw Refused("only square boards are played: use START");
}

Actions Session::begin(const Command&) {
  if (started().stones() > 0)
    throw Refused("BEGIN is for an empty board: use TURN or BOARD, or RESTART first");
  return think(*position_);
}

Actions Session::turn(const Command& command) {
  GamePosition& position = started();
  GamePosition before = position;
  const std::optional<std::string> remark = position.put(parse_move(command.rest, position.size()));
  position.require_open();
  Actions actions;
  if (remark) actions.push_back(message(*remark));
  append(actions, think(std::move(before)));
  return actions;
}

Actions Session::play(const Command& command) {
  GamePosition& position = started();
  const Point move = parse_move(command.rest, position.size());
  Actions actions;
  if (const auto remark = position.put(move)) actions.push_back(message(*remark));
  actions.push_back(send(format_move(move)));
  return actions;
}

Actions Session::take_back(const Command& command) {
  GamePosition& position = started();
  position.take_back(parse_point(command.rest, position.size()));
  return {send("OK")};
}

/// BOARD and SWAP2BOARD: stones follow, one per line, until DONE.
Actions Session::open_block(const Command& command) {
  block_.emplace(command.verb, position_ ? position_->size() : 0);
  if (!command.rest.empty())
    block_->reject(command.verb + " takes its stones from the lines that follow");
  return {};
}

Actions Session::in_block(const Command& command) {
  if (command.verb == "DONE") {
    const StoneBlock block = std::move(*block_);
    block_.reset();
    block.check();
    return block.verb() == "BOARD" ? set_board(block) : swap2(block);
  }
  if (find(command.verb) == nullptr) {
    block_->add(command.text());
    return {};
  }
  Actions actions = {send("ERROR " + block_->verb() + " without DONE before " + command.verb)};
  block_.reset();
  append(actions, execute(command));
  return actions;
}

Actions Session::done(const Command&) {
  throw Refused("DONE without BOARD or SWAP2BOARD before it");
}

Actions Session::set_board(const StoneBlock& block) {
  GamePosition before = started();
  GamePosition position =
      GamePosition::from_owners(before.size(), settings_.rule, block.own(), block.others());
  position.require_open();
  position_ = std::move(position);
  return think(std::move(before));
}

Actions Session::swap2(const StoneBlock& block) {
  GamePosition before = started();
  const size_t stones = block.all().size();
  if (stones == 0) {
    const std::vector<Point> opening = swap2_opening(before.size(), config_.seed);
    position_ = GamePosition::from_order(before.size(), settings_.rule, opening);
    return {send(format_points(opening))};
  }
  if (stones != 3 && stones != 5)
    throw Refused("SWAP2BOARD with " + std::to_string(stones) + " stones: expected 0, 3 or 5");
  GamePosition position = GamePosition::from_order(before.size(), settings_.rule, block.all());
  position.require_open();
  position_ = std::move(position);
  return think(std::move(before), true);
}

Actions Session::about(const Command&) {
  return {send(config_.about + ", evaluation=\"" + plain(evaluator().text()) + "\"")};
}

// --- commands that act at once ---

Actions Session::info(const Command& command) {
  const Settings before = settings_;
  const std::optional<std::string> key = settings_.apply(command.rest);
  if (key == "time_left") spent_ = 0;
  const bool is_same_net =
      before.rule == settings_.rule && before.max_memory == settings_.max_memory;
  if (is_same_net || !position_ || search_) return {};  // the next search loads what it needs
  return {PrepareEvaluator{GamePosition(position_->size(), settings_.rule), options()}};
}

Actions Session::stop(const Command&) { return search_ ? Actions{StopSearch{}} : end_pondering(); }

Actions Session::end(const Command&) { return close(); }

// --- searching ---

/// Starts a search of the position; `before`: to return to if it fails.
Actions Session::think(GamePosition before, bool is_swap2) {
  search_ = Search{std::move(before), is_swap2};
  return {StartSearch{*position_, settings_.limit(spent_), options()}};
}

/// Puts the stones that a search chose, and reports them.
Actions Session::finish(const Search& search, const PlayedMove& played) {
  Actions actions;
  std::vector<Point> choice = {played.move};
  if (played.line) {
    actions = report_evaluator(played.line->evaluator);
    if (const auto text = search.report.last_line(*played.line, settings_.show_detail))
      actions.push_back(message(*text));
    spent_ += std::lround(played.line->seconds * 1000);
  }
  if (search.is_swap2) {
    const SearchResult result{played.move, played.ponder,
                              played.line ? played.line->info : SearchInfo{}};
    choice = swap2_choice(result, position_->stones());
  }
  try {
    if (played.move == NO_POINT && !legal_points(position_->board(), position_->rule()).empty())
      throw Refused("the engine passed, but has legal moves");
    for (const Point move : choice) position_->put(move);
  } catch (const Refused& error) {
    position_ = search.before;
    actions.push_back(send(std::string("ERROR ") + error.what()));
    return actions;
  }
  if (played.move == NO_POINT)  // of black in renju
    actions.push_back(message("every free point is forbidden: black passes"));
  actions.push_back(send(choice.empty() ? "SWAP" : format_points(choice)));
  return actions;
}

/// Ponders on the expected reply, if that is enabled.
Actions Session::ponder_on(const SearchEvent& event) {
  const auto* played = std::get_if<PlayedMove>(&event);
  if (!settings_.pondering || played == nullptr || played->move == NO_POINT) return {};
  GamePosition position = *position_;
  if (position.board().at(played->move) == EMPTY) return {};  // it was not played
  if (played->ponder == NO_POINT || position.is_over() || !position.is_legal(played->ponder))
    return {};
  position.put(played->ponder);
  if (position.is_over()) return {};
  pondering_ = true;
  return {StartPondering{std::move(position)}};
}

Actions Session::end_pondering() {
  return std::exchange(pondering_, false) ? Actions{StopSearch{}} : Actions{};
}

// --- helpers ---

GamePosition& Session::started() {
  if (!position_) throw Refused("there is no board yet: send START first");
  return *position_;
}

/// The evaluator of the next search.
EvaluatorInfo Session::evaluator() const {
  if (!config_.evaluator) return {"none", "", 0};
  const int size = position_ ? position_->size() : DEFAULT_SIZE;
  try {
    return config_.evaluator(settings_.rule, size, settings_.net_memory());
  } catch (const std::runtime_error&) {  // the search reports it
    return {"none", "the net cannot be used", 0};
  }
}

SessionOptions Session::options() const {
  return settings_.options(config_.limits, evaluator().bytes);
}

/// Reports the evaluator of a search, if it changed.
Actions Session::report_evaluator(const EvaluatorInfo& evaluator) {
  if (evaluator == reported_ || evaluator.name.empty()) return {};
  reported_ = evaluator;
  return {message("evaluation: " + plain(evaluator.text()))};
}

}  // namespace tengen::protocol
