#include "tests/support/simulation.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace luztar::test {
namespace {

class Columns final : public RowSink {
 public:
  explicit Columns(Simulation& result) : result_(&result) {}

  void row(double time, std::span<const double> outputs) override {
    result_->time.push_back(time);
    result_->columns.resize(outputs.size());  // those of the energy audit follow the model's
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

bool is_motion(const std::string& name) {
  const std::string last = name.substr(name.find_last_of('.') + 1);
  return last == "phi" || last == "w" || last == "s" || last == "v";
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

Simulation thinned(const Simulation& run, std::size_t n) {
  Simulation result;
  result.report = run.report;
  result.columns.resize(run.columns.size());
  for (std::size_t i = 0; i < run.time.size(); i += n) {
    result.time.push_back(run.time[i]);
    for (std::size_t c = 0; c < run.columns.size(); ++c) {
      result.columns[c].push_back(run.columns[c][i]);
    }
  }
  return result;
}

std::vector<Deviation> motion_deviations(const Model& expected_model, const Simulation& expected,
                                         const Model& model, const Simulation& run) {
  std::vector<Deviation> result;
  for (std::size_t c = 0; c < expected_model.system().outputs.size(); ++c) {
    const std::string& name = expected_model.system().outputs[c].name;
    if (!is_motion(name)) continue;
    const std::vector<double>&a = expected.columns[c], &b = run.column(model, name);
    Deviation deviation{name};
    for (std::size_t i = 0; i < a.size(); ++i) {
      deviation.peak = std::max(deviation.peak, std::fabs(a[i]));
      deviation.difference = std::max(deviation.difference, std::fabs(b.at(i) - a[i]));
    }
    result.push_back(deviation);
  }
  return result;
}

}  // namespace luztar::test
