"""Generated programs: whole Python functions with arguments, reproducible by a number and
shrinkable.

    program(17)       the program of that number
    programs()        a hypothesis strategy

A program is the text of a module with a function `f` (and its helpers), two sets of arguments, what
to differentiate, and the census: the names of the constructs that occur in it. Every program
terminates, keeps its values small, and is away from kinks and ties (the oracle measures how near it
comes; one that comes too near is drawn again). Parts: programs_expressions, programs_statements,
programs_objects and the others that join their tables.
"""

import contextlib
import copy
import dataclasses
import io
import math
import random

import numpy as np
import oracle
import programs_changes  # noqa: F401 - its constructs join the table
import programs_functions  # noqa: F401
import programs_lists  # noqa: F401
import programs_maps  # noqa: F401
import programs_objects
import programs_stores  # noqa: F401
from programs_containers import Model, built, container_parameter  # noqa: F401
from programs_expressions import (
    MATH_NAMES,
    MATH_ONLY,
    NUMPY_ONLY,
    TAME,
    UNARY_FUNCTIONS,
    Expression,
    array,
    joined,
    number,
    squashed,
)
from programs_statements import STATEMENTS

FOUNDATION = frozenset({'foundation'})
NUMPY_FUNCTIONS = sorted(UNARY_FUNCTIONS | NUMPY_ONLY)
MATH_FUNCTIONS = sorted(MATH_NAMES.get(name, name) for name in UNARY_FUNCTIONS | MATH_ONLY)
NEAREST = 1e-5  # the least distance to a kink
STEEPEST = 1e4  # the largest slope
WRITES = frozenset({'stores', 'stores_in_helper', 'object_holds_array'})
OBJECTS = 0.5  # of the programs have objects, recursion or closures that rebind
HEAD = '''"""Program {label}."""
import math

import numpy as np

RATE = 0.35
SCALE = 1.2
STEPS = 3
TABLE = np.array([0.4, -0.9, 0.7])
'''


@dataclasses.dataclass(eq=False)
class Variable:
    name: str
    kind: str  # float, array, int, int_array, bool, accumulator
    shape: tuple = None
    bound: float = TAME
    uses: frozenset = frozenset()
    low: int = 0
    high: int = 0
    fixed: bool = False  # not to be written: a counter, what a loop tests

    def rebound(self, e):
        self.bound = max(self.bound, e.bound, TAME)
        self.uses |= e.uses


@dataclasses.dataclass
class Parameter:
    name: str
    shape: tuple = None
    default: str = ''
    keyword_only: bool = False


@dataclasses.dataclass
class Helper:
    name: str
    parameters: list
    result: object  # 'float', 'pair' or the shape of an array
    writes: frozenset = frozenset()  # the parameters whose arrays it writes


@dataclasses.dataclass
class Program:
    label: str
    source: str
    argument_sets: list
    wrt: tuple
    census: frozenset
    result: object
    answers: list = None  # per set of arguments: the oracle's Answer, or the exception's type
    prints: list = None
    after: list = None  # per set of arguments: the arguments as f leaves them

    def load(self, path):
        """The function f, from a file that is written."""
        with open(path, 'w') as file:
            file.write(self.source)
        return self.compiled(str(path))

    def compiled(self, filename='<program>'):
        space = {'__name__': f'program_{self.label}'}
        exec(compile(self.source, filename, 'exec'), space)
        return space['f']


