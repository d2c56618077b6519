#include "tests/support/placed_parts.h"

#include <string_view>

namespace luztar::test {
namespace {

/// "link" of "Rotational.Spring link(k = 100)".
std::string name_of(const std::string& declaration) {
  const std::size_t begin = declaration.find(' ') + 1;
  return declaration.substr(begin, declaration.find('(', begin) - begin);
}

std::string flange_of(const std::string& body, std::string_view side) {
  return body == "ground" ? "ground.flange" : body + ".flange_" + std::string(side);
}

std::string connect(const std::string& a, const std::string& b) {
  return "  connect(" + a + ", " + b + ");\n";
}

}  // namespace

PlacedPart load(const std::string& signal, const std::string& name, const std::string& body) {
  return {"Rotational.Torque " + name, body, "", signal};
}

std::string model_text(const std::vector<PlacedPart>& parts, const std::string& stop) {
  std::string declarations, connections;
  for (const PlacedPart& part : parts) {
    const std::string name = name_of(part.declaration);
    if (!part.signal.empty()) {
      declarations += "  " + part.signal + ";\n";
      connections += connect(name_of(part.signal) + ".y", name + ".tau");
      connections += connect(name + ".flange", flange_of(part.from, "b"));
    } else {
      if (!part.to.empty()) connections += connect(name + ".flange_b", flange_of(part.to, "a"));
      if (!part.from.empty()) connections += connect(name + ".flange_a", flange_of(part.from, "b"));
    }
    declarations += "  " + part.declaration + ";\n";
  }
  return "model Parts\n" + declarations + "equation\n" + connections +
         "  annotation(experiment(StopTime = " + stop + "));\nend Parts;\n";
}

}  // namespace luztar::test
