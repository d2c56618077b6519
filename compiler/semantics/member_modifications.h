// The modifications of an instance, sorted by the member they change.
#pragma once

#include <vector>

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// A modification of the member with this position.
struct IndexedModification {
  std::uint32_t member = 0;
  Modification modification;
};

/// Modifications of the members of one instance, outermost first for each member.
class MemberModifications {
 public:
  explicit MemberModifications(std::vector<IndexedModification> all);

  [[nodiscard]] std::vector<Modification> of(std::uint32_t member) const;

 private:
  std::vector<IndexedModification> all_;
};

/// What `outer`, the modifications of an instance, outermost first, and the extends clauses of its
/// class say about its members.
///   errors: LT2004 for names that are no members
[[nodiscard]] MemberModifications collect_modifications(Elaboration& elaboration, InstanceId id,
                                                        const std::vector<Modification>& outer);

/// What the extends clauses of a class say about one member, outermost first; names in them are
/// members of `instance`, when it is valid.
[[nodiscard]] std::vector<Modification> inherited_modifications(Elaboration& elaboration,
                                                                ClassId cls, std::uint32_t member,
                                                                InstanceId instance);

}  // namespace luztar