class Writer:
    """Draws one function at random: its scope, its lines, its census."""

    def __init__(self, draw, features, dims, helpers, census, call_stack, result):
        self.draw, self.features, self.dims, self.helpers = draw, features, dims, helpers
        self.census, self.call_stack, self.result = census, call_stack, result
        self.lines, self.depth, self.scope, self.loops = [], 1, {}, []
        self.taken, self.reserved = {'f', 'math', 'np', 'RATE', 'SCALE', 'STEPS', 'TABLE'}, set()
        self.budget, self.returns, self.may_raise = 16, 0, False
        self.parameters = set()  # names and parts of arguments
        self.written = set()  # names whose arrays are written
        self.hidden = set()  # parameters that are not read any more: another name sees them

    def has(self, form):
        return form.feature in self.features and self.allows(form.name)

    def allows(self, name):
        """Whether a construct may be written: `-name` among the features forbids it."""
        return f'-{name}' not in self.features

    # Draws.

    def integer(self, low, high):
        return self.draw.randint(low, high)

    def chance(self, p):
        return self.draw.random() < p

    def pick(self, options):
        return options[self.draw.randrange(len(options))]

    def weighted(self, options):
        at = self.draw.random() * sum(weight for _, weight in options)
        for option, weight in options:
            at -= weight
            if at < 0:
                return option
        return options[-1][0]

    def write(self, table, *args):
        """One of the forms of the table that apply and whose text is not too long."""
        forms = [(form, form.weight) for form in table.values() if self.has(form)]
        for _ in range(30):
            found = self.weighted(forms)
            census = set(self.census)
            e = found.write(self, *args)
            if e is not None and len(e.text) <= 110:
                self.mark(found.name)
                return e
            self.census.clear()
            self.census.update(census)
        return next(
            e for e in iter(lambda: forms[0][0].write(self, *args) or Expression('1.0'), None)
        )

    # Names and scope.

    def mark(self, name):
        self.census.add(name)

    def fresh(self, base=None):
        base = base or self.pick(
            ['a', 'b', 'c', 'd', 'p', 'q', 'r', 'u', 'rate', 'level', 'gain', 'state', 'bx', 'y']
        )
        name, k = base, 1
        while name in self.taken:
            k += 1
            name = f'{base}{k}'
        self.taken.add(name)
        return name

    def define(self, name, kind, **fields):
        variable = Variable(name, kind, **fields)
        if kind == 'int':
            variable.bound = max(abs(variable.low), abs(variable.high), 1)
        self.scope[name] = variable
        self.taken.add(name)
        return variable

    def variables(self, kind):
        """Those in scope, as they may be anywhere in a loop that is being written."""
        found = [v for v in self.scope.values() if v.kind == kind]
        if self.loops and kind in ('float', 'array'):
            return [dataclasses.replace(v, bound=max(v.bound, TAME)) for v in found]
        return found

    def shape(self, rank=None):
        """The shape of an array to make: one that exists or one from the program's dimensions."""
        if not self.dims:
            return None
        known = [
            v.shape
            for v in self.scope.values()
            if v.kind == 'array' and rank in (None, len(v.shape))
        ]
        if known and self.chance(0.7):
            return self.pick(known)
        rank = rank or self.weighted([(1, 3), (2, 1.5)])
        if rank == 2 and self.chance(0.15):
            return (self.pick(self.dims), 1)
        return tuple(self.pick(self.dims) for _ in range(rank))

    # Lines.

    def line(self, text):
        self.lines.append('    ' * self.depth + text)
        self.budget -= 1

    @contextlib.contextmanager
    def indented(self):
        self.depth += 1
        lines = len(self.lines)
        yield
        if len(self.lines) == lines:
            self.line('pass')
        self.depth -= 1

    @contextlib.contextmanager
    def looping(self, trips):
        self.loops.append(trips)
        if len(self.loops) > 1:
            self.mark('nested_loop')
        if len(self.loops) > 2:
            self.mark('nested_loop_3')
        yield
        self.loops.pop()

    def block(self, count):
        for _ in range(count):
            self.statement()

    def statement(self):
        deep = self.depth <= 3 and self.budget > 0
        if self.budget < -8:
            return
        table = [
            (form, form.weight)
            for form in STATEMENTS.values()
            if self.has(form) and (deep or not form.write.deep)
        ]
        for _ in range(20):
            found = self.weighted(table)
            if found.write(self) is not False:
                self.mark(found.name)
                return
        STATEMENTS['assign_new'].write(self)

    # Returns.

    def return_statement(self, depth, missing=()):
        """A return of the function's kind; the last one adds the parameters that reached
        nothing."""
        tame = len(self.call_stack) > 1
        parts = (
            ['float', 'float']
            if self.result == 'pair'
            else self.result
            if isinstance(self.result, list)
            else [self.result]
        )
        texts = []
        for k, part in enumerate(parts):
            e = number(self, depth) if part == 'float' else array(self, part, depth)
            for v in missing if k == 0 else ():
                e = self.with_missing(e, v)
            e = squashed(self, e, TAME if tame else 50.0, array=part != 'float')
            texts.append(e.text if e.level > 20 or len(parts) == 1 else f'({e.text})')
        if len(parts) > 1:
            self.mark('return_tuple')
        elif parts[0] != 'float':
            self.mark('return_array')
        self.line(f'return {", ".join(texts)}')

    def with_missing(self, e, v):
        if v.kind == 'array':
            more = self.pick(
                [
                    f'np.sum({v.name})',
                    f'0.5 * np.sum({v.name} ** 2)',
                    f'np.mean({v.name})',
                    f'{v.name}.sum()',
                ]
            )
            bound = v.bound**2 * math.prod(v.shape) + v.bound * math.prod(v.shape)
        else:
            more, bound = (
                self.pick([v.name, f'0.7 * {v.name}', f'{v.name} * {v.name}']),
                v.bound**2 + v.bound,
            )
        both = joined(e, Expression('', uses=v.uses))
        return Expression(f'{e.at(60)} + {more}', 60, e.bound + bound, both)


