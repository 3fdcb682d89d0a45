// A loop or comprehension over a few integers, noted while its body is lowered: where the body
// turns out to read functions or objects at its target, lowering begins again and writes it out.
//
// In: the loop and its target as a core expression; null where it cannot be written out. Out: an
// entry of `open_counted_`, for as long as the object lives.
#pragma once

#include "lower/lowering.h"

namespace tangent::lowering {

class Lowering::OpenCounted {
 public:
  OpenCounted(Lowering& lowering, const Node* loop, const Expr* target)
      : lowering_(lowering), mark_(lowering.open_counted_.size()) {
    const auto* name = as<Name>(target);
    if (loop != nullptr && name != nullptr)
      lowering_.open_counted_.emplace_back(loop, name->symbol);
  }
  ~OpenCounted() { lowering_.open_counted_.resize(mark_); }
  OpenCounted(const OpenCounted&) = delete;
  OpenCounted& operator=(const OpenCounted&) = delete;

 private:
  Lowering& lowering_;
  std::size_t mark_;
};

}  // namespace tangent::lowering
