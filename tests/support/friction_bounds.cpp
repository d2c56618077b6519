#include "tests/support/friction_bounds.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <vector>

namespace luztar::test {

double greatest_friction_share(const std::string& text, const Model& model, const Simulation& run) {
  const std::regex declaration(R"((\w+)\((f|tau)0 = ([^,)]+)(?:, \w+_static = ([^,)]+))?)");
  double greatest = 0;
  for (std::sregex_iterator each(text.begin(), text.end(), declaration), end; each != end; ++each) {
    const std::smatch& part = *each;
    const double bound = std::stod(part[4].matched ? part[4] : part[3]);
    const std::vector<double>& force = run.column(model, part[1].str() + "." + part[2].str());
    for (const double f : force) greatest = std::max(greatest, std::fabs(f) / bound);
  }
  return greatest;
}

}  // namespace luztar::test
