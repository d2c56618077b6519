// Source positions, the rendering of diagnostics, the limit of errors, near-miss names.
#include <doctest/doctest.h>

#include <set>

#include "compiler/base/diagnostics.h"

using namespace luztar;

TEST_CASE("positions count lines and UTF-8 characters from 1") {
  SourceMap sources;
  const FileId file = sources.add("m.ltm", "ab\n\xC3\xA9x\r\nlast");
  CHECK(sources.position(file, 0).line == 1);
  CHECK(sources.position(file, 1).column == 2);
  CHECK(sources.position(file, 5).line == 2);
  CHECK(sources.position(file, 5).column == 2);  // behind the two bytes of e acute
  CHECK(sources.line(file, 2) == "\xC3\xA9x");
  CHECK(sources.line(file, 3) == "last");
  CHECK(sources.line(file, 4).empty());
  CHECK(sources.text(Span{file, 3, 5}) == "\xC3\xA9");
}

TEST_CASE("a diagnostic shows its line, carets, label and notes") {
  SourceMap sources;
  const FileId file = sources.add("m.ltm", "model M\n  Spring s(k = 3);\nend M;\n");
  Diagnostics diagnostics;
  diagnostics.error(Code::kUnitMismatch, {file, 19, 20}, "unit mismatch in the binding of 'k'")
      .with_label("this is N.m")
      .with_note("'k' has unit N.m/rad", {file, 10, 16});
  CHECK(render_text(diagnostics.all()[0], sources, false) ==
        "m.ltm:2:12: error[LT2003]: unit mismatch in the binding of 'k'\n"
        "    2 |   Spring s(k = 3);\n"
        "      |            ^ this is N.m\n"
        "   note: 'k' has unit N.m/rad (m.ltm:2:3)\n");
}

TEST_CASE("a diagnostic without a place is one line") {
  Diagnostics diagnostics;
  diagnostics.warning(Code::kUsage, {}, "no variable matches");
  CHECK(render_text(diagnostics.all()[0], SourceMap(), false) ==
        "warning[LT7003]: no variable matches\n");
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("a span over several lines is marked on its first") {
  SourceMap sources;
  const FileId file = sources.add("m.ltm", "x = [1,\n2];\n");
  Diagnostics diagnostics;
  diagnostics.error(Code::kSyntax, {file, 4, 10}, "m");
  CHECK(render_text(diagnostics.all()[0], sources, false) ==
        "m.ltm:1:5: error[LT1001]: m\n    1 | x = [1,\n      |     ^^^\n");
}

TEST_CASE("JSON holds code, place and notes") {
  SourceMap sources;
  const FileId file = sources.add("a\"b.ltm", "model M end M;");
  Diagnostics diagnostics;
  diagnostics.error(Code::kSyntax, {file, 8, 11}, "what").with_note("why");
  const std::string json = render_json(diagnostics, sources);
  for (const char* part : {"\"code\": \"LT1001\"", "\"severity\": \"error\"",
                           "\"file\": \"a\\\"b.ltm\"", "\"line\": 1", "\"column\": 9",
                           "\"endColumn\": 12", "\"message\": \"what\"", "\"message\": \"why\""}) {
    CAPTURE(part);
    CHECK(json.find(part) != std::string::npos);
  }
}

TEST_CASE("the twenty-first error stops the run") {
  Diagnostics diagnostics;
  for (int i = 0; i < 20; ++i) diagnostics.error(Code::kSyntax, {}, "m");
  CHECK_THROWS_AS(diagnostics.error(Code::kSyntax, {}, "m"), TooManyErrors);
  CHECK(diagnostics.error_count() == 20);
  CHECK_NOTHROW(diagnostics.warning(Code::kUsage, {}, "m"));
}

TEST_CASE("codes are unique, ordered and titled") {
  std::set<int> seen;
  int last = 0;
  for (const Code code : all_codes()) {
    const int number = static_cast<int>(code);
    CHECK(number > last);
    last = number;
    CHECK(seen.insert(number).second);
    CHECK_FALSE(code_title(code).empty());
  }
  CHECK(code_name(Code::kUnitMismatch) == "LT2003");
}

TEST_CASE("a near-miss is suggested, a far one is not") {
  const std::vector<std::string> names{"Inertia", "Spring", "FreeplaySpring"};
  CHECK(nearest_name("Inertai", names) == "Inertia");
  CHECK(nearest_name("Sprng", names) == "Spring");
  CHECK(nearest_name("Gearbox", names).empty());
  CHECK(nearest_name("x", {}).empty());
  // Two letters in the wrong order are one mistake: "strat" has room for one only.
  CHECK(nearest_name("strat", {"stop", "start"}) == "start");
  CHECK(nearest_name("srtta", {"start"}).empty());
}

TEST_CASE("a long circle is cut") {
  CHECK(circle_text({"a", "b"}) == "a -> b -> a");
  const std::vector<std::string> names(1000, "x");
  CHECK(circle_text(names) == "x -> x -> x -> x -> x -> x -> x -> x -> (992 more) -> x");
}

TEST_CASE("warnings above the limit are counted, errors after them are kept") {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < Diagnostics::kWarningLimit + 5; ++i) {
    diagnostics.warning(Code::kUnconnected, {}, "warning").with_note("a note");
  }
  CHECK(diagnostics.hidden_warnings() == 5);
  CHECK(diagnostics.all().size() == Diagnostics::kWarningLimit);
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.error(Code::kUnconnected, {}, "error");
  CHECK(diagnostics.all().back().message == "error");
}
