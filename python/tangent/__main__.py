"""`python -m tangent COMMAND`: see `tangent._commands`."""

import sys

from tangent._commands import main

if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
