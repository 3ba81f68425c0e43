"""Completion in bash, which takes `delta-rs-python@1.6.6` and `delta.appendOnly=true` for several words.

click's script hands on the words as bash has cut them, so that nothing was found behind `@`, `=` and `:`.
"""

from __future__ import annotations

import os

from click.shell_completion import BashComplete, split_arg_string

SCRIPT = """\
%(complete_func)s() {
    local IFS=$'\\n'
    local line="${COMP_LINE:0:COMP_POINT}" breaks="${COMP_WORDBREAKS//[^=@:]/}" head="" type value answer
    local word="${line##*[[:space:]]}"
    [[ $word == --*=* ]] && word="${word#*=}"
    # What stands before the last such character is on the line already, and bash leaves it there.
    [[ -n $breaks && $word == *["$breaks"]* ]] && head="${word%%"${word##*["$breaks"]}"}"
    COMPREPLY=()
    for answer in $(env COMP_WORDS="$line" COMP_CWORD= %(complete_var)s=bash_complete "$1"); do
        IFS=',' read -r type value <<< "$answer"
        if [[ $type == dir ]]; then
            compopt -o dirnames
        elif [[ $type == file ]]; then
            compopt -o default
        elif [[ $type == plain ]]; then
            COMPREPLY+=("${value#"$head"}")
        fi
    done
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeWordsInBash(BashComplete):
    """As click completes in bash, by the line as it is typed."""

    source_template = SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is typed, and that one."""
        if os.environ.get("COMP_CWORD"):
            return super().get_completion_args()
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        typed = "" if not words or line[-1:].isspace() else words.pop()
        return words[1:], typed
