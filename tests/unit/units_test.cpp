// Unit strings: reading, algebra, conversion, names of what comes out.
#include "compiler/semantics/units.h"

#include <doctest/doctest.h>

#include <numbers>

using namespace luztar;

namespace {

Unit unit(std::string_view text) {
  const std::optional<Unit> result = parse_unit(text);
  REQUIRE_MESSAGE(result, std::string(text));
  return *result;
}

bool same(std::string_view a, std::string_view b) { return same_unit(unit(a), unit(b)); }

}  // namespace

TEST_CASE("unit strings mean what the SI says") {
  CHECK(same("N", "kg.m/s2"));
  CHECK(same("N.m", "J"));
  CHECK(same("W", "N.m/s"));
  CHECK(same("Hz", "1/s"));
  CHECK(same("s-1", "1/s"));
  CHECK(same("rad/s", "1/s"));  // the radian counts as 1
  CHECK(same("N.m.s/rad", "N.m.s"));
  CHECK(same("V.A", "W"));
  CHECK(same("N/(m.s)", "Pa.m/s"));
  CHECK(same("kN", "N.1") == false);
  CHECK(same("m.s-2", "m/s2"));
  CHECK(same("kg*m^2", "kg.m2"));
  CHECK(same("l", "dm3"));
  CHECK(same("km/h", "m/s") == false);
  CHECK(same_dimension(unit("km/h"), unit("m/s")));
  CHECK(unit("min").factor == 60);
  CHECK(unit("mm").factor == 1e-3);
  CHECK(unit("MN").factor == 1e6);
  CHECK(unit("kg").factor == 1);
  CHECK(unit("dam").factor == 10);
  CHECK(unit("Pa") == unit("N/m2"));
}

TEST_CASE("what is no unit is none") {
  for (const char* text : {"", "x", "N.", ".N", "N/", "N//m", "N m", "m^", "m-", "2", "N/(m", "N)",
                           "kkg", "krad/", "drpm", "m2.5", "m123", "\xC2\xB5m"}) {
    CHECK_MESSAGE(!parse_unit(text), text);
  }
}

TEST_CASE("algebra of units") {
  CHECK(unit("N") * unit("m") == unit("J"));
  CHECK(unit("m") / unit("s") == unit("m/s"));
  CHECK(power(unit("m/s"), 2) == unit("m2/s2"));
  CHECK(power(unit("m2"), 1, 2) == unit("m"));
  CHECK(power(*power(unit("m"), 1, 3), 3) == unit("m"));
  CHECK(power(unit("km"), 2)->factor == 1e6);
  CHECK_FALSE(power(unit("m"), 1, 7));
  CHECK_FALSE(power(unit("m"), 1 << 30));
}

TEST_CASE("units have the names engineers use") {
  CHECK(to_text(unit("kg.m2/s2")) == "N.m");
  CHECK(to_text(unit("kg/s2")) == "N/m");
  CHECK(to_text(unit("rad")) == "1");
  CHECK(to_text(unit("rad/s")) == "1/s");
  CHECK(to_text(unit("N.m/rad") / unit("kg.m2")) == "1/s2");
  CHECK(to_text(unit("kg2.m")) == "kg2.m");
  CHECK(to_text(unit("kg2/(m.s3)")) == "kg2/(m.s3)");
  CHECK(to_text(*power(unit("m"), 1, 2)) == "m^(1/2)");
  CHECK(to_text(unit("deg")) == "deg");
  CHECK(to_text(unit("kN")) == "1000 kg.m/s2");
}

TEST_CASE("factors between units") {
  const double degree = std::numbers::pi / 180;
  CHECK(unit_factor("N.m", "N.m") == 1);
  CHECK(unit_factor("kN.m", "N.m") == 1000);
  CHECK(unit_factor("mm", "m") == 1e-3);
  CHECK(unit_factor("mm2", "m2").value() == doctest::Approx(1e-6));
  CHECK(unit_factor("deg", "rad").value() == doctest::Approx(degree));
  CHECK(unit_factor("N.m/deg", "N.m/rad").value() == doctest::Approx(1 / degree));
  CHECK(unit_factor("N.m.s/deg", "N.m.s/rad").value() == doctest::Approx(1 / degree));
  CHECK(unit_factor("deg/s", "rad/s").value() == doctest::Approx(degree));
  CHECK(unit_factor("rpm", "rad/s").value() == doctest::Approx(2 * std::numbers::pi / 60));
  CHECK(unit_factor("km/h", "m/s").value() == doctest::Approx(1 / 3.6));
  CHECK(unit_factor("Hz", "1/s") == 1);
  CHECK(unit_factor("N.km", "N.m") == 1000);
  CHECK(unit_factor("us", "s") == 1e-6);
  CHECK_FALSE(unit_factor("N", "N.m"));
  CHECK_FALSE(unit_factor("N.m", "N.m/rad"));
  CHECK_FALSE(unit_factor("Hz", "rad/s"));  // or 2*pi times as much?
  CHECK_FALSE(unit_factor("kg", "m"));
  CHECK_FALSE(unit_factor("m", ""));
}
