#include "compiler/semantics/member_modifications.h"

#include <algorithm>

namespace luztar {

MemberModifications::MemberModifications(std::vector<IndexedModification> all)
    : all_(std::move(all)) {
  std::stable_sort(all_.begin(), all_.end(),
                   [](const auto& a, const auto& b) { return a.member < b.member; });
}

std::vector<Modification> MemberModifications::of(std::uint32_t member) const {
  std::vector<Modification> result;
  auto it = std::lower_bound(all_.begin(), all_.end(), member,
                             [](const auto& a, std::uint32_t m) { return a.member < m; });
  for (; it != all_.end() && it->member == member; ++it) result.push_back(it->modification);
  return result;
}

MemberModifications collect_modifications(Elaboration& e, InstanceId id,
                                          const std::vector<Modification>& outer) {
  std::vector<IndexedModification> all;
  const ClassId cls = e.instances[id].cls;
  const ClassInfo& info = e.classes.info(cls);
  for (const Modification& modification : outer) {
    for (NamedModification& inner : inner_modifications(modification, e.report)) {
      std::uint32_t member = 0;
      if (const Member* found = info.find(inner.name->text, &member); found != nullptr) {
        if (found->declaration->is_protected) {
          e.report
              .error(Code::kProtected, inner.name->span,
                     "'" + inner.name->text + "' is protected and cannot be modified from outside")
              .with_note("a class that extends '" + e.classes[cls].name + "' can modify it",
                         found->declaration->name.span);
        }
        all.push_back({member, inner.modification});
      } else if (!info.incomplete) {
        e.classes.report_unknown_modifier(cls, *inner.name);
        e.instances[id].misspelt = true;
      }
    }
  }
  for (const InheritedModifier& m : info.modifiers) {
    const Scope scope{e.classes[m.written_in].ast, id, m.written_in};
    all.push_back({m.member, {m.modifier, nullptr, 1, scope}});
  }
  return MemberModifications(std::move(all));
}

std::vector<Modification> inherited_modifications(Elaboration& e, ClassId cls, std::uint32_t member,
                                                  InstanceId instance) {
  std::vector<Modification> result;
  for (const InheritedModifier& m : e.classes.info(cls).modifiers) {
    if (m.member != member) continue;
    const Scope scope{e.classes[m.written_in].ast, instance, m.written_in};
    result.push_back({m.modifier, nullptr, 1, scope});
  }
  return result;
}

}  // namespace luztar
