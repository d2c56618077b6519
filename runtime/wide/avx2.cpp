#include "runtime/wide/functions.h"

namespace luztar {

constinit const WideFunctions kAvx2Functions = kFunctionsHere;

}  // namespace luztar