def combined(w):
    """Variables that are worth returning: of the latest the ones that depend on most."""
    return sorted(
        (v for v in w.scope.values() if v.kind == 'float' and not v.fixed),
        key=lambda v: len(v.uses),
    )[-2:]


def write_helper(draw, features, dims, helpers, census, k):
    result = draw.choice(['float', 'float', 'float', 'pair', 'pair', 'array', 'array'])
    if result == 'array':
        result = (draw.choice(dims),) if dims else 'float'
    name = draw.choice(['helper', 'force', 'smooth', 'step_of']) + str(k)
    w = Writer(draw, features, dims, helpers, census, ['f', name], result)
    w.budget = w.integer(0, 7)
    parameters = [Parameter(w.fresh(base)) for base in ('x', 'y')[: w.integer(1, 2)]]
    if isinstance(result, tuple) or (dims and w.chance(0.3)):
        parameters.insert(
            w.integer(0, 1),
            Parameter(w.fresh('v'), result if isinstance(result, tuple) else (w.pick(dims),)),
        )
    if w.chance(0.4):
        parameters.append(
            Parameter(w.fresh('weight'), default=w.pick(['0.5', 'RATE', '1.5', '-0.7']))
        )
    if w.chance(0.15):
        parameters.append(Parameter(w.fresh('scale'), default='0.8', keyword_only=True))
    for p in parameters:
        uses = frozenset({p.name})
        w.define(p.name, 'float' if p.shape is None else 'array', shape=p.shape, uses=uses)
        w.parameters.add(p.name)
    if w.chance(0.75):
        STATEMENTS['store_place'].write(w)
    w.block(w.weighted([(0, 3), (1, 2), (2, 2), (3, 1)]))
    if w.chance(0.3):
        STATEMENTS['return_early'].write(w)
    own = [p.name for p in parameters]
    w.return_statement(2, missing_of(w, own, 0.9))
    writes = frozenset(p.name for p in parameters if p.shape and p.name in w.written)
    text = header(name, parameters) + '\n' + '\n'.join(w.lines)
    return Helper(name, parameters, result, writes), text


def missing_of(w, names, chance):
    """Parameters (or parts of them) that no variable worth returning depends on, and those
    variables themselves."""
    best = combined(w)
    reached = frozenset().union(*(v.uses for v in best)) if best else frozenset()
    own = [w.scope[name] for name in names if name in w.scope]
    return best[-2:] + [
        v for v in own if not v.uses & reached and v.kind in ('float', 'array') and w.chance(chance)
    ]


