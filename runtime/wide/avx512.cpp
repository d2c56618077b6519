#include "runtime/wide/functions.h"

namespace luztar {

constinit const WideFunctions kAvx512Functions = kFunctionsHere;

}  // namespace luztar
