// The generated parser, with the warnings of the ANTLR headers kept out of ours. Only this folder
// includes it.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#include "LuzTarLexer.h"
#include "LuzTarParser.h"
#pragma GCC diagnostic pop