def header(name, parameters):
    texts, star = [], False
    for p in parameters:
        if p.keyword_only and not star:
            texts.append('*')
            star = True
        texts.append(f'{p.name}={p.default}' if p.default else p.name)
    return f'def {name}({", ".join(texts)}):'


def write_program(draw, label, features=FOUNDATION, sets=2):
    """One draw; it may have to be drawn again."""
    census = set()
    dims = (
        draw.sample([1, 2, 3, 4], 2)
        if draw.random() < 0.3
        else draw.choice([[3, 2], [3, 4], [2, 3], [3], [2]])
    )
    dims = dims if draw.random() < 0.8 else []
    if '-dimension_1' in features:
        dims = [n for n in dims if n > 1]
    if 1 in dims:
        census.add('dimension_1')
    helpers, texts = [], []
    for k in range(draw.choice([0, 0, 1, 1, 2])):
        helper, text = write_helper(draw, features, dims, list(helpers), census, k)
        helpers.append(helper)
        texts.append(text)

    kinds = ['float'] * 6 + (['tuple'] + ['array'] * 2 if dims else ['pair'])
    result = draw.choice(kinds)
    if result == 'array':
        result = tuple(draw.choice(dims) for _ in range(draw.choice([1, 1, 2])))
    elif result == 'tuple':
        result = ['float', (draw.choice(dims),)]
    w = Writer(draw, features, dims, helpers, census, ['f'], result)
    w.may_raise = w.chance(0.25) and w.allows('raises')

    parameters, values = [], []

    def parameter(name, value, kind, **fields):
        parameters.append(Parameter(name, fields.get('shape')))
        values.append(value)
        uses = frozenset({name}) if kind in ('float', 'array') else frozenset()
        w.define(name, kind, uses=uses, **fields)
        w.parameters.add(name)

    for name in ['x', 'y', 'z'][: w.weighted([(0, 1 if dims else 0), (1, 4), (2, 3), (3, 1)])]:
        whole = w.chance(0.04) and w.allows('int_for_float')
        if whole:
            w.mark('int_for_float')
        parameter(name, ('whole',) if whole else ('real',), 'float')
    if dims:
        for base in ['v', 'w', 'A'][: w.weighted([(1, 4), (2, 3), (3, 1)])]:
            shape = w.shape(2 if base == 'A' else w.weighted([(1, 3), (2, 1)]))
            parameter(base, ('array', *shape), 'array', shape=shape)
            w.mark('argument_matrix' if len(shape) == 2 else 'argument_vector')
    inputs = [p.name for p in parameters]
    if w.chance(0.4) and w.allows('argument_container'):
        methods = w.chance(0.35) and w.allows('argument_with_methods')
        make = programs_objects.machine_parameter if methods else container_parameter
        name, maker, parts = make(w)
        parameters.append(Parameter(name))
        values.append(maker)
        w.taken.add(name)
        for text, kind, shape in parts:
            w.define(text, kind, shape=shape, uses=frozenset({text}), fixed=True)
            w.parameters.add(text)
            inputs.append(text)
    active = len(parameters)
    if w.chance(0.3) and w.allows('argument_int'):
        low, high = w.pick([(0, 3), (1, 2), (2, 3), (0, 1)])
        parameter('n', ('int', low, high), 'int', low=low, high=high)
        w.mark('argument_int')
    if dims and w.chance(0.3) and w.allows('argument_int_array'):
        size = w.pick(dims)
        parameter('ks', ('ints', size), 'int_array', shape=(size,), low=0, high=1, bound=1.0)
        w.mark('argument_int_array')
    if w.chance(0.2):
        parameters.append(Parameter('rate', default=w.pick(['0.25', 'RATE', '-0.6', '1'])))
        w.define('rate', 'float', bound=1.0)
        w.mark('argument_default')

    before = w.integer(0, 2)
    w.block(before)
    if w.chance(OBJECTS):
        programs_objects.write_constructs(w)
    w.block(w.integer(2, 6) - before)
    if w.may_raise and w.chance(0.3):
        w.mark('raises_here') if STATEMENTS['raises_here'].write(w) is not False else None
    w.return_statement(2, missing_of(w, inputs, 0.93))

    wrt = tuple(range(active))
    if active > 1 and w.chance(0.2):
        wrt = (w.integer(0, active - 1),)
        w.mark('wrt_one')
    if 'nested_loop' not in census and any(line.startswith(' ' * 16) for line in w.lines):
        w.mark('depth_3')
    given = [arguments_for(draw, values) for _ in range(sets)]
    if 'argument_default' in census and w.chance(0.5):
        given = [(*args, draw.uniform(-1, 1)) for args in given]
    source = HEAD.format(label=label) + ''.join(
        f'\n\n{text}\n'
        for text in [
            *texts,
            *programs_objects.definitions(w),
            header('f', parameters) + '\n' + '\n'.join(w.lines),
        ]
    )
    return Program(label, source, given, wrt, frozenset(census), result)


