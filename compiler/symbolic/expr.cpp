// The node store of ExprPool: interning and access. Simplification is in sums.cpp, products.cpp and
// functions.cpp.
#include "compiler/symbolic/expr.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace luztar {
namespace {

constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();  // an empty slot

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

std::uint32_t hash_node(Op op, double value, Symbol symbol, std::span<const Expr> args) {
  std::uint64_t hash = mix(0x51ed270b0a1f39c1ULL, static_cast<std::uint64_t>(op));
  if (op == Op::kConstant) {
    // Small whole numbers differ in the upper half only, and products carry bits upwards.
    const auto bits = std::bit_cast<std::uint64_t>(value);
    hash = mix(hash, bits ^ (bits >> 32));
  }
  if (op == Op::kSymbol) {
    hash = mix(hash, (static_cast<std::uint64_t>(symbol.kind) << 32) | symbol.index);
  }
  for (const Expr arg : args) hash = mix(hash, arg.value);
  return static_cast<std::uint32_t>(hash ^ (hash >> 29));
}

}  // namespace

ExprPool::ExprPool() : slots_(1024, Slot{kNoNode, 0}), zero_(constant(0)), one_(constant(1)) {}

std::span<const Expr> ExprPool::args(Expr e) const {
  const Node& node = nodes_[e.value];
  if (node.count == 0) return {};
  return {arguments_at(node.first), node.count};
}

Expr ExprPool::constant(double value) {
  // One zero and one NaN, so that equal ids go with equal values.
  if (value == 0) value = 0;
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return intern(Op::kConstant, value, {}, {});
}

Expr ExprPool::symbol(Symbol symbol) { return intern(Op::kSymbol, 0, symbol, {}); }

bool ExprPool::same(Expr e, Op op, double value, Symbol symbol, std::span<const Expr> args) const {
  const Node& node = nodes_[e.value];
  if (node.op != op || node.count != args.size()) return false;
  if (op == Op::kConstant) {
    return std::bit_cast<std::uint64_t>(node.value) == std::bit_cast<std::uint64_t>(value);
  }
  if (op == Op::kSymbol) return node.symbol == symbol;
  return std::equal(args.begin(), args.end(), this->args(e).begin());
}

Expr ExprPool::intern(Op op, double value, Symbol symbol, std::span<const Expr> args) {
  const std::uint32_t hash = hash_node(op, value, symbol, args);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot].id != kNoNode; slot = (slot + 1) & mask) {
    const Expr candidate{slots_[slot].id};
    if (slots_[slot].hash == hash && same(candidate, op, value, symbol, args)) return candidate;
  }
  const Expr created{nodes_.size()};
  const std::uint32_t first = room_for(args.size());
  const auto count = static_cast<std::uint32_t>(args.size());
  nodes_.push_back(op == Op::kSymbol
                       ? Node{.symbol = symbol, .first = first, .count = count, .op = op}
                       : Node{.value = value, .first = first, .count = count, .op = op});
  if (!args.empty()) std::copy(args.begin(), args.end(), arguments_at(first));
  slots_[slot] = {created.value, hash};
  if (2 * nodes_.size() > slots_.size()) grow_index();
  return created;
}

std::uint32_t ExprPool::room_for(std::size_t count) {
  if (count == 0) return 0;
  if (block_used_ + count > kBlock) {
    blocks_.push_back(std::make_unique<Expr[]>(std::max<std::size_t>(count, kBlock)));
    block_used_ = 0;
  }
  const auto block = static_cast<std::uint32_t>(blocks_.size() - 1);
  const std::uint32_t first = block * kBlock + block_used_;
  block_used_ = static_cast<std::uint32_t>(std::min<std::size_t>(block_used_ + count, kBlock));
  argument_count_ += count;
  return first;
}

void ExprPool::grow_index() {
  std::vector<Slot> larger(2 * slots_.size(), Slot{kNoNode, 0});
  const std::size_t mask = larger.size() - 1;
  for (const Slot& old : slots_) {
    if (old.id == kNoNode) continue;
    std::size_t slot = old.hash & mask;
    while (larger[slot].id != kNoNode) slot = (slot + 1) & mask;
    larger[slot] = old;
  }
  slots_ = std::move(larger);
}

bool ExprPool::is_indeterminate(Expr e) const {
  const Node& node = nodes_[e.value];
  if (node.op == Op::kAdd) return is_constant(arg(e, 0));
  return node.op == Op::kMul && arg(e, 0) == zero_;
}

Expr ExprPool::indeterminate_sum() {
  const double inf = std::numeric_limits<double>::infinity();
  return intern(Op::kAdd, std::array{constant(inf), constant(-inf)});
}

Expr ExprPool::indeterminate_product() {
  return intern(Op::kMul, std::array{zero_, constant(std::numeric_limits<double>::infinity())});
}

}  // namespace luztar
