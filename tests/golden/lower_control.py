"""Control flow, as the user writes it and as the core program has it."""

import numpy as np


def straight(x, y):
    a = x * y + 1.0
    b = a - x / (y * y + 1.0)
    return a * b


def early_return(x):
    if x > 1.0:
        return x * 2.0
    y = x + 1.0
    return y * y


def early_returns(x):
    if x > 2.0:
        return 1.0
    if x > 1.0:
        y = x
        return y
    elif x > 0.0:
        x = x + 1.0
    else:
        x = x - 1.0
    return x


def return_of_one_path(x, y):
    if x > 0.0:
        if y > 0.0:
            return x
        x = x + y
    return x * y


def return_without_flag(x, y):
    if x > 0.0:
        if y > 0.0:
            return x
        x = x + y
    return x


def return_both_arms(x):
    if x > 0.0:
        return x
    else:
        return -x


def missing_return(x):
    if x > 0.0:
        return x
    x = x + 1.0


def bare_return(x):
    if x > 0.0:
        return
    print(x)
    return x


def nothing(x):
    pass


def documented(x):
    """Only text."""
    pass
    return x


def dead_code(x):
    return x
    x = 2.0
    return x


def return_in_loop(x, level):
    for i in range(5):
        x = x * 1.5
        if x > level:
            return x + i
    return x


def returns_in_loop(x, level):
    for i in range(5):
        x = x * 1.5
        if x > level:
            return x + i
        if x < -level:
            return x
    return 0.0


def return_in_nested_loops(x, level):
    for i in range(4):
        for j in range(4):
            x = x + 0.5 * j
            if x > level:
                return x * i
        x = x - 1.0
    return x


def return_from_endless_loop(x):
    n = 0
    while True:
        x = x * 0.5
        n += 1
        if x < 1.0:
            return x + n


def return_or_break(x):
    while True:
        x = x * 0.5
        if x < -2.0:
            return x
        if x < 1.0:
            break
    return x + 1.0


def return_first_row(rows):
    for row in rows:
        return row
    return -1.0


def break_out(x, level):
    total = 0.0
    for i in range(6):
        x = x * 1.1
        if x > level:
            break
        total = total + x * x
    if total == 0.0:
        return x
    return total / x


def continue_one_armed(x):
    total = 0.0
    for i in range(6):
        if i % 2 == 0:
            continue
        total = total + x * i
    return total


def continue_first_then_more(x):
    total = 0.0
    for i in range(6):
        if i % 2 == 0:
            total = total - x
            continue
        total = total + x * i
    return total


def continue_nested(x):
    total = 0.0
    for i in range(6):
        if i > 1:
            if i == 3:
                continue
            total = total + 1.0
        total = total + x * i
        x = x * 1.5
    return total


def continue_two(x):
    total = 0.0
    for i in range(8):
        if i > 1:
            if i == 3:
                continue
            total = total + 1.0
        if x > 4.0:
            if i == 5:
                continue
            total = total - x
        total = total + x * i
        x = x * 1.5
    return total


def continue_last(x):
    for i in range(3):
        x = x + i
        continue
    return x


def continue_only(x):
    for i in range(3):
        continue
    return x


def continue_in_else(x):
    for i in range(6):
        if i < 3:
            x = x * 2.0
        else:
            continue
        x = x + 1.0
    return x


def continue_in_while(x):
    n = 0
    while n < 5:
        n += 1
        if n == 2:
            continue
        x = x + n
    return x


def loop_else(x, level):
    for i in range(4):
        x = x * 1.5
        if x > level:
            break
    else:
        x = -x
    return x


def loop_else_without_break(x):
    for i in range(3):
        x = x + i
    else:
        x = x * 2.0
    return x


def while_else(x):
    n = 0
    while x > 1.0:
        x = x * 0.5
        n += 1
        if n == 3:
            break
    else:
        return x
    return x * 100.0


def while_else_with_statements(x):
    while (y := x * 0.5) > 1.0:
        x = y
        if x > 50.0:
            break
    else:
        x = x + 1000.0
    return x + y


def else_of_inner_loop_continues(x):
    total = 0.0
    for i in range(4):
        for j in range(4):
            total = total + x
            if j == i:
                break
        else:
            continue
        total = total * 2.0
    return total


def else_of_inner_loop_breaks(x):
    total = 0.0
    for i in range(4):
        for j in range(i):
            total = total + x
            if j == 1:
                break
        else:
            total = total + 1.0
            if total > 5.0:
                break
        total = total * 2.0
    return total


def return_in_loop_with_else(x, level):
    for i in range(4):
        x = x * 1.5
        if x > level:
            return i
        if x < -level:
            break
    else:
        return x
    return -1.0


def loop_variable_after(x):
    for i in range(4):
        x = x + i
    return x * i


def loop_variable_overwritten(x):
    total = 0.0
    for i in range(4):
        i = i * x
        total = total + i
    return total


def loop_over_pairs(x):
    total = 0.0
    for i, (a, b) in enumerate(zip((1.0, 2.0), (3.0, x))):
        total = total + i * a * b
    return total