def arguments_for(draw, values):
    makers = {
        'real': lambda: draw.uniform(-1.5, 1.5),
        'whole': lambda: draw.choice([-1, 1, 2]),
        'int': draw.randint,
        'ints': lambda size: np.array([draw.randint(0, 1) for _ in range(size)]),
        'array': lambda *shape: np.array(
            [draw.uniform(-1.5, 1.5) for _ in range(math.prod(shape))]
        ).reshape(shape),
        'container': lambda kind, parts: built(kind, parts, made),
    }

    def made(maker):
        kind, *fields = maker
        return makers[kind](*fields)

    return tuple(map(made, values))


# What makes a draw a program.


def judged(program):
    """Runs a program by itself and by the oracle, and keeps the answers. Returns whether it is fit
    to be tested."""
    f = program.compiled()
    program.answers, program.prints, program.after = [], [], []
    for args in program.argument_sets:
        out, given = io.StringIO(), copy.deepcopy(args)
        program.after.append(given)
        try:
            with contextlib.redirect_stdout(out), np.errstate(all='ignore'):
                value = copy.deepcopy(f(*given))
        except RecursionError:
            return False
        except Exception as problem:
            if isinstance(problem, (ArithmeticError, ValueError)) and 'stores' in program.census:
                return False  # a helper has written what the same expression reads
            if 'raises' not in program.census:
                raise
            program.answers.append(type(problem))
            program.prints.append(out.getvalue())
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                answer = oracle.differentiate(f, args, program.wrt)
        except (oracle.NotInOracle, np.exceptions.DTypePromotionError, TypeError) as problem:
            if not program.census & WRITES:
                raise
            program.problem = problem  # a Dual is written into an array of plain floats
            return False
        numbers = [np.asarray(x) for x in (value if isinstance(value, tuple) else (value,))]
        if not all(np.all(np.isfinite(x)) for x in numbers) or not np.all(
            np.isfinite(answer.jacobian)
        ):
            return False
        if answer.nearest < NEAREST or np.max(np.abs(answer.jacobian), initial=0.0) > STEEPEST:
            return False
        if oracle.error(answer.value, value) > 1e-12:
            return False  # so unstable that the order of a sum shows
        answer.value = value
        program.answers.append(answer)
        program.prints.append(out.getvalue())
    return True


def program(seed, features=FOUNDATION, sets=2):
    """The program of that number: the first fit draw."""
    for attempt in range(50):
        draw = random.Random(f'{seed}/{attempt}')
        found = write_program(draw, seed, features, sets)
        if judged(found):
            return found
    raise AssertionError(f'no fit program for {seed}')


def programs(features=FOUNDATION):
    """A hypothesis strategy of fit programs. It draws number by number, so failures shrink."""
    from hypothesis import strategies as st

    return (
        st.randoms(use_true_random=False)
        .map(lambda draw: write_program(draw, 'drawn', features))
        .filter(judged)
    )
