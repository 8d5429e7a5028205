#!/usr/bin/python3
"""Checks the house rules of docs/architecture.md on the sources: which folder may include which, no
circles, an opening comment and a readable length a file, no printing or exiting in the library, no
compile-time backends, nothing tied to the machine it was built on. The second half shows that each
rule can fail."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAX_LINES = 500

# room -> the rooms whose headers it may include (itself aside).
MAY_USE = {
    "base": set(),
    "data": {"base"},
    "kernel": {"base"},
    "graph": {"base"},
    "operator": {"base", "kernel", "graph"},
    "spectral": {"base", "operator"},
    "plan": {"base", "data", "kernel", "graph", "operator", "spectral"},
    "model": {"base", "data", "kernel", "graph", "operator", "spectral", "plan"},
    "tensor": {"base", "data", "kernel", "operator", "spectral", "plan", "model"},
    "manifold": {"base", "data", "kernel", "graph", "operator", "spectral", "plan", "model"},
    "registry": {"base", "data", "kernel", "graph", "operator", "spectral", "plan", "model", "tensor", "manifold"},
    "backend": {"base", "operator", "spectral"},
    "plot": {"base"},  # and every public header, see below
}
# A public header belongs to the room that implements it.
PUBLIC = {
    "error": "base", "matrix": "base", "run": "base", "samples": "base", "version": "base",
    "dataset": "data", "generate": "data", "row_source": "data", "scaling": "data",
    "kernel": "kernel", "basis": "kernel",
    "neighbors": "graph", "embedding": "graph",
    "symmetric_operator": "operator",
    "spectrum": "spectral",
    "plan": "plan",
    "model": "model", "report": "model", "pca": "model", "kernel_pca": "model",
    "random_feature_pca": "model", "basis_pca": "model", "kernel_check": "model", "discriminant": "model",
    "preimage": "model", "tune": "model",
    "loadings": "model", "missing_pca": "model", "reconstruction": "model",
    "tensor": "tensor", "tensor_algebra": "tensor", "tensor_file": "tensor", "tensor_generate": "tensor", "tensor_model": "tensor",
    "tensor_kernel_pca": "tensor", "tucker": "tensor", "cp": "tensor", "svd2d": "tensor",
    "manifold": "manifold", "isomap": "manifold", "lle": "manifold", "laplacian": "manifold", "mvu": "manifold",
    "tsne": "manifold", "compare": "registry",
    "plot": "plot",
    "mercer": "all",
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)$", re.MULTILINE)
SPEAKS = re.compile(r"\bstd::(?:cout|cerr|clog|terminate)\b|\bfmt::print\b|(?<![\w:.>])(?:std::|::)?"
                    r"(?:printf|fprintf|puts|abort|exit|_exit|_Exit|quick_exit)\s*\(")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])+'", re.DOTALL)


def code_of(text):
    """The text without comments and strings."""
    return NOT_CODE.sub(" ", text)


def room_of(path):
    """'src/kernel/parse.cpp' -> 'kernel', 'include/mercer/run.hpp' -> 'base', 'apps/mercer/x.cpp' -> 'app'."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "src":
        return parts[1]
    if parts[0] == "include":
        return PUBLIC.get(pathlib.PurePosixPath(path).stem, "unknown")
    return "app"


def resolve(path, quote, name, files):
    """The file of ours that an include names, or None for a library's header."""
    if name.startswith("mercer/"):
        return f"include/{name}"
    beside = str(pathlib.PurePosixPath(path).parent / name)
    if quote == '"' and beside in files:
        return beside
    if (ROOT / f"{beside}.in").exists():  # CMake makes it
        return None
    return f"src/{name}" if quote == '"' or f"src/{name}" in files else None


