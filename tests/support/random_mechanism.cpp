#include "tests/support/random_mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace luztar::test {
namespace {

/// A number of the order of `nominal`, often `nominal` itself: equal parts meet symmetric events.
rc::Gen<double> around(double nominal) {
  const rc::Gen<double> spread = rc::gen::map(rc::gen::inRange(0, 1000), [=](int i) {
    // Zigzag, so that numbers shrink to the nominal one from both sides.
    const double factor = std::exp2((i % 2 == 0 ? i : -i) / 400.0);
    return nominal * std::round(factor * 1000) / 1000;
  });
  return rc::gen::resize(rc::kNominalSize, rc::gen::oneOf(rc::gen::just(nominal), spread));
}

rc::Gen<double> zero_or(rc::Gen<double> value) {
  return rc::gen::mapcat(rc::gen::arbitrary<bool>(),
                         [=](bool present) { return present ? value : rc::gen::just(0.0); });
}

rc::Gen<RandomFriction> friction() {
  return rc::gen::build<RandomFriction>(
      rc::gen::set(&RandomFriction::d, zero_or(around(0.2))),
      rc::gen::set(&RandomFriction::tau0, zero_or(around(0.5))),
      rc::gen::set(&RandomFriction::excess, zero_or(around(0.2))));
}

rc::Gen<RandomFriction> seldom_friction() {
  return rc::gen::weightedOneOf<RandomFriction>(
      {{3, rc::gen::just(RandomFriction{})}, {1, friction()}});
}

rc::Gen<RandomLink> link() {
  return rc::gen::build<RandomLink>(
      rc::gen::set(&RandomLink::kind,
                   rc::gen::element(LinkKind::kSpring, LinkKind::kSpringDamper,
                                    LinkKind::kFreeplaySpring, LinkKind::kFreeplaySpring,
                                    LinkKind::kGearPair, LinkKind::kIdealGear, LinkKind::kNone)),
      rc::gen::set(&RandomLink::k, around(100)),
      rc::gen::set(&RandomLink::half_freeplay, around(0.02)),
      rc::gen::set(&RandomLink::d, around(0.2)),
      rc::gen::set(&RandomLink::ratio, rc::gen::element(1.0, 2.0, -1.0, 0.5, -2.5)),
      rc::gen::set(&RandomLink::friction, seldom_friction()),
      rc::gen::set(&RandomLink::reach,
                   rc::gen::weightedElement<std::uint32_t>({{4, 0}, {1, 1}, {1, 2}, {1, 3}})));
}

rc::Gen<RandomLoad> load() {
  return rc::gen::build<RandomLoad>(
      rc::gen::set(&RandomLoad::kind,
                   rc::gen::element(LoadKind::kNone, LoadKind::kStep, LoadKind::kRamp,
                                    LoadKind::kSine, LoadKind::kSine)),
      rc::gen::set(&RandomLoad::size, around(2)), rc::gen::set(&RandomLoad::time, around(0.4)));
}

rc::Gen<RandomBody> body() {
  return rc::gen::build<RandomBody>(
      rc::gen::set(&RandomBody::massless, rc::gen::weightedElement<bool>({{3, false}, {1, true}})),
      rc::gen::set(&RandomBody::J, around(0.1)),
      rc::gen::set(&RandomBody::phi, zero_or(around(0.05))),
      rc::gen::set(&RandomBody::w, zero_or(around(0.5))), rc::gen::set(&RandomBody::link, link()),
      rc::gen::set(&RandomBody::bearing, friction()), rc::gen::set(&RandomBody::load, load()));
}

std::size_t parent(const RandomMechanism& m, std::size_t i) {
  return i - 1 - m.bodies[i].link.reach % i;
}

/// Bodies that ideal gears make one, by their first.
std::vector<std::size_t> rigid_groups(const RandomMechanism& m) {
  std::vector<std::size_t> group(m.bodies.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool rigid = i > 0 && m.bodies[i].link.kind == LinkKind::kIdealGear;
    group[i] = rigid ? group[parent(m, i)] : i;
  }
  return group;
}

std::vector<char> massless_groups(const RandomMechanism& m, const std::vector<std::size_t>& group) {
  std::vector<char> massless(m.bodies.size(), 1);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!m.bodies[i].massless) massless[group[i]] = 0;
  }
  return massless;
}

/// Something must hold a massless body: a bearing with damping, which leads to the limits by
/// formula and to kernel A, or two springs in series. Dry friction only in that bearing.
RandomMechanism with_supported_nodes(RandomMechanism m) {
  const std::vector<std::size_t> group = rigid_groups(m);
  const std::vector<char> massless = massless_groups(m, group);
  struct Node {
    int springs = 0;
    bool plain = true;  // only springs
  };
  std::vector<Node> nodes(m.bodies.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    RandomBody& body = m.bodies[i];
    Node& node = nodes[group[i]];
    if (!body.bearing.absent() || body.load.kind != LoadKind::kNone) node.plain = false;
    const std::size_t other = i == 0 ? 0 : group[parent(m, i)];
    if (i > 0 && (massless[group[i]] || massless[other])) {
      body.link.friction.tau0 = 0;
      if (!body.link.friction.absent() || body.link.kind == LinkKind::kSpringDamper ||
          body.link.kind == LinkKind::kNone) {
        node.plain = nodes[other].plain = false;
      }
    }
    if (body.link.kind == LinkKind::kNone || (i > 0 && group[i] == other)) continue;
    ++node.springs;
    if (i > 0) ++nodes[other].springs;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Node& node = nodes[group[i]];
    if (!massless[group[i]] || (node.plain && node.springs == 2)) continue;
    RandomBody& body = m.bodies[i];
    if (group[i] != i) {
      body.bearing.tau0 = 0;
    } else if (body.bearing.d == 0) {
      body.bearing.d = 1;
    }
  }
  return m;
}

