#include "compiler/syntax/modelica_names.h"

namespace luztar {
namespace {

struct Advice {
  const char* prefix;
  const char* text;
};

/// The first prefix that fits counts.
constexpr Advice kAdvice[] = {
    {"Modelica.Units.Conversions", "write the factor: 30*pi/180 is 30 degrees in rad"},
    {"Modelica.SIunits.Conversions", "write the factor: 30*pi/180 is 30 degrees in rad"},
    {"Modelica.Units", "quantities are in Units, as Units.Angle; or write Real(unit = \"rad\")"},
    {"Modelica.SIunits", "quantities are in Units, as Units.Angle; or write Real(unit = \"rad\")"},
    {"Modelica.Constants",
     "pi and inf are known everywhere; others are written: constant Real g = 9.81"},
    {"Modelica.Math", "sin, exp, atan2 and the like are known everywhere by these names"},
    {"Modelica.Icons", "no icons are drawn: leave the clause out"},
    {"Modelica.Mechanics.MultiBody",
     "the bodies turn about or move along one axis each; what links them is written as equations"},
    {"Modelica.Utilities", "results are columns of the result file; assert(..) stops a run"},
    {"Modelica.Electrical", "only mechanics has parts here; write the equations of the rest"},
    {"Modelica.Magnetic", "only mechanics has parts here; write the equations of the rest"},
    {"Modelica.Thermal", "only mechanics has parts here; write the equations of the rest"},
    {"Modelica.Fluid", "only mechanics has parts here; write the equations of the rest"},
};

bool is_inside(const std::string& name, const std::string& package) {
  return name.starts_with(package) &&
         (name.size() == package.size() || name[package.size()] == '.');
}

}  // namespace

std::string instead_of_modelica(const std::string& name) {
  for (const Advice& advice : kAdvice) {
    if (is_inside(name, advice.prefix)) return advice.text;
  }
  return "the parts are in Rotational, Translational and Blocks, with the same names";
}

}  // namespace luztar
