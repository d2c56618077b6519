#include "runtime/wide/functions.h"

namespace luztar {

constinit const WideFunctions kPlainFunctions = kFunctionsHere;

std::vector<const WideFunctions*> wide_functions() {
  std::vector<const WideFunctions*> all{&kPlainFunctions};
#ifdef LUZTAR_WIDE
  const bool fused = __builtin_cpu_supports("fma");
  if (fused && __builtin_cpu_supports("avx2")) all.push_back(&kAvx2Functions);
  if (fused && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    all.push_back(&kAvx512Functions);
  }
#endif
  return all;
}

const WideFunctions kWide = *wide_functions().back();

}  // namespace luztar
