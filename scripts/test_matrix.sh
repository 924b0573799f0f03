#!/bin/sh
# The tests under every supported gymnasium on every Python found here, in environments below .matrix/.
# A different choice: PYTHONS="3.10 3.13" GYMNASIUMS="1.0.0" sh scripts/test_matrix.sh
set -eu
cd "$(dirname "$0")/.."
pythons=${PYTHONS:-3.10 3.11 3.12 3.13}
gymnasiums=${GYMNASIUMS:-1.0.0 1.2.2 newest}
tried=0

find_python() { # VERSION: the first one that runs, on the path or of pyenv
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if "$candidate" -c '' 2>/dev/null; then echo "$candidate"; return; fi
    done
}

requirements() { # PYTHON GYMNASIUM: the oldest corner also proves the lower bound on numpy
    case "$2" in
        newest) echo "gymnasium>=1.0,<2" ;;
        *) echo "gymnasium==$2" ;;
    esac
    if [ "$1 $2" = "3.10 1.0.0" ]; then echo "numpy==1.26.0"; fi
}

for version in $pythons; do
    python=$(find_python "$version")
    if [ -z "$python" ]; then
        echo "== Python $version: not found here, left out"
        continue
    fi
    for gymnasium in $gymnasiums; do
        echo "== Python $version, gymnasium $gymnasium"
        venv=.matrix/py$version-gymnasium-$gymnasium
        [ -x "$venv/bin/python" ] || sh scripts/make_venv.sh "$python" "$venv"
        # shellcheck disable=SC2046 # one argument per requirement
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade \
            $(requirements "$version" "$gymnasium") --editable ".[test]"
        "$venv/bin/python" -m pytest -q -n auto -m "not slow and not rl" -p no:cacheprovider
        tried=$((tried + 1))
    done
done
[ "$tried" -gt 0 ] || { echo "acoe_gym: none of these Pythons runs here: $pythons" >&2; exit 1; }
echo "== $tried combinations passed"
