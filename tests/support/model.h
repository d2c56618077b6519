// From a model text to machine code, for tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/base/source.h"
#include "compiler/codegen/jit.h"
#include "compiler/lowering/explicit_system.h"
#include "compiler/mechanics/mechanism.h"
#include "compiler/reduction/reduce.h"
#include "compiler/semantics/flatten.h"
#include "compiler/semantics/library_path.h"
#include "compiler/symbolic/expr.h"

namespace luztar::test {

/// The last stage to run.
enum class Stage : std::uint8_t { kSyntax, kFlat, kMechanism, kReduced, kExplicit, kProgram };

/// What the stages up to the wanted one gave; a stage that reported errors and those after it are
/// empty.
struct Stages {
  SourceMap sources;
  ExprPool pool;
  Diagnostics diagnostics;
  std::optional<Ast> ast;
  std::optional<FlatModel> flat;
  std::optional<Mechanism> mechanism;
  std::optional<ReducedMechanism> reduced;
  std::optional<ExplicitSystem> explicit_system;
  std::optional<JitProgram> program;

  /// All diagnostics as text, without colours.
  [[nodiscard]] std::string messages() const;
};

/// Directory of the source tree, with library/ and tests/ in it.
[[nodiscard]] std::filesystem::path project_dir();

/// Compiles a model text up to `last`. `name` is shown in diagnostics; the library is the project's
/// and, for the bases of examples, the folder of examples. Paths in diagnostics are relative to the
/// project.
[[nodiscard]] std::unique_ptr<Stages> run_stages(const std::string& name, const std::string& text,
                                                 Stage last,
                                                 const std::vector<Setting>& settings = {},
                                                 const std::string& class_name = "");

/// A compiled model whose parameters can be changed.
class Model {
 public:
  /// Throws std::runtime_error with the diagnostics when the text does not compile.
  Model(const std::string& name, const std::string& text, const std::vector<Setting>& settings = {},
        const std::string& class_name = "");
  /// Of all stages; throws in the same way.
  explicit Model(std::unique_ptr<Stages> stages);

  [[nodiscard]] const Stages& stages() const { return *stages_; }
  [[nodiscard]] const System& system() const { return stages_->program->system(); }

  /// Index of the state, parameter, friction or output with that name or, where it is called
  /// differently, one of the other names. Throws std::runtime_error with the existing names when
  /// there is none.
  [[nodiscard]] std::size_t state(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::size_t friction(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::size_t output(std::string_view name) const;
  [[nodiscard]] std::size_t parameter(std::string_view name) const;

  /// Sets parameters, re-evaluates those whose bindings depend on them, and prepares the constants
  /// and start values. Throws std::runtime_error of one that the structure follows from.
  void set(const std::vector<std::pair<std::string, double>>& values);

  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<double>& constants() const { return constants_; }
  [[nodiscard]] const std::vector<double>& start() const { return start_; }

  /// One evaluation with the given directions of slip; a friction of direction 0 is at rest, and
  /// Gauss' principle decides whether it stays there. Switches follow the values.
  struct Evaluation {
    std::vector<double> derivatives, outputs;
  };
  [[nodiscard]] Evaluation evaluate(double time, const std::vector<double>& state,
                                    const std::vector<std::int32_t>& directions) const;
  /// Slip velocities of all frictions.
  [[nodiscard]] std::vector<double> slips(double time, const std::vector<double>& state) const;
  /// Takes the slips of some frictions of an island out of the state together, in the mass metric.
  void stop_slips(double time, std::vector<double>& state, std::size_t island,
                  const std::vector<std::uint32_t>& frictions) const;

 private:
  std::unique_ptr<Stages> stages_;
  std::vector<double> parameters_, constants_, start_;
};

/// Number of states without the slip velocities kept besides.
[[nodiscard]] std::size_t own_states(const Model& model);

/// A file of library/examples, as text.
[[nodiscard]] std::string example_text(const std::string& file_name);
/// A model of library/examples, compiled.
[[nodiscard]] Model load_example(const std::string& file_name,
                                 const std::vector<Setting>& settings = {});

}  // namespace luztar::test
