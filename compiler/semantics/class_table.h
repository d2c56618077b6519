// Every class and package a run has come across, and what is visible where.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/base/ids.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/semantics/library_path.h"
#include "compiler/semantics/report.h"
#include "compiler/syntax/ast.h"

namespace luztar {

using ClassId = Id<struct ClassTag>;

enum class Attribute : std::uint8_t { kUnit, kDisplayUnit, kStart, kFixed, kMin, kMax, kNominal };
inline constexpr std::size_t kAttributeCount = 7;
inline constexpr std::array<const char*, kAttributeCount> kAttributeNames = {
    "unit", "displayUnit", "start", "fixed", "min", "max", "nominal"};

/// An attribute as a type alias gives it; the names in it mean what they mean in class
/// `written_in`.
struct TypeAttribute {
  AstExprId value;  // invalid: not given
  ClassId written_in;
  bool is_final = false;
};

/// A size that a type gives: `type Vector = Real[3]`.
struct TypeDimension {
  AstExprId size;
  ClassId written_in;
};

/// Real, Integer or Boolean, perhaps through aliases: `type Angle = Real(unit = "rad")`.
struct ScalarAlias {
  ScalarType type = ScalarType::kReal;
  AstCausality causality = AstCausality::kNone;
  std::array<TypeAttribute, kAttributeCount> attributes;
  std::vector<TypeDimension> dimensions;  // outermost first
};

/// What the type of a component turned out to be.
struct ComponentType {
  enum class Kind : std::uint8_t { kUnknown, kError, kScalar, kClass } kind = Kind::kUnknown;
  const ScalarAlias* scalar = nullptr;
  ClassId cls;
};

/// A component of a class, its own or inherited.
struct Member {
  const AstComponent* declaration = nullptr;
  ClassId written_in;  // names in the declaration mean what they mean there
  ComponentType type;  // resolved when first needed
};

/// A modifier of an extends clause, for one member.
struct InheritedModifier {
  std::uint32_t member = 0;
  const AstModifier* modifier = nullptr;
  ClassId written_in;
};

/// A class with everything it inherits.
struct ClassInfo {
  std::vector<Member> members;  // in the order of declaration, inherited ones in place of `extends`
  std::unordered_map<std::string, std::uint32_t> index;  // of members, by name
  std::vector<InheritedModifier> modifiers;              // outermost first
  std::vector<ClassId> lineage;  // classes whose equations belong to it: bases first, itself last
  bool incomplete = false;       // a base is unknown: missing names are not reported
  bool repeated = false;         // a name is declared twice

  [[nodiscard]] const Member* find(const std::string& name,
                                   std::uint32_t* position = nullptr) const;
};

/// A class, a folder of classes, or the classes of one file side by side.
struct ClassEntry {
  enum class Kind : std::uint8_t { kClass, kFolder, kFile, kBroken } kind = Kind::kClass;
  const Ast* ast = nullptr;  // kClass, kFile
  AstClassId definition;     // kClass
  std::string name;          // qualified: "Rotational.Inertia"
  ClassId enclosing;         // where names are looked up next; invalid: nowhere
  std::size_t home = 0;      // the library root in which lookup starts
  bool has_folder = false;   // classes may also lie in `folder` below the roots
  std::string folder;        // "Rotational/Interfaces"; "" with has_folder: the roots themselves
};

/// A name found: a class or, with `member`, a component of that class.
struct Found {
  static constexpr std::uint32_t kNoMember = Id<struct None>::kNone;
  ClassId cls;
  std::uint32_t member = kNoMember;
  [[nodiscard]] bool valid() const { return cls.valid(); }
  [[nodiscard]] bool is_member() const { return member != kNoMember; }
};

/// Classes get an entry when they are first looked up, and are searched in the order of
/// language.md: enclosing classes with what they inherit, their imports, the file, its folder, the
/// library roots. A library file prefers its own root, so that nothing in the user's folder changes
/// the meaning of a library part.
class ClassTable {
 public:
  ClassTable(const Ast& user_file, ClassLibrary& library, Reporter& report);

  [[nodiscard]] const ClassEntry& operator[](ClassId id) const { return entries_[id]->entry; }
  [[nodiscard]] const AstClass& definition(ClassId id) const;
  /// The scope that holds the classes of the user's file.
  [[nodiscard]] ClassId user_scope() const { return user_scope_; }