def loop_reversed(x):
    for i in reversed(range(2, 5)):
        x = x * i - 1.0
    return x


def loop_over_display(x):
    total = 0.0
    for t in (x, 2.0, x * x):
        total = total + t
    return total


def while_condition(x):
    while x > 1.0 and x < 100.0:
        x = x * 0.5
    return x


def while_walrus(x):
    while (error := x * x - 2.0) > 1e-3:
        x = 0.5 * (x + 2.0 / x)
    return x + error


def chained_comparison(x):
    if 0.0 < x <= 2.0:
        return 1.0
    return 1.0 if -1.0 < x < 0.0 < x + 5.0 else 2.0


def pass_in_branch(x):
    if x > 0.0:
        pass
    else:
        x = -x
    return x


def effects_in_test(x):
    if print("tested"):
        pass
    return x


def assertion(x):
    assert x > 0.0, f"{x:.2f} is not positive"
    return np.sqrt(x)


def raising(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


def raising_from(x):
    if x < 0.0:
        raise ValueError(f"{x!r}") from None
    elif x > 10.0:
        raise OverflowError
    return x


def many_elifs(x):
    if x < 0.0:
        y = 1.0
    elif x < 1.0:
        y = 2.0
    elif x < 2.0:
        y = 3.0
    else:
        y = 4.0
    return y


def unbound(x):
    if x > 0.0:
        y = x
    return y


def shadows_builtin(x):
    max = x + 1.0
    return max * 2.0


NUMBERS = [(0.5,), (1.5,), (3.0,), (-2.0,), (40.0,), (0.0,)]
PAIRS = [(0.5, 2.0), (1.5, -1.0), (3.0, 20.0), (-2.0, 2.0), (0.0, 0.0), (2.0, 1.0)]
ARGUMENTS = {"return_first_row": [((1.0, 2.0),), ((),)]}

EXPECTED: dict[str, str] = {
    "early_return": """\
def early_return(x):
    if x > 1.0:
        return x * 2.0
    else:
        y = x + 1.0
        return y * y
""",
    "early_returns": """\
def early_returns(x):
    if x > 2.0:
        return 1.0
    elif x > 1.0:
        y = x
        return y
    else:
        if x > 0.0:
            x = x + 1.0
        else:
            x = x - 1.0
        return x
""",
    "return_of_one_path": """\
def return_of_one_path(x, y):
    returned = False
    if x > 0.0:
        if y > 0.0:
            result = x
            returned = True
        else:
            x = x + y
    if returned:
        return result
    else:
        return x * y
""",
    "return_in_loop": """\
def return_in_loop(x, level):
    returned = False
    for i in range(5):
        x = x * 1.5
        if x > level:
            returned = True
            break
    if returned:
        return x + i
    else:
        return x
""",
    "returns_in_loop": """\
def returns_in_loop(x, level):
    returned = False
    for i in range(5):
        x = x * 1.5
        if x > level:
            result = x + i
            returned = True
            break
        if x < -level:
            result = x
            returned = True
            break
    if returned:
        return result
    else:
        return 0.0
""",
    "return_in_nested_loops": """\
def return_in_nested_loops(x, level):
    returned = False
    for i in range(4):
        for j in range(4):
            x = x + 0.5 * j
            if x > level:
                returned = True
                break
        if returned:
            break
        x = x - 1.0
    if returned:
        return x * i
    else:
        return x
""",
    "return_from_endless_loop": """\
def return_from_endless_loop(x):
    n = 0
    while True:
        x = x * 0.5
        n += 1
        if x < 1.0:
            break
    return x + n
""",
    "continue_one_armed": """\
def continue_one_armed(x):
    total = 0.0
    for i in range(6):
        if not i % 2 == 0:
            total = total + x * i
    return total
""",
    "continue_nested": """\
def continue_nested(x):
    total = 0.0
    for i in range(6):
        skipped = False
        if i > 1:
            if i == 3:
                skipped = True
            else:
                total = total + 1.0
        if not skipped:
            total = total + x * i
            x = x * 1.5
    return total
""",
    "loop_else": """\
def loop_else(x, level):
    broke = False
    for i in range(4):
        x = x * 1.5
        if x > level:
            broke = True
            break
    if not broke:
        x = -x
    return x
""",
    "while_else_with_statements": """\
def while_else_with_statements(x):
    while True:
        y = x * 0.5
        if not y > 1.0:
            x = x + 1000.0
            break
        x = y
        if x > 50.0:
            break
    return x + y
""",
    "while_walrus": """\
def while_walrus(x):
    while True:
        error = x * x - 2.0
        if not error > 1e-3:
            break
        x = 0.5 * (x + 2.0 / x)
    return x + error
""",
    "loop_over_pairs": """\
def loop_over_pairs(x):
    total = 0.0
    for i, pair in enumerate(zip((1.0, 2.0), (3.0, x))):
        a, b = pair
        total = total + i * a * b
    return total
""",
}
