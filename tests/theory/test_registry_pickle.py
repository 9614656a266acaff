"""Registering rulesets, loading a user's file, and pickling to a process that knows nothing of this one."""

import pickle
import subprocess
import sys

import pytest

import sgai
from sgai import Ruleset, SgaiError, Solver, load_plugin, load_ruleset, register, ruleset_names
from sgai.registry import on_register, origin
from sgai.rulesets.graph import Graph
from sgai.rulesets.subtraction import PileDependent

PLUGIN = '''
"""A user's file with one game."""

import sgai


@sgai.register
class {cls}(sgai.Ruleset[int, int]):
    """Take 1 to ``most`` from a number."""

    name = "{name}"
    start: int = sgai.parameter(default=10, start=True)
    most: int = {most}

    def initial(self):
        return self.start

    def moves(self, position):
        for taken in range(1, min(self.most, position) + 1):
            yield taken, position - taken
'''


def write_plugin(file, name, cls="Mine", most=3):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(PLUGIN.format(name=name, cls=cls, most=most), encoding="utf-8")
    return file


def run(code, folder, *arguments, stdin=b""):
    """Run Python code in a fresh process that starts in another folder."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        input=stdin, capture_output=True, cwd=folder, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


UNPICKLE = """
import pickle, sys
rulesets = pickle.load(sys.stdin.buffer)
import sgai
for ruleset in rulesets:
    assert ruleset == pickle.loads(pickle.dumps(ruleset))
    print(ruleset, sgai.Solver().solve(ruleset).grundy)
"""


def answers(rulesets):
    return "".join(f"{ruleset} {Solver().solve(ruleset).grundy}\n" for ruleset in rulesets)


# Pickles


def test_own_rulesets_go_to_a_fresh_process(tmp_path):
    rulesets = [load_ruleset(name) for name in ruleset_names() if origin(name).module.startswith("sgai.")]
    rulesets += [
        load_ruleset("0.[37]"),
        load_ruleset("sum(parts=[nim(piles=[3;4]);take_and_break(code=[4~.0],piles=[9])])"),
        PileDependent.from_function(lambda heap: [heap], largest=4),
        Graph.from_successors({"a": ["b"], "b": []}, start="a"),
    ]
    assert run(UNPICKLE, tmp_path, stdin=pickle.dumps(rulesets)) == answers(rulesets)


def test_a_graph_from_a_file_needs_the_file_no_more(tmp_path):
    file = tmp_path / "graph.txt"
    file.write_text("3: 2 1\n2: 1\n", encoding="utf-8")
    graph = Graph(file=str(file), start=3)
    file.unlink()
    assert run(UNPICKLE, tmp_path, stdin=pickle.dumps([graph])) == answers([graph])


def test_a_plugins_rulesets_go_to_a_fresh_process(tmp_path):
    module = load_plugin(write_plugin(tmp_path / "games" / "mine.py", "plugin_travels"))
    rulesets = [module.Mine(), module.Mine(start=7, most=2), load_ruleset("plugin_travels(start=9)")]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run(UNPICKLE, elsewhere, stdin=pickle.dumps(rulesets)) == answers(rulesets)
    total = [load_ruleset("sum(parts=[plugin_travels(start=9);nim(piles=[2])])")]
    assert run(UNPICKLE, elsewhere, stdin=pickle.dumps(total)) == answers(total)


def test_two_plugin_files_of_one_name_go_to_a_fresh_process(tmp_path):
    modules = [load_plugin(write_plugin(tmp_path / each / "game.py", f"plugin_{each}")) for each in ("left", "right")]
    rulesets = [module.Mine(start=9) for module in modules]
    assert [each.name for each in rulesets] == ["plugin_left", "plugin_right"]
    assert run(UNPICKLE, tmp_path, stdin=pickle.dumps(rulesets)) == answers(rulesets)


def test_a_module_of_the_same_name_elsewhere_does_not_matter(tmp_path):
    # The user's module "shapes" is imported here by name; the other process finds another module of that name first.
    write_plugin(tmp_path / "one" / "shapes.py", "plugin_shapes")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "shapes.py").write_text("", encoding="utf-8")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import shapes, pickle; print(pickle.dumps([shapes.Mine()]).hex())"
    )
    pickled = bytes.fromhex(run(code, tmp_path, tmp_path / "one").strip())
    assert run(UNPICKLE, tmp_path / "two", stdin=pickled) == "plugin_shapes(most=3) 2\n"


def test_a_ruleset_of_a_script_goes_to_a_worker(tmp_path):
    script = write_plugin(tmp_path / "script.py", "plugin_script")
    with script.open("a", encoding="utf-8") as file:
        file.write(
            "\n\nif __name__ == '__main__':\n    import pickle\n    print(pickle.dumps([Mine(start=6)]).hex())\n"
        )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True)
    assert run(UNPICKLE, tmp_path, stdin=bytes.fromhex(done.stdout.strip())).endswith(" 2\n")


def test_a_lost_plugin_file_is_a_clear_error(tmp_path):
    file = write_plugin(tmp_path / "lost.py", "plugin_lost")
    pickled = pickle.dumps(load_plugin(file).Mine())
    file.unlink()
    code = """
