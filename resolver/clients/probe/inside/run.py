"""Carries out acts with a client, one at a time, as a process of its own in that client's environment.

    python run.py MODULE ENGINE

MODULE is one beside this file. Each line of standard input is `{"act", "table", "file"}`: a read leaves its rows in
`file` as an Arrow stream or a Parquet file, an append takes the rows there. Each line of standard output answers with
`{"ok": true}` or `{"ok": false, "error": ...}`. Nothing of this project is imported: it is not installed there.
"""

import importlib
import json
import os
import sys


def answer(module, engine, request):
    """Carry out one act; every exception counts as a refusal by the client."""
    try:
        getattr(module, request["act"])(engine, request["table"], request["file"])
    except BaseException as error:  # the panics of native libraries do not derive from Exception
        return {"ok": False, "error": "{}: {}".format(type(error).__name__, str(error).split("\n")[0][:500])}
    return {"ok": True}


def main():
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of the client must not mix with the answers
    module = importlib.import_module(sys.argv[1])
    answers.write(json.dumps({"ok": True, "version": module.versions()}) + "\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(answer(module, sys.argv[2], json.loads(line))) + "\n")
        answers.flush()
    os._exit(0)  # the runtime inside a client may hang, or end in an abort


if __name__ == "__main__":
    main()
