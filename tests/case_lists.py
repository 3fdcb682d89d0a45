"""Lists of functions with their arguments, filled by a decorator."""


def case_list():
    """An empty list, and the decorator that adds (function, arguments, what is differentiated)."""
    cases = []

    def case(*arguments, wrt=(0,)):
        def registered(f):
            cases.append((f, arguments, wrt))
            return f

        return registered

    return cases, case
