"""Mutants of emitted text: gradients with one fault, to see whether the suite's comparison finds
it.

In: the text of an emitted gradient, its namespace, sets of arguments with the right answers. Out:
mutants, and for each whether some set of arguments shows it. What makes no difference to any
gradient is not made at all:

  * code that none of the sets of arguments runs (a fault there is another test's to find);
  * tests, asserts, messages and prints: a branch decides by its outcome, so a test is only ever
    inverted;
  * statements whose results nothing reads, or not for these arguments (`idle`): they stand for the
    exceptions that they may raise;
  * what is inside the first argument of `zeros_like` and its kin, or the second of `_unbroadcast`:
    only its shape and type count;
  * `+=` to `=` where the sum is still zero, and a pop that leaves its entry where all entries are
    the same;
  * swaps and drops after which every name that is written holds the same bits as before, in every
    run (`leaves_state`);
  * swaps of statements of which neither reads or writes what the other writes, or that both only
    add to something, scale it, or write different elements of it; dropping, repeating or replacing
    what gives the same text again."""
# ruff: noqa: B905

import ast
import contextlib
import copy
import dataclasses
import functools
import io
import pickle
import signal
import sys

import numpy as np
import oracle

LIMIT_S = 0.5
TOLERANCE = 1e-12


@dataclasses.dataclass(eq=False)
class Mutant:
    kind: str
    line: int  # of the text as `normal` gives it
    original: str
    number: int  # of the node that is changed
    change: object
    note: object = None  # puts the note of the state where the change ends, in both texts

    @functools.cached_property
    def text(self):
        return self.changed(self.change)

    def changed(self, *changes):
        tree = ast.parse(self.original)
        nodes = list(ast.walk(tree))
        for change in changes:
            change(nodes[self.number], nodes)
        return ast.unparse(tree)


def normal(text):
    """The text without comments and spelling: what mutants are compared with."""
    return ast.unparse(ast.parse(text))


# Which statements count.


def statements(tree):
    """(block, position, statement) of every statement inside functions."""
    for node in ast.walk(tree):
        for field in ('body', 'orelse'):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                for k, one in enumerate(block):
                    yield block, k, one


