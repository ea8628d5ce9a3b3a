// SPDX-License-Identifier: MIT
#include "page/analysis.h"

#include <algorithm>
#include <utility>

#include "engine/review.h"
#include "page/position.h"

namespace tengen::page {

namespace {

constexpr size_t MAX_LINE = 24;  ///< moves of a line that are sent

}  // namespace

Json line_of(const SearchLine& line, int rank, Colour side) {
  const SearchInfo& info = line.info;
  const Score own = Score::of(info.value, info.proven), score = side == BLACK ? own : -own;
  return Json::Object{
      {"rank", rank},
      {"moves", names_of(info.pv, MAX_LINE)},
      {"win_rate", score.win_rate()},
      {"mate", score.mate == 0 ? Json() : Json(score.mate)},
      {"depth", info.depth},
  };
}

Analysis::Analysis(Json id, Colour side, Json::Array policy)
    : id_(std::move(id)), side_(side), policy_(std::move(policy)) {}

void Analysis::add(const SearchLine& line) {
  last_ = line;
  const SearchInfo& info = line.info;
  const bool is_exact = info.bound == Bound::EXACT;
  if (info.pv.empty()) return;
  const auto replaced = lines_.find(info.multipv);
  if (is_exact && replaced != lines_.end())
    for (auto& [rank, other] : lines_)
      if (rank > info.multipv && other.info.pv[0] == info.pv[0]) {  // it has moved up
        other = replaced->second;
        other.info.multipv = rank;
      }
  if (is_exact || !lines_.contains(info.multipv)) lines_.insert_or_assign(info.multipv, line);
}

std::vector<const SearchLine*> Analysis::unique() const {
  std::vector<const SearchLine*> found;
  for (const auto& [rank, line] : lines_) {
    const Point first = line.info.pv[0];
    if (std::none_of(found.begin(), found.end(),
                     [&](const SearchLine* one) { return one->info.pv[0] == first; }))
      found.push_back(&line);
  }
  return found;
}

Json::Array Analysis::shown() const {
  Json::Array shown;
  for (const SearchLine* line : unique())
    shown.push_back(line_of(*line, line->info.multipv, side_));
  return shown;
}

int Analysis::depth() const {
  int depth = 0;
  for (const SearchLine* line : unique()) depth = std::max(depth, line->info.depth);
  return depth;
}

Json Analysis::event(bool is_done, const std::optional<PlayProgress>& progress) {
  const SearchLine line = last_.value_or(SearchLine{});
  if (progress) {
    progress_ = *progress;
  } else if (line.info.stats.nodes >= progress_.nodes) {
    progress_.nodes = line.info.stats.nodes;
    progress_.selective_depth = line.info.selective_depth;
    progress_.nps = line.nps;
  }
  return Json::Object{
      {"type", "analysis"},
      {"id", id_},
      {"state", is_done ? "done" : "running"},
      {"depth", depth()},
      {"seldepth", progress_.selective_depth},
      {"nodes", static_cast<double>(progress_.nodes)},
      {"nps", static_cast<double>(progress_.nps)},
      {"lines", shown()},
      {"policy", policy_},
      {"evaluation", last_ ? line.evaluator.text() : std::string()},
  };
}

}  // namespace tengen::page
