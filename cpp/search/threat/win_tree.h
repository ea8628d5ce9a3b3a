// SPDX-License-Identifier: MIT
// A win by continuous fours as a string of words, so that a solver can write it without allocating.
// Each four is followed by the replies that stop its five, and each of those by what beats it:
//
//     read from the end:   move, number of replies, then for each of them: reply, the tree that
//     beats it
//
// A move without replies is a five, or a four that nothing stops. Written from the leaves on: the
// tree of the first reply, the reply, the tree of the second …, the number, the move.
#pragma once

#include <cassert>
#include <vector>

#include "game/point.h"

namespace tengen {

class WinTree {
 public:
  explicit WinTree(size_t room) { words_.reserve(room); }

  void clear() { words_.clear(); }
  bool empty() const { return words_.empty(); }
  size_t size() const { return words_.size(); }
  /// Forgets what was written after the tree had this size.
  void cut(size_t size) { words_.resize(size); }
  /// False if there is no room left: the tree is then useless.
  bool push(u16 word) {
    if (words_.size() == words_.capacity()) return false;
    words_.push_back(word);
    return true;
  }

  /// Reads a tree from its root on.
  class Reader {
   public:
    explicit Reader(const WinTree& tree) : next_(tree.words_.data() + tree.words_.size()) {}
    u16 next() { return *--next_; }
    /// Passes over one tree.
    void skip() {
      next();
      skip_replies(next());
    }
    /// Passes over so many replies, and their trees.
    void skip_replies(int count) {
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

}  // namespace tengen