def reads(node):
    """The names that a statement reads; a container that is written to by element or method is
    read, too."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def uses(node):
    """The names whose values a statement uses for more than a decision."""
    if isinstance(node, (ast.Compare, ast.Assert, ast.Store)):
        return set()
    if isinstance(node, ast.Attribute) and node.attr in ('shape', 'size', 'ndim', 'dtype'):
        return set()
    if isinstance(node, ast.Call):
        hidden = shape_only(node)
        return set().union(*(uses(c) for c in ast.iter_child_nodes(node) if c not in hidden))
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    return set().union(*map(uses, ast.iter_child_nodes(node)))


def shape_only(call):
    """The arguments of which only shape and type count."""
    name = getattr(call.func, 'attr', getattr(call.func, 'id', ''))
    if name.endswith('_like') or name == 'len':
        return call.args[:1]
    if name == 'max' and ast.unparse(call).endswith('.size, 1)'):  # of nothing there is no mean
        return call.args[1:]
    if name == 'enumerate':  # where the counter starts shows only if it is used for a number
        return call.args[1:]
    return call.args[1:2] if name == '_unbroadcast' else []


def writes(node):
    found = {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for n in ast.walk(node):
        target = None
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
            target = n.value
        elif (
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ('append', 'pop')
        ):
            target = n.func.value
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
        if isinstance(n, (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Assert)):
            found.add('<control>')
        if isinstance(n, (ast.Return, ast.Raise)):
            found.add('<return>')
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == 'print':
            found.add('<output>')
    return found


def inert(function):
    """Statements on which no result of the function depends but by a comparison: they stand for the
    exceptions that they may raise, or decide something, and a wrong decision is a mutant of its
    own. This is a slice, backwards by names from what is returned and printed."""
    own = [one for _, _, one in statements(function)]
    needed, before = {'<return>', '<output>', '<control>'}, None
    while needed != before:
        before = set(needed)
        for one in own:
            if writes(one) & before:
                for part in head(one) if hasattr(one, 'body') else [one]:
                    needed |= uses(part)
    return {id(one) for one in own if not writes(one) & needed}


def all_inert(tree):
    """The inert statements of a module whose first function is the gradient; of a function that
    only inert statements call all are."""
    functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    waiting, reached, dead = [next(iter(functions))], set(), set()
    while waiting:
        name = waiting.pop()
        if name in reached or name not in functions:
            continue
        reached.add(name)
        unused = inert(functions[name])
        dead |= unused
        for _, _, one in statements(functions[name]):
            if id(one) not in unused:
                for part in head(one) if hasattr(one, 'body') else [one]:
                    waiting += names_of(part)
    for name in set(functions) - reached:
        dead |= {id(one) for _, _, one in statements(functions[name])}
    return dead


def head(one):
    """The expressions of a compound statement, without its blocks."""
    return [getattr(one, name) for name in ('test', 'iter', 'target') if hasattr(one, name)]


def silent(node):
    """Whether a statement says something to people only."""
    if isinstance(node, (ast.Assert, ast.Raise, ast.Pass, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, 'id', '') == 'print'
    ):
        return True
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.JoinedStr):
        return True
    return (
        isinstance(node, ast.If) and all(map(silent, node.body)) and all(map(silent, node.orelse))
    )


# Making mutants.


@dataclasses.dataclass
class Facts:
    """What the runs showed of the text."""

    lines: set  # that were executed
    zero_sums: set = dataclasses.field(default_factory=set)  # lines that only ever add to zero
    flat_tapes: set = dataclasses.field(default_factory=set)  # whose entries are all the same


def mutants(text, facts):
    """All mutants of a normal text that can make a difference."""
    executed = facts.lines
    tree = ast.parse(text)
    order = {id(node): k for k, node in enumerate(ast.walk(tree))}
    dead = all_inert(tree)
    found = []

    def add(kind, node, change, note=None):
        found.append(Mutant(kind, node.lineno, text, order[id(node)], change, note))

    def in_block(kind, block, k, one, change):
        parent = next(
            n
            for n in ast.walk(tree)
            if any(getattr(n, f, None) is block for f in ('body', 'orelse'))
        )
        field = 'body' if getattr(parent, 'body', None) is block else 'orelse'

        def act(node, nodes):
            there = getattr(nodes[order[id(parent)]], field)
            change(there, k)
            if not there and field == 'body':
                there.append(ast.Pass())

        behind = k + 2 if change is swap else k + 1
        names = sorted(set().union(*map(writes, block[k:behind])))

        def note(node, nodes):
            there = getattr(nodes[order[id(parent)]], field)
            there.insert(behind, ast.parse(f'_note_state(locals(), {names})').body[0])

        add(kind, one, act, None if any('<' in name for name in names) else note)

    def matters(one):
        counts = one.lineno in executed and not silent(one) and id(one) not in dead
        return counts and not isinstance(one, ast.FunctionDef)

    for block, k, one in statements(tree):
        if not matters(one):
            continue
        compound = hasattr(one, 'body')
        if compound and not any(matters(inner) for inner in inside(one)):
            continue
        push = isinstance(one, ast.Expr) and getattr(one.value.func, 'attr', '') == 'append'
        if not isinstance(one, ast.Return):
            in_block('drop a push' if push else 'drop a statement', block, k, one, drop)
        after = block[k + 1] if k + 1 < len(block) else None
        if after is not None and matters(after) and dependent(one, after, facts.flat_tapes):
            in_block('swap statements', block, k, one, swap)
        if isinstance(one, ast.AugAssign) and isinstance(one.op, (ast.Add, ast.Sub)):
            add('flip a sign', one, flip)
            if isinstance(one.op, ast.Add) and one.lineno not in facts.zero_sums:
                add('+= to =', one, assign)
        arms = isinstance(one, ast.If) and [ast.dump(s) for s in one.body]
        same = arms and arms == [ast.dump(s) for s in one.orelse]
        if isinstance(one, (ast.If, ast.While)) and not same:
            add('invert a test', one, invert)
        if isinstance(one, ast.For):
            in_expressions(one.iter, add, facts)
        elif not compound:
            in_expressions(one, add, facts)
    return found


def inside(compound):
    """The simple statements of a compound one. A jump counts in a branch; a loop it only ends."""
    for one in [*compound.body, *compound.orelse]:
        if hasattr(one, 'body'):
            yield from inside(one)
        elif not (isinstance(one, (ast.Break, ast.Continue)) and not isinstance(compound, ast.If)):
            yield one


def assign(node, nodes):
    replace(nodes, node, ast.Assign([node.target], node.value, lineno=1))


def drop(block, k):
    del block[k]


def swap(block, k):
    block[k], block[k + 1] = block[k + 1], block[k]


def flip(node, nodes):
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()


def invert(node, nodes):
    node.test = ast.UnaryOp(ast.Not(), node.test)


def replace(nodes, old, new):
    for node in nodes:
        for name, field in ast.iter_fields(node):
            if field is old:
                setattr(node, name, new)
            elif isinstance(field, list) and old in field:
                field[field.index(old)] = new


def dependent(one, other, flat_tapes=frozenset()):
    """Whether the order of two statements can matter. What is popped from a tape of equal
    entries is what the variable held before."""
    pops = [n for s in (one, other) for n in ast.walk(s) if is_pop(n)]
    if any(ast.unparse(n.func.value) in flat_tapes for n in pops):
        return False
    clash = writes(one) & (reads(other) | writes(other)) | writes(other) & reads(one)
    if not clash:
        return False
    if apart(one, other) or scalings(one, other):
        return False
    adds = [
        s
        for s in (one, other)
        if isinstance(s, ast.AugAssign) and isinstance(s.op, (ast.Add, ast.Sub))
    ]
    if len(adds) == 2:  # sums do not mind their order
        clash -= {n for n in clash if all(n in writes(s) and n not in reads(s.value) for s in adds)}
    return bool(clash)


def base_and_place(target):
    """Of `v[-2]` the name and the constant."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return None, None
    try:
        return target.value.id, ast.literal_eval(target.slice)
    except ValueError:
        return None, None


