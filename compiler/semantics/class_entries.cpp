// Entries for classes, files and folders of the library roots: see class_table.h.
#include <algorithm>

#include "compiler/semantics/class_table.h"

namespace luztar {
namespace {

AstClassId top_level_class(const Ast& ast, const std::string& name) {
  for (const AstClassId id : ast.classes) {
    if (ast.class_table[id].name.text == name) return id;
  }
  return {};
}

std::string dotted(std::string folder) {
  std::replace(folder.begin(), folder.end(), '/', '.');
  return folder;
}

std::string joined(const std::string& folder, const std::string& name, char separator) {
  return folder.empty() ? name : folder + separator + name;
}

std::string folder_of(const AstName& within) {
  std::string folder;
  for (const AstNamePart& part : within.parts) folder = joined(folder, part.name.text, '/');
  return folder;
}

}  // namespace

ClassTable::ClassTable(const Ast& user_file, ClassLibrary& library, Reporter& report)
    : library_(library), report_(report) {
  const std::string folder = user_file.has_within ? folder_of(user_file.within) : std::string();
  user_scope_ = file_scope(user_file, folder, 0);
}

const AstClass& ClassTable::definition(ClassId id) const {
  const ClassEntry& entry = entries_[id]->entry;
  return entry.ast->class_table[entry.definition];
}

ClassId ClassTable::add(ClassEntry entry) {
  auto node = std::make_unique<Node>();
  node->entry = std::move(entry);
  return entries_.push_back(std::move(node));
}

ClassId ClassTable::class_entry(const Ast& ast, AstClassId definition, ClassId enclosing) {
  std::vector<ClassId>& known = class_entries_[&ast];
  if (known.size() < ast.class_table.size()) known.resize(ast.class_table.size());
  if (known[definition.value].valid()) return known[definition.value];
  const ClassEntry& outer = entries_[enclosing]->entry;
  const AstClass& cls = ast.class_table[definition];
  ClassEntry entry;
  entry.ast = &ast;
  entry.definition = definition;
  entry.name = joined(outer.name, cls.name.text, '.');
  entry.enclosing = enclosing;
  entry.home = outer.home;
  // A package may have classes in files of their own beside those written in it.
  if (outer.kind == ClassEntry::Kind::kFile && cls.kind == AstClassKind::kPackage &&
      enclosing != user_scope_) {
    entry.has_folder = true;
    entry.folder = joined(outer.folder, cls.name.text, '/');
  }
  const ClassId id = add(std::move(entry));
  class_entries_[&ast][definition.value] = id;
  return id;
}

ClassId ClassTable::broken() {
  if (!broken_.valid()) {
    ClassEntry entry;
    entry.kind = ClassEntry::Kind::kBroken;
    broken_ = add(std::move(entry));
  }
  return broken_;
}

ClassId ClassTable::file_scope(const Ast& ast, const std::string& folder, std::size_t home) {
  if (const auto known = file_scopes_.find(&ast); known != file_scopes_.end()) return known->second;
  ClassEntry entry;
  entry.kind = ClassEntry::Kind::kFile;
  entry.ast = &ast;
  entry.name = dotted(folder);
  entry.folder = folder;
  entry.enclosing = within_scope(folder, home);
  entry.home = home;
  const ClassId id = add(std::move(entry));
  file_scopes_.emplace(&ast, id);
  return id;
}

ClassId ClassTable::folder_entry(const std::string& folder, std::size_t home) {
  const std::string key = std::to_string(home) + ":" + folder;
  if (const auto known = folders_.find(key); known != folders_.end()) return known->second;
  ClassEntry entry;
  entry.kind = ClassEntry::Kind::kFolder;
  entry.name = dotted(folder);
  entry.home = home;
  entry.has_folder = true;
  entry.folder = folder;
  if (!folder.empty()) {
    const std::size_t slash = folder.rfind('/');
    entry.enclosing = folder_entry(slash == std::string::npos ? "" : folder.substr(0, slash), home);
  }
  const ClassId id = add(std::move(entry));
  folders_.emplace(key, id);
  return id;
}

/// The package a file says it is in; the folder alone while that package is not a class of its own.
ClassId ClassTable::within_scope(const std::string& folder, std::size_t home) {
  ClassId scope = folder_entry("", home);
  for (std::size_t begin = 0; begin < folder.size();) {
    const std::size_t end = std::min(folder.find('/', begin), folder.size());
    const std::string name = folder.substr(begin, end - begin);
    const ClassId inner = child(scope, name);
    const bool found = inner.valid() && entries_[inner]->entry.kind != ClassEntry::Kind::kBroken;
    scope = found ? inner : folder_entry(folder.substr(0, end), home);
    begin = end + 1;
  }
  return scope;
}

/// The class `name` of the file that has its name.
ClassId ClassTable::class_of_file(const Ast& ast, const std::string& folder, std::size_t root,
                                  const std::string& name) {
  const AstClassId definition = top_level_class(ast, name);
  const std::string qualified = dotted(joined(folder, name, '/'));
  if (!definition.valid()) {
    const Span span =
        ast.classes.empty() ? Span{ast.file, 0, 0} : ast.class_table[ast.classes.front()].name.span;
    report_.error(Code::kUnknownClass, span, "this file has to define the class '" + name + "'")
        .with_note("it is looked up as '" + qualified + "'");
    return broken();
  }
  // A file of a package may be run where it lies: its folder is a root then, and not the package's.
  if (folder.empty() && ast.has_within) {
    return class_entry(ast, definition, file_scope(ast, folder_of(ast.within), root));
  }
  if (ast.has_within && folder_of(ast.within) != folder) {
    report_.error(Code::kUnknownClass, ast.within.span,
                  "this file lies in '" + dotted(folder) + "' but says 'within " +
                      name_text(ast.within) + "'");
  }
  return class_entry(ast, definition, file_scope(ast, folder, root));
}

/// The package class of a folder in one root: `folder`.ltm or `folder`/package.ltm.
ClassId ClassTable::package_class(const std::string& folder, std::size_t root) {
  if (folder.empty()) return {};
  const std::size_t slash = folder.rfind('/');
  const std::string outer = slash == std::string::npos ? "" : folder.substr(0, slash);
  const std::string package = slash == std::string::npos ? folder : folder.substr(slash + 1);
  for (const std::string& path : {folder + ".ltm", folder + "/package.ltm"}) {
    const LibraryFile file = library_.find_file(root, path, report_.diagnostics());
    if (!file.exists) continue;
    return file.ast != nullptr ? class_of_file(*file.ast, outer, root, package) : broken();
  }
  return {};
}

/// A class written in the file of its package.
ClassId ClassTable::nested_elsewhere(const std::string& folder, std::size_t root,
                                     const std::string& name) {
  const ClassId cls = package_class(folder, root);
  if (!cls.valid() || entries_[cls]->entry.kind == ClassEntry::Kind::kBroken) return cls;
  const auto& own = own_classes(cls);
  const auto found = own.find(name);
  return found != own.end() ? found->second : ClassId{};
}

/// A constant of a package whose own file lies in another root than the folder found first.
Found ClassTable::constant_elsewhere(const ClassEntry& package, const std::string& name) {
  for (std::size_t root = 0; root < library_.root_count(); ++root) {
    const ClassId cls = package_class(package.folder, root);
    if (!cls.valid() || entries_[cls]->entry.kind != ClassEntry::Kind::kClass) continue;
    if (entries_[cls]->resolving) continue;
    std::uint32_t position = 0;
    const Member* member = info(cls).find(name, &position);
    if (member != nullptr && member->declaration->variability == AstVariability::kConstant) {
      return {cls, position};
    }
  }
  return {};
}

ClassId ClassTable::child_in_folder(const std::string& folder, std::size_t home,
                                    const std::string& name) {
  const std::string path = joined(folder, name, '/');
  for (std::size_t i = 0; i < library_.root_count(); ++i) {
    const std::size_t root = i == 0 ? home : i <= home ? i - 1 : i;
    const LibraryFile file = library_.find_file(root, path + ".ltm", report_.diagnostics());
    if (file.exists) {
      return file.ast != nullptr ? class_of_file(*file.ast, folder, root, name) : broken();
    }
    if (const ClassId nested = nested_elsewhere(folder, root, name); nested.valid()) return nested;
    if (!library_.has_folder(root, path)) continue;
    const LibraryFile package =
        library_.find_file(root, path + "/package.ltm", report_.diagnostics());
    if (!package.exists) return folder_entry(path, home);
    return package.ast != nullptr ? class_of_file(*package.ast, folder, root, name) : broken();
  }
  return {};
}

}  // namespace luztar
