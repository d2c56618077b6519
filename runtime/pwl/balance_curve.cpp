#include "runtime/pwl/balance_curve.h"

#include <cmath>

namespace luztar {
namespace {

using Rest = BalanceMember::Rest;

}  // namespace

BalanceCurve balance_curve(const BodyBalance& body, std::span<const BalanceMember> members,
                           double direction, PrincipalCholesky<Eigen::Dynamic>& factor) {
  constexpr double kNoHold = 1e-9;  // of the terms of a ratio
  const std::vector<SlipOnLine>& all = body.frictions;
  factor.clear();
  BalanceCurve curve{Eigen::VectorXd::Zero(body.coupling.size()), false};
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].rest != Rest::kHeld) continue;
    const auto row = static_cast<Eigen::Index>(i);
    const auto probe = factor.probe(row);
    if (!probe.dependent) {
      factor.append(row, probe);
      continue;
    }
    double ratio = all[i].ratio, size = std::fabs(ratio), taken = all[i].weight;
    for (Eigen::Index p = 0; p < factor.size(); ++p) {
      const SlipOnLine& f = all[static_cast<std::size_t>(factor.member(p))];
      ratio -= probe.weights[p] * f.ratio;
      size += std::fabs(probe.weights[p] * f.ratio);
      taken -= probe.weights[p] * f.weight;
    }
    if (!(std::fabs(ratio) > kNoHold * size)) continue;
    const double sign = direction * taken > 0 ? 1 : -1;
    curve.change[row] = sign;
    for (Eigen::Index p = 0; p < factor.size(); ++p) {
      curve.change[factor.member(p)] = -sign * probe.weights[p];
    }
    curve.holds_x = true;
    return curve;
  }
  PrincipalCholesky<Eigen::Dynamic>::Vector slope(factor.size());
  for (Eigen::Index p = 0; p < factor.size(); ++p) {
    slope[p] = all[static_cast<std::size_t>(factor.member(p))].ratio;
  }
  factor.solve(slope);
  for (Eigen::Index p = 0; p < factor.size(); ++p) curve.change[factor.member(p)] = slope[p];
  return curve;
}

double stiffness_of(const BodyBalance& body, const BalanceCurve& curve) {
  double stiffness = 1;
  for (std::size_t i = 0; i < body.frictions.size(); ++i) {
    stiffness += body.frictions[i].weight * curve.change[static_cast<Eigen::Index>(i)];
  }
  return stiffness;
}

Following::Following(const BodyBalance& body, std::span<const char> resting) : body_(body) {
  for (Index i = 0; i < body.coupling.size(); ++i) {
    if (body.coupling(i, i) > 0) places_.push_back(i);
  }
  const auto n = static_cast<Index>(places_.size());
  gram_ = body.coupling.principal(places_);
  for (Eigen::VectorXd* v : {&b_, &size_, &lower_, &upper_}) v->resize(n);
  for (Index r = 0; r < n; ++r) {
    const SlipOnLine& f = friction(r);
    const bool rests = f.pushes != 0 || resting[static_cast<std::size_t>(place(r))] != 0;
    lower_[r] = rests ? f.lower() : -f.at_rest;
    upper_[r] = rests ? f.upper() : f.at_rest;
  }
}

void Following::take(double& x, std::vector<BalanceMember>& members) {
  if (places_.empty()) return;
  while (is_stopped(x) || any_drops()) {
  }
  for (Index r = 0; r < gram_.size(); ++r) {
    BalanceMember& m = members[static_cast<std::size_t>(place(r))];
    m.side = static_cast<std::int8_t>(box_.side[static_cast<std::size_t>(r)]);
    m.force = box_.force[r];
    const bool slips = box_.residual[r] != 0;
    m.rest = slips ? Rest::kSlips : m.side != 0 ? Rest::kAtBound : Rest::kHeld;
  }
}

bool Following::is_stopped(double& x) {
  for (Index r = 0; r < gram_.size(); ++r) {
    b_[r] = friction(r).offset + friction(r).ratio * x;
    size_[r] = std::fabs(friction(r).offset) + std::fabs(friction(r).ratio * x);
  }
  try {
    minimize_in_box(gram_, b_, size_, lower_, upper_, box_);
    return false;
  } catch (const UnboundedMinimum& pushes) {
    double offset = 0, ratio = 0;
    for (Index r = 0; r < gram_.size(); ++r) {
      offset += pushes.direction()[r] * friction(r).offset;
      ratio += pushes.direction()[r] * friction(r).ratio;
    }
    if (ratio == 0 || ++stops_ > places_.size()) throw;
    x = -offset / ratio;
    return true;
  }
}

bool Following::any_drops() {
  bool any = false;
  for (Index r = 0; r < gram_.size(); ++r) {
    const SlipOnLine& f = friction(r);
    if (f.pushes != 0 || box_.residual[r] == 0 || !(upper_[r] > f.at_rest)) continue;
    lower_[r] = -f.at_rest;
    upper_[r] = f.at_rest;
    any = true;
  }
  return any;
}

}  // namespace luztar
