// Models of bodies and what acts on them, from a list of parts that say where they are.
#pragma once

#include <string>
#include <vector>

namespace luztar::test {

/// A part as it is declared, "Rotational.Spring link(k = 100)", and its places: names of bodies, or
/// of a Fixed. Without places: a body, or a Fixed called ground.
struct PlacedPart {
  std::string declaration;
  std::string from = {};    // its flange_a is connected to flange_b of this body
  std::string to = {};      // its flange_b is connected to flange_a of this body
  std::string signal = {};  // of a load, whose only flange is on `from`: the block that drives it
};

/// A torque that follows a signal: load("Blocks.Step step(height = 2)", "push", "body").
[[nodiscard]] PlacedPart load(const std::string& signal, const std::string& name,
                              const std::string& body);

/// The model of the parts, declared and connected in their order, over `stop` seconds.
[[nodiscard]] std::string model_text(const std::vector<PlacedPart>& parts,
                                     const std::string& stop = "1");

}  // namespace luztar::test
