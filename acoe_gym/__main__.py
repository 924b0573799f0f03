"""``python -m acoe_gym`` is the command ``acoe``."""

import sys

from acoe_gym.cli import main

if __name__ == "__main__":
    sys.exit(main())