/// By body: it is joined, link by link, to one that `anchors`, or to the ground.
template <class Anchors, class Joins>
std::vector<char> anchored_bodies(const RandomMechanism& m, const std::vector<std::size_t>& group,
                                  Anchors anchors, Joins joins) {
  // Links lead to bodies before, so these are the first bodies of groups that are joined.
  std::vector<std::size_t> joined(m.bodies.size());
  std::vector<char> anchored(m.bodies.size(), 0);
  const auto first_of = [&](std::size_t i) {
    for (i = group[i]; joined[i] != i; i = joined[i]) {
    }
    return i;
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    joined[i] = i;
    if (anchors(i)) anchored[first_of(i)] = 1;
    if (!joins(m.bodies[i].link)) continue;
    if (i == 0) {
      anchored[0] = 1;
      continue;
    }
    const std::size_t here = first_of(i), other = first_of(parent(m, i));
    joined[std::max(here, other)] = std::min(here, other);
    anchored[std::min(here, other)] |= anchored[std::max(here, other)];
  }
  std::vector<char> result;
  for (std::size_t i = 0; i < group.size(); ++i) result.push_back(anchored[first_of(i)]);
  return result;
}

/// Massless bodies that nothing holds, and springs between such bodies alone, have no motion to
/// compute: one of them gets a damped bearing.
RandomMechanism with_held_nodes(RandomMechanism m) {
  const std::vector<std::size_t> group = rigid_groups(m);
  const std::vector<char> massless = massless_groups(m, group);
  while (true) {
    const std::vector<char> held = anchored_bodies(
        m, group,
        [&](std::size_t i) { return !massless[group[i]] || !m.bodies[i].bearing.absent(); },
        [](const RandomLink& l) { return l.kind != LinkKind::kNone || !l.friction.absent(); });
    const auto loose = std::find(held.begin(), held.end(), 0);
    if (loose == held.end()) return m;
    m.bodies[group[static_cast<std::size_t>(loose - held.begin())]].bearing.d = 1;
  }
}

/// A load on massless bodies that only dry friction holds can be too much for it: such bodies, with
/// those behind springs between them, get no load.
RandomMechanism with_held_loads(RandomMechanism m) {
  const std::vector<std::size_t> group = rigid_groups(m);
  const std::vector<char> massless = massless_groups(m, group);
  const std::vector<char> anchored = anchored_bodies(
      m, group, [&](std::size_t i) { return !massless[group[i]] || m.bodies[i].bearing.d > 0; },
      [](const RandomLink& l) {
        const bool elastic = l.kind != LinkKind::kNone && l.kind != LinkKind::kIdealGear;
        return elastic || l.friction.d != 0;
      });
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!anchored[i]) m.bodies[i].load.kind = LoadKind::kNone;
  }
  return m;
}

/// Six digits are enough to tell numbers apart and easy to read.
std::string number(double value) { return fmt::format("{:.6g}", value); }

/// Class and values of the part that makes a link; empty without one.
struct Part {
  std::string name, values;
};

Part part_of(const RandomLink& link) {
  const std::string k = number(link.k), gap = number(link.half_freeplay);
  switch (link.kind) {
    case LinkKind::kSpring:
      return {"Spring", "k = " + k};
    case LinkKind::kSpringDamper:
      return {"SpringDamper", "k = " + k + ", d = " + number(link.d)};
    case LinkKind::kFreeplaySpring:
      return {"FreeplaySpring", "k = " + k + ", half_freeplay = " + gap};
    case LinkKind::kGearPair:
      return {"GearPair",
              "ratio = " + number(link.ratio) + ", k = " + k + ", half_freeplay = " + gap};
    case LinkKind::kIdealGear:
      return {"IdealGear", "ratio = " + number(link.ratio)};
    case LinkKind::kNone:
      return {};
  }
  return {};
}

/// Class and values of the source of a load.
Part source_of(const RandomLoad& load) {
  switch (load.kind) {
    case LoadKind::kNone:
      return {};
    case LoadKind::kStep:
      return {"Step", "height = " + number(load.size) + ", startTime = " + number(load.time)};
    case LoadKind::kRamp:
      return {"Ramp", "height = " + number(load.size) + ", duration = " + number(load.time)};
    case LoadKind::kSine:
      return {"Sine", "amplitude = " + number(load.size) + ", f = " + number(1 / load.time)};
  }
  return {};
}

