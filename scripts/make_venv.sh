#!/bin/sh
# make_venv.sh PYTHON FOLDER: a virtual environment, or one line that says what is missing.
set -eu
python=$1
venv=$2
another="name another with 'make PYTHON=python3.12 ...'"

stop() { echo "acoe_gym: $1" >&2; exit 1; }

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
    stop "expected Python 3.10 or newer, '$python' does not run; $another"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    stop "expected Python 3.10 or newer, '$python' is $version; $another"
# An older environment is made anew; any other folder of that name is not ours to clear.
[ ! -e "$venv" ] || [ -f "$venv/pyvenv.cfg" ] ||
    stop "expected '$venv' to be absent or a virtual environment, found something else; name another with 'make VENV=...'"
# Debian's python3 has venv but not ensurepip, so that making the environment fails half-way.
if ! "$python" -m venv --clear "$venv" >/dev/null 2>&1; then
    rm -rf "$venv"
    stop "'$python -m venv' failed, most likely for want of ensurepip: run 'apt-get install python3-venv' as root, or 'virtualenv -p $python $venv', then make again"
fi
