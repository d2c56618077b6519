#include "tests/support/random_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/random_draws.h"

namespace luztar::test {
namespace {

constexpr double kNetworkStop = 2;  // [s]

class Network {
 public:
  explicit Network(unsigned number) : draws_(number) {
    round_ = draws_.chance(0.25);
    clutches_ = draws_.chance(0.4);
    driven_ = draws_.chance(0.4);
    const int heavy = 1 + draws_.below(3), light = draws_.below(4);
    for (int i = 0; i < heavy; ++i) add_body(fmt::format("b{}", i), true);
    for (int i = 0; i < light; ++i) add_body(fmt::format("p{}", i), false);
    if (driven_) add_drive();
    const auto count = bodies_.size();
    for (std::size_t i = 1; i < count; ++i) join(bodies_[i], bodies_[draws_.below(int(i))]);
    for (int more = draws_.below(4); more > 0; --more) {
      const std::string a = any(), b = any();
      if (a != b) join(a, b);
    }
    for (const std::string& body : bodies_) support(body);
    for (const std::string& body : bodies_) {
      if (draws_.chance(body[0] == 'b' ? 0.6 : 0.25)) load(body);
    }
  }

  [[nodiscard]] std::string text() const {
    return "model Network\n" + parts_ + "equation\n" + equations_ +
           fmt::format("  annotation(experiment(StopTime = {}));\nend Network;\n", kNetworkStop);
  }

 private:
  double number(double low, double high) {
    const double value = draws_.number(low, high);
    return round_ ? std::max(std::round(2 * value) / 2, low < 0.5 && low > 0 ? 0.25 : low) : value;
  }
  template <class... T>
  void declare(fmt::format_string<T...> format, T&&... values) {
    parts_ += "  Rotational." + fmt::format(format, std::forward<T>(values)...) + ";\n";
  }
  void connect(const std::string& a, const std::string& b) {
    equations_ += "  connect(" + a + ", " + b + ");\n";
  }
  const std::string& any() { return bodies_[draws_.below(int(bodies_.size()))]; }
  std::string name(const char* kind) { return fmt::format("{}{}", kind, count_++); }

  void add_body(const std::string& body, bool heavy) {
    bodies_.push_back(body);
    const bool moves = heavy && draws_.chance(0.5);
    const double J = heavy ? number(0.2, 2) : draws_.chance(0.75) ? 0.0 : 1e-3;
    declare("Inertia {}(J = {}, w(start = {}))", body, J, moves ? number(-2, 2) : 0.0);
    if (J == 0) massless_.push_back(body);
  }
  /// A flange that moves as a signal says; a body of its own.
  void add_drive() {
    bodies_.push_back("drive");
    const bool is_speed = draws_.chance(0.4);
    declare("{} motion", is_speed ? "Speed" : "Position");
    declare("Inertia drive(J = 0)");
    connect("motion.flange", "drive.flange_a");
    equations_ += fmt::format("  motion.{} = {};\n", is_speed ? "w_ref" : "phi_ref", signal(2));
  }
  /// A function of time of about this size.
  std::string signal(double size) {
    const double a = number(0.3 * size, size), w = number(1, 9);
    switch (draws_.below(5)) {
      case 0:
        return fmt::format("{}*(1 - cos({}*time))", a, w);
      case 1:
        return fmt::format("{}*sin({}*time)^3", a, w);
      default:
        return fmt::format("{}*sin({}*time)", a, w);
    }
  }
  std::string capacity(double size) {
    const double a = number(0.3 * size, size), w = number(1, 9), t = number(0.2, 1.5);
    switch (draws_.below(4)) {
      case 0:
        return fmt::format("{}*(0.3 + sin({}*time))", a, w);
      case 1:
        return fmt::format("{}*sin({}*time)^2", a, w);
      case 2:
        return fmt::format("max(0, {}*({} - time))", a, t);
      default:
        return fmt::format("if time < {} then {} else 0", t, a);
    }
  }
  std::string friction(double least, double most) {
    const double kinetic = number(least, most);
    std::string values = fmt::format("tau0 = {}", kinetic);
    if (draws_.chance(0.3)) {
      values += fmt::format(", tau0_static = {}", kinetic * (1 + number(0.05, 0.5)));
    }
    if (draws_.chance(0.3)) values += fmt::format(", d = {}", number(0.1, 1));
    return values;
  }

  void join(const std::string& a, std::string b) {
    if (draws_.chance(0.15)) {
      const std::string gear = name("gear");
      constexpr std::array<int, 4> kRatios = {-1, 2, -2, 3};
      declare("IdealGear {}(ratio = {})", gear, kRatios[draws_.below(4)]);
      connect(gear + ".flange_a", b + ".flange_b");
      b = gear;
    }
    const std::string part = add_link();
    connect(part + ".flange_a", a + ".flange_b");
    connect(part + ".flange_b", b + (b.starts_with("gear") ? ".flange_b" : ".flange_a"));
  }
  /// Its name.
  std::string add_link() {
    const int kind = draws_.below(12);
    if (kind < 6) {
      const std::string part = name("c");
      if (clutches_ && draws_.chance(0.4)) {
        add_clutch("Clutch", part, 1.5);
      } else {
        declare("CrossFriction {}({})", part, friction(0.2, 2));
      }
      return part;
    }
    if (kind < 8) {
      const std::string part = name("s");
      declare("Spring {}(k = {})", part, number(5, 60));
      return part;
    }
    if (kind < 9) {
      const std::string part = name("s");
      const double play = draws_.number(0.01, 0.2), k = number(5, 60);
      declare("FreeplaySpring {}(k = {}, half_freeplay = {})", part, k, play);
      return part;
    }
    if (kind < 11) {
      const std::string part = name("d");
      declare("Damper {}(d = {})", part, number(0.1, 2));
      return part;
    }
    const std::string part = name("h");
    const double e = draws_.chance(0.5) ? draws_.number(0.1, 0.7) : 0.0;
    const double half = draws_.number(0.02, 0.4);
    declare("HardStop {}(half_freeplay = {}, e = {})", part, half, e);
    return part;
  }
  /// A Clutch or Brake whose greatest friction is of about this size.
  void add_clutch(const char* type, const std::string& part, double size) {
    declare("{} {}(fn_max = 2, peak = {})", type, part, draws_.chance(0.5) ? 1.0 : 1.25);
    equations_ += fmt::format("  {}.f_normalized = {};\n", part, capacity(size));
  }
  void support(const std::string& body) {
    if (!draws_.chance(0.7)) return;
    const std::string part = name("g");
    if (clutches_ && draws_.chance(0.3)) {
      add_clutch("Brake", part, 1);
    } else {
      declare("BearingFriction {}({})", part, friction(0.1, 1));
    }
    connect(part + ".flange_a", body + ".flange_b");
  }
  void load(const std::string& body) {
    const std::string part = name("t");
    declare("Torque {}", part);
    connect(part + ".flange", body + ".flange_a");
    const bool is_massless = std::find(massless_.begin(), massless_.end(), body) != massless_.end();
    equations_ += fmt::format("  {}.tau = {};\n", part, signal(is_massless ? 0.5 : 5));
  }

  ModelDraws draws_;
  bool round_, clutches_, driven_;
  int count_ = 0;
  std::vector<std::string> bodies_, massless_;
  std::string parts_, equations_;
};

}  // namespace

std::string random_network(unsigned number) { return Network(number).text(); }

}  // namespace luztar::test
