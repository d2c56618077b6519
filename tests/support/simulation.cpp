#include "tests/support/simulation.h"

#include <stdexcept>

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

class NoRows final : public RowSink {
 public:
  void row(double, std::span<const double>) override {}
};

template <class Options>
Simulation run(const Model& model, const Options& options,
               RunReport (*solver)(const System&, std::span<const double>, const Options&,
                                   RowSink&)) {
  Simulation result;
  result.columns.resize(model.system().outputs.size());
  Columns sink(result);
  result.report = solver(model.system(), model.parameters(), options, sink);
  return result;
}

}  // namespace

Simulation simulate(const Model& model, const EulerOptions& options) {
  return run(model, options, simulate_euler);
}
Simulation simulate(const Model& model, const TaylorOptions& options) {
  return run(model, options, simulate_taylor);
}
Simulation simulate(const Model& model, const CvodeOptions& options) {
  return run(model, options, simulate_cvode);
}

RunReport audited(const Model& model, TaylorOptions options) {
  options.energy = true;
  NoRows sink;
  RunReport report = simulate_taylor(model.system(), model.parameters(), options, sink);
  if (!report.energy) throw std::runtime_error("no account is kept of the model's energy");
  return report;
}

}  // namespace luztar::test
