#include "compiler/reduction/cancelled_rows.h"

#include "compiler/mechanics/parameter_point.h"

namespace luztar {

Mechanism cancelled_rows(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  for (ForceTerm& term : mechanism.terms) {
    for (LinearForm* form : {&term.argument, &term.participation}) {
      std::erase_if(form->terms, [&](const auto& entry) {
        return !context.pool.is_constant(entry.second) && identity.vanishes(entry.second);
      });
    }
  }
  return mechanism;
}

}  // namespace luztar
