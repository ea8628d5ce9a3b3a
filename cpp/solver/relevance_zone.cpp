// SPDX-License-Identifier: MIT
#include "solver/relevance_zone.h"

namespace tengen {

namespace {

class ZoneBuilder {
 public:
  ZoneBuilder(ThreatBoard& board, Colour attacker)
      : board_(board), attacker_(attacker), defender_(opponent(attacker)) {}

  RelevanceZone collect(const VcfTree& tree) {
    add_fours_of_defender();
    VcfTree::Reader reader(tree);
    visit(reader);
    zone_.replies |= zone_.tree_points;
    if (includes_all_) zone_.replies = empty_points();
    return zone_;
  }

 private:
  const PatternBoard& patterns() const { return board_.patterns(); }
  bool is_renju() const { return board_.rule() == Rule::RENJU; }
  bool is_caro() const { return board_.rule() == Rule::CARO || board_.rule() == Rule::CARO6; }

  void visit(VcfTree::Reader& reader) {
    const Point move = reader.next();
    const int defences = reader.next();
    zone_.tree_points.set(move);
    if (patterns().threat(attacker_, move) == Threat::FIVE) {
      if (is_caro()) add_lines_of(move, zone_.tree_points);
      return;
    }
    if (attacker_ == BLACK && is_renju() &&
        patterns().threat(BLACK, move) == Threat::FOUR_DOUBLE_THREE)
      includes_all_ = true;
    const ScopedPlay played(board_, move, attacker_);
    add_fives();
    for (int i = 0; i < defences; ++i) {
      const Point defence = reader.next();
      zone_.tree_points.set(defence);
      const ScopedPlay defended(board_, defence, defender_);
      add_fours_of_defender();
      visit(reader);
    }
  }

  /// Points that complete a five of the attacker, and points that can prevent it.
  void add_fives() {
    patterns().for_each_at_least(attacker_, Threat::FIVE, [&](Point p) {
      zone_.tree_points.set(p);
      if (is_caro()) add_lines_of(p, zone_.tree_points);
      if (defender_ != BLACK) return;
      switch (patterns().forbidden(p)) {
        case Forbidden::NONE:
        case Forbidden::OVERLINE: break;  // only a five would make it legal
        case Forbidden::DOUBLE_FOUR: add_lines_of(p, zone_.replies); break;
        case Forbidden::DOUBLE_THREE: includes_all_ = true; break;
      }
    });
  }

  void add_fours_of_defender() {
    // A four of black that is forbidden now may have been legal after an earlier stone. FORBIDDEN
    // is a low threat class, so a scan for it meets many points; most boards have none.
    const bool with_forbidden =
        defender_ == BLACK && patterns().count(BLACK, Threat::FORBIDDEN) > 0;
    if (!with_forbidden && !board_.can_make_four(defender_)) return;
    patterns().for_each_at_least(defender_, with_forbidden ? Threat::FORBIDDEN : Threat::FOUR,
                                 [&](Point p) {
                                   const Threat threat = patterns().threat(defender_, p);
                                   if (threat >= Threat::FOUR || threat == Threat::FORBIDDEN)
                                     zone_.replies.set(p);
                                 });
  }

  /// Empty points near p on its four lines.
  void add_lines_of(Point p, PointSet& set) const {
    for (const Direction d : DIRECTIONS)
      for (int n = -KEY_REACH; n <= KEY_REACH; ++n)
        if (const Point q = shifted(p, d, n); patterns().is_empty(q)) set.set(q);
  }

  /// All empty points of the initial board: the stones of the tree are undone.
  PointSet empty_points() const {
    PointSet points;
    for (const Point p : board_points(board_.size()))
      if (patterns().is_empty(p)) points.set(p);
    return points;
  }

  ThreatBoard& board_;
  Colour attacker_, defender_;
  RelevanceZone zone_;
  bool includes_all_ = false;
};

}  // namespace

RelevanceZone relevance_zone(ThreatBoard& board, Colour attacker, const VcfTree& tree) {
  return ZoneBuilder(board, attacker).collect(tree);
}

}  // namespace tengen