  /// The class, package or inherited class `name` directly in `parent`; invalid: none.
  ClassId child(ClassId parent, const std::string& name);
  /// The class called `name` in `scope`; errors: LT2001. Invalid when there is none.
  ClassId find_class(ClassId scope, const AstName& name);
  /// The class or package constant visible as `name` in `scope`; says nothing when there is none.
  Found find_visible(ClassId scope, const std::string& name);
  /// The class or constant `name` directly in `parent`.
  Found find_inside(ClassId parent, const std::string& name);

  /// The members of a class; errors of its extends clauses are reported the first time.
  const ClassInfo& info(ClassId id);
  /// The type of a member; errors: LT2001, LT2006, LT2024.
  const ComponentType& type_of(ClassId id, std::uint32_t member);
  /// The class itself, or the one it is another name of.
  ClassId identity(ClassId id);

  /// LT2004: a modifier names nothing in the class, or no attribute of a scalar.
  void report_unknown_modifier(ClassId cls, const AstIdentifier& name);
  void report_unknown_attribute(const AstName& name);

  /// LT2001: an import clause, used or not, of a class that is not there.
  void check_imports();

  /// Names of classes visible in a scope or inside a package, for "did you mean".
  std::vector<std::string> visible_classes(ClassId scope);
  std::vector<std::string> classes_inside(ClassId parent);

 private:
  struct Node {
    ClassEntry entry;
    std::unordered_map<std::string, ClassId> own;  // classes written inside this one
    bool own_listed = false;
    std::unordered_map<std::string, ClassId> children;
    std::unordered_map<std::string, Found> visible;
    std::unique_ptr<ClassInfo> info;
    bool resolving = false;  // its bases are being looked up
    std::unique_ptr<ScalarAlias> scalar;
    bool scalar_resolving = false, scalar_known = false, scalar_failed = false;
  };

  enum class AliasTarget : std::uint8_t { kScalar, kClass, kError };

  ClassId add(ClassEntry entry);
  ClassId class_entry(const Ast& ast, AstClassId definition, ClassId enclosing);
  ClassId file_scope(const Ast& ast, const std::string& folder, std::size_t home);
  ClassId folder_entry(const std::string& folder, std::size_t home);
  ClassId within_scope(const std::string& folder, std::size_t home);
  ClassId broken();
  const std::unordered_map<std::string, ClassId>& own_classes(ClassId id);
  ClassId child_in_folder(const std::string& folder, std::size_t home, const std::string& name);
  ClassId class_of_file(const Ast& ast, const std::string& folder, std::size_t root,
                        const std::string& name);
  ClassId package_class(const std::string& folder, std::size_t root);
  Found constant_elsewhere(const ClassEntry& package, const std::string& name);
  ClassId nested_elsewhere(const std::string& folder, std::size_t root, const std::string& name);
  Found import_target(ClassId scope, const AstImport& import);
  void report_missing(ClassId scope, const AstImport& import);
  Found find_imported(ClassId scope, const std::string& name);
  void report_unknown(ClassId scope, const AstName& name, std::size_t part, ClassId parent);
  [[nodiscard]] std::string with_package(const std::string& folder, const std::string& name) const;

  // class_info.cpp
  void collect(ClassId id, ClassInfo& info);
  void add_member(ClassId id, ClassInfo& info, const AstComponent& component);
  void add_base(ClassId id, ClassInfo& info, const AstName& base,
                const std::vector<AstModifier>& modifiers, Span span);
  void report_conflicts(const ClassInfo& info, std::size_t first_new, const AstName& base);
  const ScalarAlias* scalar_alias(ClassId id);
  AliasTarget read_scalar_alias(ClassId id, ScalarAlias& alias);
  void read_type_attributes(ClassId id, ScalarAlias& alias);
  ComponentType resolve_type(ClassId scope, const AstName& name);

  ClassLibrary& library_;
  Reporter& report_;
  Table<ClassId, std::unique_ptr<Node>> entries_;
  std::unordered_map<const Ast*, ClassId> file_scopes_;
  std::unordered_map<const Ast*, std::vector<ClassId>> class_entries_;  // by AstClassId
  std::unordered_map<std::string, ClassId> folders_;                    // "home:folder"
  std::unordered_set<std::string> missing_;                             // "scope:name", reported
  ClassId user_scope_, broken_;
  std::size_t resolving_ = 0;    // infos in the making
  std::size_t alias_depth_ = 0;  // types in the making
};

/// Real, Integer and Boolean without attributes; null for any other name.
[[nodiscard]] const ScalarAlias* built_in_scalar(const std::string& name);

}  // namespace luztar