import pickle, sys, sgai
try:
    pickle.load(sys.stdin.buffer)
except sgai.SgaiError as error:
    print(error)
"""
    assert "lost.py" in run(code, tmp_path, stdin=pickled)


def test_unregistered_rulesets_are_pickled_by_their_class():
    again = pickle.loads(pickle.dumps(Unregistered(size=4)))
    assert again == Unregistered(size=4)
    assert type(again) is Unregistered


class Unregistered(Ruleset[int, int]):
    """A ruleset of this module that nobody registers."""

    name = "unregistered"
    size: int = 3

    def initial(self):
        return self.size

    def moves(self, position):
        if position:
            yield 1, position - 1


# Registering


def test_registering_twice_changes_nothing():
    names = ruleset_names()
    for name in names:
        if origin(name).module.startswith("sgai."):
            cls = type(load_ruleset(name))
            assert register(cls) is cls
    assert ruleset_names() == names


def test_registering_a_plugins_class_twice_changes_nothing(tmp_path):
    # Two files with the same name in different folders, as users have them.
    modules = [load_plugin(write_plugin(tmp_path / each / "again.py", f"again_{each}")) for each in ("left", "right")]
    for module, name in zip(modules, ("again_left", "again_right"), strict=True):
        assert register(module.Mine) is module.Mine
        assert load_plugin(module.__file__) is module
        assert type(load_ruleset(name)) is module.Mine


def make(class_name, **members):
    body = {"initial": lambda self: 0, "moves": lambda self, position: iter(()), "__module__": __name__, **members}
    return type(class_name, (Ruleset,), body)


def test_a_name_of_another_class_is_refused():
    before = load_ruleset("kayles")
    with pytest.raises(SgaiError, match=r"'kayles'.*Kayles"):
        register(make("MyKayles", name="kayles"))
    assert type(load_ruleset("kayles")) is type(before)
    register(make("First", name="name_of_first"))
    with pytest.raises(SgaiError, match="name_of_first"):
        register(make("Second", name="name_of_first"))
    assert type(load_ruleset("name_of_first")).__name__ == "First"


def test_a_class_defined_again_takes_its_place():
    register(make("Edited", name="edited_game"))
    second = register(make("Edited", name="edited_game"))
    assert type(load_ruleset("edited_game")) is second


@pytest.mark.parametrize("name", ["", "Nim", "my game", "my-game", "7up", "a.b", "spiel(", "größe"])
def test_unusable_names_are_refused(name):
    with pytest.raises(SgaiError, match="lower-case letters, digits and underscores"):
        register(make("Unnamed", name=name))


@pytest.mark.parametrize("given", [5, None, int, "nim", load_ruleset("nim")], ids=str)
def test_what_is_no_ruleset_class_is_refused(given):
    with pytest.raises(SgaiError, match="not a subclass"):
        register(given)


def test_an_unfinished_class_is_refused_with_what_it_lacks():
    unfinished = type("Unfinished", (Ruleset,), {"name": "unfinished", "__module__": __name__})
    with pytest.raises(SgaiError, match=r"Unfinished.*initial, moves"):
        register(unfinished)
    assert "unfinished" not in ruleset_names()


def test_a_parameter_of_an_unknown_type_is_refused():
    with pytest.raises(SgaiError, match="colours"):
        register(make("Odd", name="odd_parameter", __annotations__={"colours": dict}, colours=None))
    assert "odd_parameter" not in ruleset_names()


def test_listeners_hear_of_all_names():
    heard = []
    on_register(heard.append)
    assert set(heard) == set(ruleset_names())
    register(make("Heard", name="heard_of"))
    assert heard[-1] == "heard_of"


def test_origin_says_where_a_ruleset_came_from():
    assert origin("nim").module == "sgai.rulesets.subtraction"
    register(make("Located", name="located"))
    assert origin("located").module == __name__
    with pytest.raises(SgaiError, match="did you mean"):
        origin("nimm")


# A user's file


def test_a_users_file_gets_everything_by_name(tmp_path):
    file = write_plugin(tmp_path / "full.py", "plugin_full")
    module = load_plugin(file)
    assert load_plugin(str(file)) is module
    assert "plugin_full" in ruleset_names()
    ruleset = load_ruleset("plugin_full(start=11,most=4)")
    assert type(ruleset) is module.Mine
    assert sgai.solve("plugin_full(start=11,most=4)").grundy == 1
    assert sgai.solve("sum(parts=[plugin_full(start=11,most=4);nim(piles=[1])])").outcome == "P"
    assert origin("plugin_full").file == str(file.resolve())


def test_a_users_file_passes_the_conformance_suite(tmp_path):
    from sgai.testing import check_ruleset

    load_plugin(write_plugin(tmp_path / "checked.py", "plugin_checked"))
    check_ruleset("plugin_checked(start=8)")


def test_a_users_heap_game_and_components(tmp_path):
    file = tmp_path / "heaps.py"
    file.write_text(
        "import sgai\n"
        "from sgai.rulesets.heaps import HeapRuleset\n\n\n"
        "@sgai.register\n"
        "class Halves(HeapRuleset):\n"
        "    '''Split a heap into two equal ones, or take one.'''\n\n"
        "    name = 'plugin_halves'\n\n"
        "    def results(self, heap):\n"
        "        yield (heap - 1,) if heap > 1 else ()\n"
        "        if heap % 2 == 0 and heap:\n"
        "            yield heap // 2, heap // 2\n",
        encoding="utf-8",
    )
    halves = load_plugin(file).Halves(piles=(4, 6))
    # By hand: 0, 1, then heap 2 has options of value 1 and 1 XOR 1 = 0, so 2; 3 has 2, so 0; 4 has 0 and 0, so 1; ...
    assert sgai.grundy_values(halves, 6).tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert [part[:2] for part in sgai.decompose(halves, (4, 6))] == [(halves.rules(), (4,)), (halves.rules(), (6,))]


def test_files_that_cannot_be_loaded(tmp_path):
    cases = {
        "missing.py": None,
        "syntax.py": "def",
        "raises.py": "raise RuntimeError('on purpose')",
        "imports.py": "import there_is_no_such_module",
        "clash.py": PLUGIN.format(name="kayles", cls="MyKayles", most=2),
        "text.txt": "not Python",
    }
    for name, content in cases.items():
        file = tmp_path / name
        if content is not None:
            file.write_text(content, encoding="utf-8")
        with pytest.raises(SgaiError, match=name.replace(".", r"\.")):
            load_plugin(file)
    with pytest.raises(SgaiError, match="on purpose"):
        load_plugin(tmp_path / "raises.py")
    with pytest.raises(SgaiError):
        load_plugin(tmp_path)


def test_a_file_can_be_repaired_and_loaded_again(tmp_path):
    file = write_plugin(tmp_path / "repaired.py", "plugin_repaired")
    good = file.read_text(encoding="utf-8")
    file.write_text(good + "\nraise RuntimeError('not yet')\n", encoding="utf-8")
    with pytest.raises(SgaiError, match="not yet"):
        load_plugin(file)
    file.write_text(good, encoding="utf-8")
    assert type(load_ruleset("nim")).name == "nim"
    module = load_plugin(file)
    assert type(load_ruleset("plugin_repaired")) is module.Mine


def test_a_file_that_fails_registers_nothing(tmp_path):
    file = write_plugin(tmp_path / "half.py", "plugin_half")
    with file.open("a", encoding="utf-8") as text:
        text.write("\nraise RuntimeError('too late')\n")
    before = ruleset_names()
    with pytest.raises(SgaiError, match="too late"):
        load_plugin(file)
    assert ruleset_names() == before


def test_a_file_that_exits_is_never_taken_for_loaded(tmp_path):
    file = tmp_path / "exits.py"
    file.write_text("import sys\n\nsys.exit('on purpose')\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises((SystemExit, SgaiError), match="on purpose"):
            load_plugin(file)
