#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

class Columns final : public RowSink {
 public:
  explicit Columns(Simulation& result) : result_(&result) {}

  void row(double time, std::span<const double> outputs) override {
    result_->time.push_back(time);
    for (std::size_t i = 0; i < outputs.size(); ++i) result_->columns[i].push_back(outputs[i]);
  }

 private:
  Simulation* result_;
};

}  // namespace

Simulation simulate(const Model& model, const EulerOptions& options) {
  Simulation result;
  result.columns.resize(model.system().outputs.size());
  Columns sink(result);
  result.report = simulate_euler(model.system(), model.parameters(), options, sink);
  return result;
}

}  // namespace luztar::test
