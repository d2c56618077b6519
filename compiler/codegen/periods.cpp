#include "compiler/codegen/periods.h"

#include <unordered_map>
#include <utility>

namespace luztar {
namespace {

/// Statements of one round: what one body of a chain takes, many times over.
constexpr std::size_t kLongestPeriod = 64;
/// Periods that are tried at one place, from short to long.
constexpr int kTrials = 8;

constexpr std::size_t kNever = ~std::size_t{0};

/// By place, the next one with the same shape.
std::vector<std::size_t> next_places(const std::vector<std::uint32_t>& statements,
                                     const std::vector<std::uint32_t>& shapes) {
  std::vector<std::size_t> next(statements.size(), kNever);
  std::unordered_map<std::uint32_t, std::size_t> last;  // by shape
  for (std::size_t i = statements.size(); i-- > 0;) {
    const auto [it, fresh] = last.try_emplace(shapes[statements[i]], i);
    if (!fresh) next[i] = std::exchange(it->second, i);
  }
  return next;
}

void append(std::vector<Sequence>& sequences, const std::uint32_t* begin, std::size_t count,
            std::uint32_t rounds) {
  if (rounds == 1 && !sequences.empty() && sequences.back().rounds == 1) {
    auto& into = sequences.back().statements;
    into.insert(into.end(), begin, begin + count);
  } else if (count > 0) {
    sequences.push_back({{begin, begin + count}, rounds});
  }
}

void cut_periods(const std::vector<std::uint32_t>& statements,
                 const std::vector<std::uint32_t>& shapes, const PlanLimits& limits,
                 std::vector<Sequence>& out) {
  const std::vector<std::size_t> next = next_places(statements, shapes);
  const auto rounds_from = [&](std::size_t begin, std::size_t period) {
    std::size_t end = begin + period;
    while (end < statements.size() && shapes[statements[end]] == shapes[statements[end - period]]) {
      ++end;
    }
    return (end - begin) / period;
  };
  for (std::size_t i = 0; i < statements.size();) {
    std::size_t period = 1, rounds = 1, other = next[i];
    for (int trial = 0; trial < kTrials && other != kNever; ++trial, other = next[other]) {
      if (other - i > kLongestPeriod) break;
      const std::size_t count = rounds_from(i, other - i);
      if (count < limits.repeats) continue;
      period = other - i;
      rounds = count;
      break;
    }
    append(out, &statements[i], period * rounds, static_cast<std::uint32_t>(rounds));
    i += period * rounds;
  }
}

}  // namespace

std::vector<Sequence> with_periods(std::vector<Sequence> sequences,
                                   const std::vector<std::uint32_t>& shapes,
                                   const PlanLimits& limits) {
  std::vector<Sequence> out;
  for (Sequence& sequence : sequences) {
    if (sequence.rounds > 1) {
      out.push_back(std::move(sequence));
    } else {
      cut_periods(sequence.statements, shapes, limits, out);
    }
  }
  return out;
}

Statements rounds_of(const Statements& statements, const std::vector<Sequence>& sequences) {
  Statements out;
  out.begin.push_back(0);
  out.of_node.assign(statements.of_node.size(), kNoTapeId);
  for (const Sequence& sequence : sequences) {
    const std::size_t size = sequence.rounds > 1 ? sequence.statements_of_round() : 1;
    for (std::size_t i = 0; i < sequence.statements.size(); ++i) {
      const auto piece = static_cast<std::uint32_t>(out.begin.size() - 1);
      for (const PlanStep& step : statements[sequence.statements[i]]) {
        out.steps.push_back(step);
        if (!step.store) out.of_node[step.node] = piece;
      }
      if ((i + 1) % size == 0) out.begin.push_back(static_cast<std::uint32_t>(out.steps.size()));
    }
  }
  return out;
}

std::vector<Sequence> of_equal_rounds(std::vector<Sequence> sequences,
                                      const std::vector<std::uint32_t>& shapes,
                                      const PlanLimits& limits) {
  std::vector<Sequence> out;
  std::size_t piece = 0;
  for (const Sequence& sequence : sequences) {
    const std::size_t size = sequence.statements_of_round();
    if (sequence.rounds == 1) {
      append(out, sequence.statements.data(), size, 1);
      piece += size;
      continue;
    }
    for (std::size_t r = 0; r < sequence.rounds;) {
      std::size_t end = r + 1;
      while (end < sequence.rounds && shapes[piece + end] == shapes[piece + r]) ++end;
      const std::size_t equal = end - r;
      const bool is_loop = equal >= limits.repeats;
      append(out, &sequence.statements[r * size], equal * size,
             is_loop ? static_cast<std::uint32_t>(equal) : 1U);
      r = end;
    }
    piece += sequence.rounds;
  }
  return out;
}

}  // namespace luztar
