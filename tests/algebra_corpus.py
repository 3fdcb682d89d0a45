"""Expressions for the rules of algebra: what people write, and what differentiating that gives.

`WRITTEN` is a list of formulas as they come up; `generated` adds random ones of a fixed seed. Names
are a, b, c, x, y, z; functions those of NumPy, by their bare names.
"""

from __future__ import annotations

import random

WRITTEN = """
x*1 + 0
0*x + y
x + x
x - x + y
x*x*x
x*y/x
2*x + 3*x
x/2 + x/2
(x + y) - y
-(-x)
x - (y - z)
a*b + a*c
a*b + a*c + a
a*x + b*x + c*x
2*a + 2*b
x*y + x*z - x*w
a*x**2 + b*x
x**2*y + x*y**2
x**3 + x**2 + x
x**3 - 2*x**2 + 3*x - 1
4*x**3 - 6*x**2 + 2*x
(x + 1)**2 - x**2 - 2*x - 1
(x + 1)*(x - 1) + 1
(x + y)**2 - (x - y)**2
(x + y)*(x - y)
(a + b)*c - a*c
x*(y + z) - x*y
(x**2 - 1)/(x - 1)
(x**2 + 2*x + 1)/(x + 1)
(x**3 - y**3)/(x - y)
(a*x + b*x)/(a + b)
x/(x*y)
a/b*b
a/b/c
a/(b/c)
(a/b)*(b/a)
a/x + b/x
a/x - b/x + c/x
x**2/x
x**3/x**2
1/(1/x)
x**2*x**3
(x**2)**3
(x*y)**2/y
x*x**-1
a*b*c/(a*c)
sin(x)**2 + cos(x)**2
b*sin(x)**2 + b*cos(x)**2
1 - sin(x)**2
1 - cos(x)**2
y - y*cos(x)**2
sin(x)*cos(x) + cos(x)*sin(x)
sin(x)**2 + cos(x)**2 + y
x*sin(y)**2 + x*cos(y)**2 + z
2*sin(x)*cos(x)
cos(x)**2 - sin(x)**2
sin(x)/cos(x)
cos(x)*tan(x)
sin(-x)
cos(-x)
sin(x)*sin(y) + sin(x)*cos(y)
sin(x + 0)*1
exp(x)*exp(y)
exp(x)/exp(y)
exp(x)*exp(-x)
exp(x)**2
exp(2*x)/exp(x)
a*exp(x) + b*exp(x)
exp(x)*exp(y)*exp(z)
log(exp(x))
exp(log(x))
exp(log(x) + log(y))
log(exp(x)*exp(y))
exp(-log(x))
exp(0*x)
exp(x)*x + exp(x)
exp(x) - exp(x)*y
exp(-x)*exp(x)*y
exp(-x**2)*x*exp(x**2)
sqrt(x)**2
sqrt(x)*sqrt(x)*y
sqrt(x)*sqrt(y)
x/sqrt(x)
sqrt(x**2*y)/sqrt(y)
sqrt(x)*x/sqrt(x)
cosh(x)**2 - sinh(x)**2
sinh(x)/cosh(x)
cosh(x) + sinh(x)
tanh(x)*cosh(x)
1 - tanh(x)**2
x*(1 - tanh(y)**2)
1/(1 + exp(-x))
exp(-x)/(1 + exp(-x))**2
a*(1 - a)
x*y*(1 - y) + z*y*(1 - y)
2*x*exp(x**2)
exp(x**2)*2*x + 2*x
cos(x*x)*2*x + sin(x)*0
exp(sin(x))*cos(x)*y
x*exp(x)*y + exp(x)*y
(sin(x)*x + cos(x))*1.0
cos(x)*x + sin(x) - sin(x)
x**2*cos(x) + 2*x*sin(x)
log(x)*y + y
1/x*x*y
(log(x) + 1)*y - y
y/(x*log(x))
0.5*y/sqrt(x) + 0.5*z/sqrt(x)
2*(x - a)*1.0 + 2*(x - b)
2*(a*x + b - y)*x
2*(a*x + b - y)*x + 2*(a*x + b - y)
(x - a)/b/b*-1
-0.5*(x - a)**2/b**2*2
(x - a)**2/b**3 - 1/b
y*(x - a)/s**2
x/(x**2 + y**2)
-y/(x**2 + y**2)*x + x*y/(x**2 + y**2)
a*b*x + a*b*y + a*b*z
3*x**2 + 6*x*y + 3*y**2
x*y*z + x*y + x
1 + x + x**2/2 + x**3/6
x - x**3/6 + x**5/120
a*x + a*y + b*x + b*y
a*c + a*d + b*c + b*d
(x + 1)*(x + 2) - x**2
x*(x*(x + 1) + 1) - x**3
(a + b)**2 - a**2 - b**2
a**2 - 2*a*b + b**2
(1 - x)*(1 + x)
1 - (1 - x)
x - (x - y)*1
k*(x - y) - k*(y - x)
-k*x - c*v - -k*x
0.5*m*v**2 + 0.5*m*w**2
G*m*n/r**2*r
m*a - m*b - m*(a - b)
p*q/(p + q) + 0
""".split('\n')[1:-1]  # noqa: SIM905


def generated(count: int, seed: int = 6) -> list[str]:
    """Random sums and products of names, small powers and function calls."""
    rng = random.Random(seed)

    def factor(depth: int) -> str:
        kind = rng.random()
        if depth == 0 or kind < 0.55:
            return rng.choice('xyzab')
        if kind < 0.7:
            return f'{rng.choice("xyz")}**{rng.choice((2, 3))}'
        if kind < 0.8:
            return str(rng.choice((2, 3, 0.5, 1.4, 0.3)))
        if kind < 0.92:
            return f'{rng.choice(("sin", "cos", "exp", "tanh"))}({total(depth - 1)})'
        return f'({total(depth - 1)})'

    def term(depth: int) -> str:
        return '*'.join(factor(depth) for _ in range(rng.choice((1, 2, 2, 3))))

    def total(depth: int) -> str:
        text = term(depth)
        for _ in range(rng.choice((0, 1, 1, 2))):
            text += rng.choice((' + ', ' - ')) + term(depth)
        return text

    return [total(2) for _ in range(count)]