class Writer {
 public:
  explicit Writer(const RandomMechanism& mechanism) : m_(mechanism) {
    const std::vector<std::size_t> group = rigid_groups(m_);
    const std::vector<char> massless = massless_groups(m_, group);
    for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
      // Start values of bodies of one group would contradict each other.
      write_body(i, group[i] == i && !massless[i]);
      write_link(i);
      write_friction(m_.bodies[i].bearing, fmt::format("bearing{}", i),
                     "Rotational.BearingFriction");
      if (!m_.bodies[i].bearing.absent()) connect(fmt::format("bearing{}", i), i);
      write_load(i);
    }
    if (grounded_) declarations_.push_back("Rotational.Fixed ground;");
  }

  std::string text(std::uint32_t order) {
    if (order != 0) {
      std::mt19937 random(order);
      std::shuffle(declarations_.begin(), declarations_.end(), random);
      std::shuffle(connections_.begin(), connections_.end(), random);
      for (auto& [a, b] : connections_) {
        if (random() % 2 == 0) std::swap(a, b);
      }
    }
    std::string result = "model RandomMechanism\n";
    for (const std::string& line : declarations_) result += "  " + line + "\n";
    result += "equation\n";
    for (const auto& [a, b] : connections_) result += fmt::format("  connect({}, {});\n", a, b);
    return result + "  annotation(experiment(StopTime = 1));\nend RandomMechanism;\n";
  }

 private:
  void declare(const std::string& part, const std::string& name, const std::string& values) {
    declarations_.push_back(part + " " + name + (values.empty() ? "" : "(" + values + ")") + ";");
  }
  void connect(const std::string& part, std::size_t body) {
    connections_.emplace_back(part + ".flange_a", fmt::format("body{}.flange_b", body));
  }

  void write_body(std::size_t i, bool start) {
    const RandomBody& body = m_.bodies[i];
    std::string values = "J = " + number(body.massless ? 0 : body.J);
    if (start && body.phi != 0) values += ", phi(start = " + number(body.phi) + ")";
    if (start && body.w != 0) values += ", w(start = " + number(body.w) + ")";
    declare("Rotational.Inertia", fmt::format("body{}", i), values);
  }

  void write_friction(const RandomFriction& f, const std::string& name, const std::string& part) {
    if (f.absent()) return;
    std::string values = "d = " + number(f.d) + ", tau0 = " + number(f.tau0);
    if (f.tau0 > 0 && f.excess > 0) values += ", tau0_static = " + number(f.tau0 + f.excess);
    declare(part, name, values);
  }

  void write_link(std::size_t i) {
    const RandomLink& link = m_.bodies[i].link;
    const auto join = [&](const std::string& part) {
      connections_.emplace_back(part + ".flange_b", fmt::format("body{}.flange_a", i));
      if (i > 0) {
        connect(part, parent(m_, i));
      } else {
        grounded_ = true;
        connections_.emplace_back(part + ".flange_a", "ground.flange");
      }
    };
    if (const Part part = part_of(link); !part.name.empty()) {
      const std::string name = fmt::format("link{}", i);
      declare("Rotational." + part.name, name, part.values);
      join(name);
    }
    if (link.friction.absent()) return;
    const std::string name = fmt::format("cross{}", i);
    write_friction(link.friction, name, "Rotational.CrossFriction");
    join(name);
  }

  void write_load(std::size_t i) {
    const Part source = source_of(m_.bodies[i].load);
    if (source.name.empty()) return;
    const std::string name = fmt::format("signal{}", i), torque = fmt::format("torque{}", i);
    declare("Blocks." + source.name, name, source.values);
    declare("Rotational.Torque", torque, "");
    connections_.emplace_back(name + ".y", torque + ".tau");
    connections_.emplace_back(torque + ".flange", fmt::format("body{}.flange_b", i));
  }

  const RandomMechanism& m_;
  bool grounded_ = false;
  std::vector<std::string> declarations_;
  std::vector<std::pair<std::string, std::string>> connections_;
};

}  // namespace

std::string RandomMechanism::text(std::uint32_t order) const { return Writer(*this).text(order); }

void showValue(const RandomMechanism& mechanism, std::ostream& os) {
  os << "\n" << mechanism.text();
}

rc::Gen<RandomMechanism> random_mechanism(const RandomMechanismOptions& options) {
  // Bodies can be taken out of the list to shrink it: links refer to others by distance.
  const auto bodies =
      rc::gen::nonEmpty(rc::gen::resize(8, rc::gen::container<std::vector<RandomBody>>(body())));
  return rc::gen::map(bodies, [=](std::vector<RandomBody> list) {
    RandomMechanism m{std::move(list)};
    RandomLink& ground = m.bodies.front().link;  // a spring or nothing: bearings are its frictions
    if (ground.kind == LinkKind::kIdealGear) ground.kind = LinkKind::kNone;
    ground.friction = {};
    return options.all_massless ? with_held_loads(with_held_nodes(std::move(m)))
                                : with_supported_nodes(std::move(m));
  });
}

}  // namespace luztar::test