def complaints_about_includes(files):
    """files: path -> text. Yields one sentence a broken rule."""
    edges = {}
    for path, text in files.items():
        room = room_of(path)
        if room == "unknown" or (room not in MAY_USE and room not in ("app", "all")):
            yield f"{path}: room '{room}' is not in the table of this test"
            continue
        edges[path] = []
        for quote, name in INCLUDE.findall(text):
            target = resolve(path, quote, name, files)
            if target is None:
                continue
            if target not in files:
                yield f"{path}: includes {name}, which does not exist"
                continue
            edges[path].append(target)
            other, public = room_of(target), target.startswith("include/")
            if room == "app":
                allowed = public or target.startswith(str(pathlib.PurePosixPath(path).parent))
            elif room == "all":
                allowed = public
            elif room == "plot":
                allowed = public or other in ("plot", "base")
            else:
                allowed = other == room or other in MAY_USE[room]
            if not allowed:
                yield f"{path}: '{room}' may not include {name} of '{other}'"
    yield from complaints_about_circles(edges)


def complaints_about_circles(edges):
    done = set()

    def visit(path, trail):
        if path in trail:
            yield "circle: " + " -> ".join(trail[trail.index(path):] + [path])
        elif path not in done:
            for target in edges.get(path, []):
                yield from visit(target, trail + [path])
            done.add(path)

    for path in edges:
        yield from visit(path, [])


def complaints_about_file(path, text):
    if not text.startswith("//"):
        yield f"{path}: does not open with a comment that says what it is"
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield f"{path}: {lines} lines are more than one reader can hold ({MAX_LINES})"
    if not path.startswith("src/"):
        return
    code = code_of(text)
    if match := SPEAKS.search(code):
        yield f"{path}: the library never prints, aborts or exits, but uses '{match.group().strip(' (')}'"
    for condition in CONDITION.findall(code):
        if "HWY_" not in condition:  # Highway compiles a file once for each instruction set
            yield f"{path}: '#if{condition}': a backend is linked in or stubbed, never chosen by the preprocessor"


def complaints_about_flags(path, text):
    if re.search(r"-march=native|-mtune=native|-mcpu=native", text):
        yield f"{path}: '-march=native' would make programs that run on this machine only"


TYPE = re.compile(r"\b(?:struct|class)\s+(\w+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?$")


def types_in(text):
    """The types that other files could see: defined in a namespace with a name."""
    code, inside, begin = code_of(re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)), [], 0
    for brace in re.finditer(r"[{};]", code):
        head, begin = code[begin:brace.start()].strip(), brace.end()
        if brace.group() == "{":
            namespace = re.search(r"\bnamespace\b\s*([\w:]*)$", head)
            if (found := TYPE.search(head)) and all(inside):
                yield "::".join(inside + [found.group(1)])
            inside.append(namespace.group(1) if namespace else "")
        elif brace.group() == "}" and inside:
            inside.pop()


def complaints_about_types(files):
    """Two types of one name are undefined behaviour, wherever they lie: the linker keeps one's members for both."""
    where = {}
    for path, text in files.items():
        for name in types_in(text):
            if where.setdefault(name, path) != path:
                yield f"{path}: {name} is defined in {where[name]} as well"


def our_files(*folders, suffixes=(".cpp", ".hpp")):
    return {str(p.relative_to(ROOT)): p.read_text() for folder in folders
            for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes}


class TheHouse(unittest.TestCase):
    def expect_none(self, complaints):
        complaints = list(complaints)
        self.assertFalse(complaints, "\n" + "\n".join(complaints))

    def test_includes_point_upwards_and_never_in_circles(self):
        files = our_files("src", "include", "apps", "python")  # what Python sees is an app as well: public headers only
        self.assertGreater(len(files), 20)
        self.expect_none(complaints_about_includes(files))

    def test_every_file_says_what_it_is_and_keeps_the_rules(self):
        for path, text in our_files("src", "include", "apps", "python").items():
            with self.subTest(path):
                self.expect_none(complaints_about_file(path, text))

    def test_every_type_is_defined_once(self):
        files = our_files("src", "include")
        self.assertGreater(sum(len(list(types_in(text))) for text in files.values()), 200)
        self.expect_none(complaints_about_types(files))

    def test_nothing_is_built_for_this_machine_only(self):
        files = our_files("src", "apps", "bench", "cmake", "python", suffixes=(".cpp", ".hpp", ".txt", ".cmake", ".in"))
        for name in ("CMakeLists.txt", "CMakePresets.json", "dev", "tests/CMakeLists.txt"):
            files[name] = (ROOT / name).read_text()
        for path, text in files.items():
            self.expect_none(complaints_about_flags(path, text))


