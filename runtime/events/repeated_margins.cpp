#include "runtime/events/repeated_margins.h"

#include <algorithm>
#include <cmath>

#include "runtime/numbers.h"

namespace luztar {
namespace {

/// Few margins fire more often in an instant for good reasons: one body after the other takes part.
constexpr int kMostRepeats = 4;
/// Of the terms of a margin, and of the time: where formulas agree, and where they do not at all.
constexpr double kLeastOffset = 1e-13, kGreatestOffset = 1e-8, kGrowth = 4;
constexpr double kLeastDelay = 1e-14, kGreatestDelay = 1e-9;
constexpr std::int64_t kOrders = 4;
/// Instants are the same up to the rounding of events in them.
constexpr double kSame = 64 * kEpsilon;

}  // namespace

void RepeatedMargins::note(double t, std::span<const Margin> margins,
                           std::span<const FiredMargin> fired) {
  if (fired.empty()) repeated_.clear();
  // One that has been put off is in another instant when it fires again.
  if (std::fabs(t - instant_) > kSame * std::fabs(t)) {
    std::erase_if(repeated_, [&](const Repeated& r) {
      return r.times < kMostRepeats ||
             std::none_of(fired.begin(), fired.end(),
                          [&](const FiredMargin& f) { return r.is(margins[f.margin]); });
    });
  }
  instant_ = t;
  for (const FiredMargin& f : fired) {
    const Margin& margin = margins[f.margin];
    if (f.crosses() || margin.kind == MarginKind::kSwitch) continue;
    const auto known = std::find_if(repeated_.begin(), repeated_.end(),
                                    [&](const Repeated& r) { return r.is(margin); });
    if (known == repeated_.end()) {
      repeated_.push_back({margin.kind, margin.index, margin.next, margin.sign, 1});
      continue;
    }
    // A slip that leaves to either side in turn has no mode that fits.
    known->times = known->sign == margin.sign ? known->times + 1 : 1;
    known->sign = margin.sign;
  }
}

bool RepeatedMargins::any() const {
  return std::any_of(repeated_.begin(), repeated_.end(),
                     [](const Repeated& r) { return r.times >= kMostRepeats; });
}

void RepeatedMargins::put_off(const System& system, Coefficients& J,
                              std::span<Margin> margins) const {
  for (const Repeated& r : repeated_) {
    if (r.times < kMostRepeats) continue;
    const auto same =
        std::find_if(margins.begin(), margins.end(), [&](const Margin& m) { return r.is(m); });
    if (same == margins.end()) continue;
    const bool is_slip = r.kind == MarginKind::kSlip;
    const std::uint32_t row = is_slip ? system.frictions[r.index].slip_row : same->row;
    const double growth = std::pow(kGrowth, r.times - kMostRepeats);
    same->offset += std::min(kLeastOffset * growth, kGreatestOffset) * J.size(0, row);
    // Terms that are zero themselves: as far as it may fall in a while.
    const double delay = std::min(kLeastDelay * growth, kGreatestDelay) * std::fabs(instant_);
    double power = delay;
    for (std::int64_t k = 1; k <= kOrders && k <= J.highest(); ++k, power *= delay) {
      same->offset += std::fabs(J.at(k, same->row)) * power;
    }
    same->zeros = 0;
  }
}

}  // namespace luztar
