// SPDX-License-Identifier: MIT
// A VCF as a sequence of 16-bit words, written without allocation. Each four is followed by its
// defences, the moves that stop its five, and each defence by the tree that refutes it:
//
//     read from the end:   move, number of defences, then for each: defence, tree that refutes it
//
// A move without defences is a five, or a four that nothing stops. Written from the leaves on: the
// tree of the first defence, the defence, the tree of the second, ..., the number, the move.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "game/point.h"

namespace tengen {

class VcfTree {
 public:
  explicit VcfTree(size_t capacity) { words_.reserve(capacity); }

  void clear() { words_.clear(); }
  bool empty() const { return words_.empty(); }
  size_t size() const { return words_.size(); }
  /// Truncates the tree to an earlier size.
  void truncate(size_t size) { words_.resize(size); }
  /// False if the capacity is exhausted: the tree is then unusable.
  bool push(u16 word) {
    if (words_.size() == words_.capacity()) return false;
    words_.push_back(word);
    return true;
  }

  /// Reads a tree from its root.
  class Reader {
   public:
    explicit Reader(const VcfTree& tree) : next_(tree.words_.data() + tree.words_.size()) {}
    u16 next() { return *--next_; }
    /// Skips one tree.
    void skip() {
      next();
      skip_defences(next());
    }
    /// Skips defences with their trees.
    void skip_defences(int count) {
      for (; count > 0; --count) {
        next();
        skip();
      }
    }

   private:
    const u16* next_;
  };

 private:
  std::vector<u16> words_;
};

/// Plies of the longest line of the next tree, up to the five. Requires that it begins with a four:
/// its leaves are fours that nothing stops, with the five two plies later.
inline int win_length(VcfTree::Reader& reader) {
  reader.next();
  int longest = 3;
  const int defences = reader.next();
  for (int i = 0; i < defences; ++i) {
    reader.next();
    longest = std::max(longest, 2 + win_length(reader));
  }
  return longest;
}

/// The moves of the longest line of the next tree, up to the last four.
inline std::vector<Point> longest_variation(VcfTree::Reader& reader) {
  std::vector<Point> longest = {reader.next()};
  const int defences = reader.next();
  for (int i = 0; i < defences; ++i) {
    const Point defence = reader.next();
    const std::vector<Point> continuation = longest_variation(reader);
    if (continuation.size() + 2 <= longest.size()) continue;
    longest.resize(1);
    longest.push_back(defence);
    longest.insert(longest.end(), continuation.begin(), continuation.end());
  }
  return longest;
}

}  // namespace tengen
