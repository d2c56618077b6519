#include "compiler/driver/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/solvers/energy_audit.h"

namespace luztar {
namespace {

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string milliseconds(double seconds) { return fmt::format("{:.1f} ms", seconds * 1e3); }

/// A list names no more parts than this: those that count most.
constexpr std::size_t kMostNames = 10;

/// Texts of the parts in their order or, where there are many, of those with the greatest values
/// and how many others there are.
template <class Value>
std::string greatest(std::vector<std::pair<Value, std::string>> parts) {
  std::vector<std::string> texts;
  const bool many = parts.size() > kMostNames;
  if (many) {
    std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  }
  for (std::size_t i = 0; i < std::min(parts.size(), kMostNames); ++i) {
    texts.push_back(std::move(parts[i].second));
  }
  if (many) texts.push_back(counted(parts.size() - kMostNames, "other"));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The same of names alone: the first ones.
std::string first_names(const std::vector<std::string>& names) {
  std::vector<std::pair<int, std::string>> parts;
  for (const std::string& name : names) parts.emplace_back(0, name);
  return greatest(std::move(parts));
}

void append_reductions(std::string& text, const ReductionLog& log) {
  if (log.empty()) return;
  text += "reductions:\n";
  for (const ReductionEntry& entry : log) {
    text += fmt::format("  {} ({})", entry.rule, entry.reference);
    if (!entry.condition.empty()) text += fmt::format(", as {}", entry.condition);
    text += fmt::format(": {}\n", entry.result);
  }
}

void append_changes(std::string& text, const System& system, const RunReport& report) {
  for (const bool stops : {false, true}) {
    std::vector<std::pair<std::uint64_t, std::string>> counts;
    for (std::size_t k = 0; k < system.frictions.size(); ++k) {
      const Friction& friction = system.frictions[k];
      if ((friction.stop != kNoIndex) != stops) continue;
      counts.emplace_back(report.changes[k],
                          fmt::format("{} {}", friction.name, report.changes[k]));
    }
    if (counts.empty()) continue;
    text += fmt::format("{}: {}\n", stops ? "impacts" : "stick-slip changes",
                        greatest(std::move(counts)));
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < report.indeterminate.size(); ++k) {
    if (report.indeterminate[k] != 0) names.push_back(system.frictions[k].name);
  }
  if (names.empty()) return;
  text += fmt::format(
      "statically indeterminate at times (the motion is unique, the forces of least norm are "
      "given): {}\n",
      first_names(names));
}

// The step follows a motion that has died out: the part's limit takes it out of the model.
void append_stiffness(std::string& text, const RunSummary& summary) {
  const RunReport& report = summary.report;
  if (!report.stiff_state) return;
  if (!summary.stiff_signal.empty()) {
    text += fmt::format(
        "warning: a fast motion of the signal '{}' that has died out limits the steps (stiffness, "
        "no events).\n  Where what it follows may stand in its place, without its delay, that "
        "removes it. Else --solver cvode\n  takes longer steps.\n",
        summary.stiff_signal);
    return;
  }
  const std::string& state = summary.system->state_names[*report.stiff_state];
  const std::string part = state.substr(0, state.find_last_of('.'));
  text += fmt::format(
      "warning: a fast motion of '{}' that has died out limits the steps (stiffness, no events).\n",
      state);
  text += summary.stiff_without_inertia
              ? fmt::format(
                    "  '{}' has no inertia: without the damping that acts there (d = 0), "
                    "too, it follows its springs at once.\n  Else --solver cvode takes "
                    "longer steps.\n",
                    part)
              : fmt::format(
                    "  The limit of '{}' removes it: no inertia (J = 0, m = 0) with a "
                    "damping, or a rigid connection (k = inf)\n  to its neighbour. Else "
                    "--solver cvode takes longer steps.\n",
                    part);
}

void append_energy(std::string& text, const System& system, const RunReport& report) {
  if (!report.energy) return;
  const EnergyReport& e = *report.energy;
  const double gained = e.stored - e.stored_before;
  text += fmt::format("energy [J]: supplied {:.6g}, stored {:.6g} {} than at the start", e.supplied,
                      std::abs(gained), gained < 0 ? "less" : "more");
  if (!e.dissipated.empty()) {
    text += fmt::format(", dissipated {:.6g}", e.total_dissipated());
    std::vector<std::pair<double, std::string>> parts;
    for (std::size_t i = 0; i < e.dissipated.size(); ++i) {
      parts.emplace_back(e.dissipated[i],
                         fmt::format("{} {:.6g}", system.dissipators[i], e.dissipated[i]));
    }
    text += fmt::format(" ({})", greatest(std::move(parts)));
  }
  if (EnergyAudit::loses_at_events(system)) {
    // Massless points lose energy when they snap; stops, when they are hit.
    text += fmt::format(", lost {} {:.6g}", system.stops.empty() ? "in snaps" : "at impacts",
                        e.impacts);
  }
  text += fmt::format("; residual {:.1e}\n", e.residual());
}

}  // namespace

Timings::Note::~Note() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  timings.stages_.emplace_back(name, elapsed.count());
}

double Timings::total() const {
  double sum = 0;
  for (const auto& [name, seconds] : stages_) sum += seconds;
  return sum;
}

std::string text_of(const RunSummary& summary) {
  std::string text = fmt::format("{}: {} (primary model: {})\n", summary.model,
                                 counted(summary.reduced_states, "state"), summary.primary_states);
  append_reductions(text, *summary.reductions);
  text +=
      fmt::format("simulated {:g} s to {:g} s by {}: {}, {}\n", summary.start, summary.report.time,
                  summary.solver, counted(static_cast<std::size_t>(summary.report.steps), "step"),
                  counted(static_cast<std::size_t>(summary.report.events), "event"));
  append_changes(text, *summary.system, summary.report);
  append_stiffness(text, summary);
  append_energy(text, *summary.system, summary.report);
  if (!summary.indeterminate.empty()) {
    text += fmt::format("without a unique value, not in the result: {}\n",
                        first_names(summary.indeterminate));
  }
  if (!summary.file.empty()) {
    text += fmt::format("wrote {}: {}, {}\n", summary.file, counted(summary.rows, "row"),
                        counted(summary.columns, "variable"));
  }
  return text;
}

std::string text_of(const Timings& timings, bool detailed) {
  std::string text;
  if (detailed) {
    for (const auto& [name, seconds] : timings.stages()) {
      text += fmt::format("{:<10}{:>10.3f} ms\n", name, seconds * 1e3);
    }
    return text + fmt::format("{:<10}{:>10.3f} ms\n", "total", timings.total() * 1e3);
  }
  text = "time: ";
  for (const auto& [name, seconds] : timings.stages()) {
    text += fmt::format("{} {}, ", name, milliseconds(seconds));
  }
  return text + fmt::format("total {}\n", milliseconds(timings.total()));
}

}  // namespace luztar