def target_of(one):
    if isinstance(one, ast.Assign) and len(one.targets) == 1:
        return one.targets[0]
    return one.target if isinstance(one, ast.AugAssign) else None


def apart(one, other):
    """Whether both write elements of one array that are surely different, and read nothing of
    it."""
    (name, place), (second, elsewhere) = (base_and_place(target_of(s)) for s in (one, other))
    if name is None or name != second or not all(type(k) is int for k in (place, elsewhere)):
        return False
    return (
        place != elsewhere
        and (place < 0) == (elsewhere < 0)
        and not any(name in names_of(s.value) for s in (one, other))
    )


def scalings(one, other):
    """Whether both only scale the same place: products do not mind their order either."""
    if not all(
        isinstance(s, ast.AugAssign) and isinstance(s.op, (ast.Mult, ast.Div))
        for s in (one, other)
    ) or ast.dump(one.target) != ast.dump(other.target):
        return False
    written = writes(one)
    return not any(written & names_of(s.value) for s in (one, other))


def names_of(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def in_expressions(part, add, facts):
    """Faults inside the expressions of one statement."""
    skipped = set()
    for node in ast.walk(part):
        if id(node) in skipped or isinstance(node, (ast.Compare, ast.JoinedStr, ast.BoolOp)):
            skipped.update(id(child) for child in ast.walk(node))
        elif isinstance(node, ast.IfExp):  # no trace says which arm runs
            skipped.update(id(child) for child in ast.walk(node))
            add('invert a test', node, invert)
        elif isinstance(node, ast.BinOp):
            if isinstance(node.op, (ast.Add, ast.Sub)):
                add('flip a sign', node, flip)
            if isinstance(node.op, (ast.Add, ast.Mult)):
                add('swap + and *', node, exchange)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            if not isinstance(node.operand, ast.Constant):
                add('flip a sign', node, lambda n, nodes: setattr(n, 'op', ast.UAdd()))
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            add('replace a constant', node, lambda n, nodes: setattr(n, 'value', n.value + 1))
        elif isinstance(node, ast.Call):
            for hidden in shape_only(node):
                skipped.update(id(child) for child in ast.walk(hidden))
            if is_pop(node) and ast.unparse(node.func.value) not in facts.flat_tapes:
                add('pop nothing', node, peek)
        elif isinstance(node, ast.Subscript):
            skipped.update(id(child) for child in ast.walk(node.slice))
            shape = isinstance(node.value, ast.Attribute) and node.value.attr == 'shape'
            whole = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
            if not shape and (whole or isinstance(node.slice, (ast.Name, ast.BinOp))):
                add('change an index', node, before)


def exchange(node, nodes):
    node.op = ast.Mult() if isinstance(node.op, ast.Add) else ast.Add()


def before(node, nodes):
    node.slice = ast.BinOp(node.slice, ast.Sub(), ast.Constant(1))


def is_pop(node):
    return isinstance(node, ast.Call) and getattr(node.func, 'attr', '') == 'pop'


def peek(node, nodes):
    """The last entry is read and stays."""
    replace(nodes, node, ast.Subscript(node.func.value, ast.Constant(-1), ast.Load()))


# Running them.


class TooLong(Exception):
    pass


@contextlib.contextmanager
def limited(seconds=LIMIT_S):
    def stop(*_):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def function_of(text, name, space, like=None):
    """The function of that name that the text defines in a namespace like the one given. Its
    defaults are those of the function `like`: the text only shows how the user spells them."""
    space = {**space, '_poisoned': _poisoned}
    code = compile(text, '<mutant>', 'exec')
    exec(code, space)
    if like is not None:
        space[name].__defaults__, space[name].__kwdefaults__ = (
            like.__defaults__,
            like.__kwdefaults__,
        )
    return space[name]


def call(f, args, **keywords):
    out = io.StringIO()
    given = copy.deepcopy(args)
    with contextlib.redirect_stdout(out), np.errstate(all='ignore'):
        got = f(*given, **keywords)
    return got, out.getvalue(), given


def observed(text, name, space, argument_sets, seeds, like=None):
    """The facts of a text: runs it once with a trace, once with notes taken inside."""
    lines = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename != '<mutant>':
            return None
        lines.add(frame.f_lineno)
        return trace

    f = function_of(text, name, space, like)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for args, seed in zip(argument_sets, seeds):
            call(f, args, **seed)
    finally:
        sys.settrace(before)

    sums, tapes = {}, {}

    def note_sum(line, value):
        sums[line] = sums.get(line, True) and not np.any(value)

    def note_pop(tape_name, tape):
        same = all(oracle.error(entry, tape[-1]) == 0.0 for entry in tape)
        tapes[tape_name] = tapes.get(tape_name, True) and same
        return tape.pop()

    noted = Notes().visit(ast.parse(text))
    space = {**space, '_note_sum': note_sum, '_note_pop': note_pop}
    f = function_of(ast.unparse(noted), name, space, like)
    for args, seed in zip(argument_sets, seeds):
        call(f, args, **seed)
    return Facts(
        lines,
        {line for line, zero in sums.items() if zero},
        {tape for tape, flat in tapes.items() if flat},
    )


class Notes(ast.NodeTransformer):
    """Calls of note_sum before each `+=`, and of note_pop in place of each pop."""

    def visit_AugAssign(self, node):
        line = node.lineno
        self.generic_visit(node)
        return [ast.parse(f'_note_sum({line}, {ast.unparse(node.target)})').body[0], node]

    def visit_Call(self, node):
        self.generic_visit(node)
        if not is_pop(node):
            return node
        spelled = ast.unparse(node.func.value)
        return ast.parse(f'_note_pop({spelled!r}, {spelled})', mode='eval').body


def all_run(text, executed):
    """Whether every statement that could be mutated was executed, and every loop has one."""
    tree = ast.parse(text)
    dead = all_inert(tree)
    own = [one for _, _, one in statements(tree)]
    counted = [one for one in own if not silent(one) and id(one) not in dead]
    loops = [one for one in counted if isinstance(one, (ast.For, ast.While))]
    return all(one.lineno in executed for one in counted) and all(
        any(inner in counted and not only_leaves(inner) for inner in inside(loop)) for loop in loops
    )


def only_leaves(one):
    """A jump, or the flag that is set for it."""
    flag = isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
    return flag or isinstance(one, (ast.Break, ast.Continue))


def differs(text, name, space, argument_sets, answers, like=None, seeds=None):
    """Whether the comparison that the suite makes fails for a text on some set of arguments."""
    try:
        f = function_of(text, name, space, like)
    except Exception:
        return True
    seeds = [{}] * len(argument_sets) if seeds is None else seeds
    for args, seed, (want, prints, left) in zip(argument_sets, seeds, answers):
        try:
            with limited():
                got, printed, given = call(f, args, **seed)
        except Exception:
            return True
        if printed != prints or not oracle.error(as_tuple(got), as_tuple(want)) <= TOLERANCE:
            return True
        if oracle.error(given, left) != 0.0:
            return True
    return False


def leaves_state(mutant, name, space, argument_sets, like=None, seeds=None):
    """Whether all names that the changed statements write hold the same bits behind them, whenever
    they are run."""
    if mutant.note is None:
        return False
    seen = []
    for text in (mutant.changed(mutant.note), mutant.changed(mutant.note, mutant.change)):
        states = []

        def note(held, names, states=states):
            states.append(pickle.dumps([held.get(one) for one in names]))

        try:
            f = function_of(text, name, {**space, '_note_state': note}, like)
            for args, seed in zip(argument_sets, seeds or [{}] * len(argument_sets)):
                with limited():
                    call(f, args, **seed)
        except Exception:
            return False
        seen.append(states)
    return seen[0] == seen[1]


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


def idle(text, differs):
    """The lines of assignments whose values no gradient needs: with NaN in their place all stay.

    Such a value is not used for these arguments, whatever it is; NaN would show through a factor
    of zero and in a test, so that a value that merely happens not to matter is not idle."""
    return unnoticed(text, differs, '_poisoned')


def unnoticed(text, differs, change):
    tree = ast.parse(text)
    order = {id(node): k for k, node in enumerate(ast.walk(tree))}
    found = set()
    for _, _, one in statements(tree):
        if isinstance(one, (ast.Assign, ast.AugAssign)):
            copied = ast.parse(text)
            nodes = list(ast.walk(copied))
            poison(nodes, nodes[order[id(one)]], change)
            if not differs(ast.unparse(copied)):
                found.add(one.lineno)
    return found


def poison(nodes, one, change):
    """Puts `name = _poisoned(name)` behind an assignment."""
    after = []
    for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            spelled = ast.unparse(part)
            after += ast.parse(f'{spelled} = {change}({spelled})').body
    for node in nodes:
        for field in ('body', 'orelse'):
            block = getattr(node, field, None)
            if isinstance(block, list) and one in block:
                block[block.index(one) + 1 : block.index(one) + 1] = after


def _poisoned(x):
    if isinstance(x, float):
        return type(x)(np.nan)
    if isinstance(x, np.ndarray) and x.dtype.kind == 'f':
        return np.full(x.shape, np.nan)
    return tuple(map(_poisoned, x)) if isinstance(x, tuple) else x
