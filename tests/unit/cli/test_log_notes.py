"""Records of the library are notes on one line, and steer no terminal."""

from __future__ import annotations

import subprocess
import sys


def test_logged_texts_do_not_control_the_terminal() -> None:
    program = (
        "import logging, sys\n"
        "from deltaresolver.cli.error_output import logged_as_notes\n"
        "from deltaresolver.errors import LogGapError\n"
        "with logged_as_notes():\n"
        "    try:\n"
        "        raise LogGapError('gap in \\x1b[2Jt', fix='x', details={})\n"
        "    except LogGapError:\n"
        "        logging.getLogger('deltaresolver.log').warning('lost %s', 'a\\x1b]0;x\\x07b', exc_info=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "note: lost a?]0;x?b DR413: gap in ?[2Jt\n"