class EachRuleCanFail(unittest.TestCase):
    BASE = {"include/mercer/run.hpp": "// run\n", "include/mercer/kernel.hpp": "// k\n", "src/base/a.hpp": "// a\n",
            "src/kernel/node.hpp": "// n\n", "src/model/m.hpp": "// m\n"}

    def includes(self, path, *lines):
        text = "// x\n" + "".join(f"#include {line}\n" for line in lines)
        return list(complaints_about_includes({**self.BASE, path: text}))

    def test_a_good_file_passes(self):
        self.assertEqual([], self.includes("src/model/x.cpp", '"kernel/node.hpp"', "<mercer/run.hpp>", "<vector>"))
        self.assertEqual([], self.includes("apps/mercer/x.cpp", "<mercer/kernel.hpp>"))
        self.assertEqual([], list(complaints_about_file("src/a/x.cpp", '// x\nint f(); // std::cout\n#if HWY_ONCE\n')))

    def test_downward_include(self):
        self.assertIn("'kernel' may not include model/m.hpp", self.includes("src/kernel/x.cpp", '"model/m.hpp"')[0])

    def test_downward_include_through_a_public_header(self):
        self.assertIn("'base' may not", self.includes("src/base/x.cpp", "<mercer/kernel.hpp>")[0])

    def test_sideways_include(self):
        self.assertIn("'data' may not", self.includes("src/data/x.cpp", '"kernel/node.hpp"')[0])

    def test_an_app_that_looks_inside(self):
        self.assertIn("'app' may not", self.includes("apps/mercer/x.cpp", '"base/a.hpp"')[0])

    def test_a_room_nobody_drew(self):
        self.assertIn("not in the table", self.includes("src/attic/x.cpp")[0])

    def test_a_circle(self):
        files = {"src/base/a.hpp": '// a\n#include "base/b.hpp"\n', "src/base/b.hpp": '// b\n#include "base/a.hpp"\n'}
        self.assertIn("circle: src/base/a.hpp -> src/base/b.hpp", list(complaints_about_includes(files))[0])

    def test_a_type_with_two_definitions(self):
        first, again = "namespace m {\nstruct A { int x; };\n}\n", "namespace m {\ntemplate <class T>\nclass A final : public B<T> {\n};\n}\n"
        self.assertIn("m::A is defined in a.hpp", list(complaints_about_types({"a.hpp": first, "b.hpp": again}))[0])
        hidden = "namespace m {\nnamespace {\nstruct A {};\n}\nstruct B { struct A {}; };\nstruct A;\n}\n"
        self.assertEqual([], list(complaints_about_types({"a.hpp": first, "b.cpp": hidden})))

    def test_silent_long_speaking_and_conditional_files(self):
        def first(text):
            return next(complaints_about_file("src/base/x.cpp", text), "")
        self.assertIn("does not open", first("#include <vector>\n"))
        self.assertIn("more than one reader", first("// x\n" * (MAX_LINES + 1)))
        for line in ("std::cout << 1;", 'printf("x");', "std::abort();", "exit(1);", "::exit(1);", 'fmt::print("");'):
            self.assertIn("never prints", first(f"// x\n{line}\n"), line)
        self.assertIn("never chosen", first("// x\n#ifdef MERCER_CUDA\n#endif\n"))
        self.assertIn("-march=native", next(complaints_about_flags("CMakeLists.txt", "add_compile_options(-march=native)")))


if __name__ == "__main__":
    unittest.main()
