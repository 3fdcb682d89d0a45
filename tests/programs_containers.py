"""Containers of generated programs: arguments that are dicts, tuples, lists and objects, read by
constants; local ones that hold a state.

In: the `Writer` (programs.py). Out: variables whose names are the texts of the parts (`p["rate"]`,
`model.rate`, `pair[0]`), so that every expression and every store can use them."""
# ruff: noqa: B905

from programs_statements import fresh_value, statement


class Model:
    """An argument with attributes."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        fields = ', '.join(f'{name}={part!r}' for name, part in vars(self).items())
        return f'{type(self).__name__}({fields})'


class Machine(Model):
    """An argument with methods that change it."""

    def step(self, x):
        self.value = 0.5 * self.value + self.rate * x / (1.0 + x * x)
        if self.value > 0.1373:
            self.total *= 0.5
            self.total += 0.3 * self.value
        return self.value + 0.2 * self.total * x

    def damped(self, x, gain=0.5):
        return gain * self.value * x / (2.0 + x * x)


class ArrayMachine(Machine):
    """One that writes the array that it holds."""

    def push(self, x):
        self.field *= 0.5
        self.field[0] += 0.3 * self.step(x)
        for k in range(1, len(self.field)):
            self.field[k] = 0.5 * self.field[k] + 0.2 * self.field[k - 1] * self.rate
        return self.field[-1] * self.value


CLASSES = {'object': Model, 'machine': Machine, 'array_machine': ArrayMachine}


def container_parameter(w):
    """(name, how to make its value, [(text of a part, kind, shape)]) of an argument."""
    kind = w.pick(['dict', 'dict', 'tuple', 'list', 'object', 'nested'])
    fields = [('rate', None)] + [('gain', None)] * w.chance(0.4)
    if w.dims:
        fields += [('W', w.shape())] + [('b', w.shape(1))] * w.chance(0.4)
    name = {'object': 'model', 'tuple': 'pair', 'list': 'parts'}.get(kind, 'params')
    parts, makers = [], []
    for k, (key, shape) in enumerate(fields):
        text = {'dict': f'{name}["{key}"]', 'object': f'{name}.{key}', 'nested': f'{name}["{key}"]'}
        text = text.get(kind, f'{name}[{k}]')
        if kind == 'nested' and k == len(fields) - 1:
            text, key = f'{name}["layer"]["{key}"]', ('layer', key)
        parts.append((text, 'float' if shape is None else 'array', shape))
        makers.append((key, ('real',) if shape is None else ('array', *shape)))
    w.mark(f'argument_{kind}')
    return name, ('container', kind, makers), parts


def built(kind, makers, make):
    """The value of a container argument."""
    values = {key: make(maker) for key, maker in makers}
    if kind in CLASSES:
        return CLASSES[kind](**values)
    if kind in ('tuple', 'list'):
        return (tuple if kind == 'tuple' else list)(values.values())
    return {
        (key[0] if isinstance(key, tuple) else key): (
            {key[1]: value} if isinstance(key, tuple) else value
        )
        for key, value in values.items()
    }


@statement(2.2)
def local_container(w):
    """A state of several parts under one name; those of dicts and lists are bound again later."""
    kind = w.pick(['dict', 'dict', 'list', 'tuple'])
    made = [fresh_value(w, 2) for _ in range(w.integer(2, 3))]
    name = w.fresh({'dict': 's', 'list': 'parts', 'tuple': 'pair'}[kind])
    texts = [e.text if e.level > 20 else f'({e.text})' for e, _, _ in made]
    keys = ['u', 'v', 'total'][: len(made)]
    if kind == 'dict':
        w.line(f'{name} = {{{", ".join(f"{key!r}: {text}" for key, text in zip(keys, texts))}}}')
    else:
        w.line(f'{name} = {"[("[kind == "tuple"]}{", ".join(texts)}{"])"[kind == "tuple"]}')
    w.mark(f'local_{kind}')
    for k, (key, (e, kind_of, shape)) in enumerate(zip(keys, made)):
        part = f'{name}["{key}"]' if kind == 'dict' else f'{name}[{k}]'
        w.define(part, kind_of, shape=shape, bound=max(e.bound, 0.01), uses=e.uses,
                 fixed=kind == 'tuple')  # fmt: skip
    return True
