#!/bin/sh
# check_package.sh PYTHON: build sdist and wheel, look into them, run a task from each outside this folder.
# PYTHON has the package `build`. What was built stays in dist/.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
case "$1" in
    */*) python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") ;;
    *) python=$1 ;;
esac
task=c172s/engine_restart/stopped_prop_left_tank
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "== $1"; }
stop() { echo "acoe_gym: $1" >&2; exit 1; }
files_below() { find "$@" -type f ! -path '*/__pycache__/*' ! -name '*.py[cod]' | LC_ALL=C sort; }

expect_all() { # WANTED FOUND WHERE: each line of WANTED stands in FOUND
    missing=$(LC_ALL=C comm -23 "$1" "$2")
    [ -z "$missing" ] || stop "missing in the $3: $(echo "$missing" | tr '\n' ' ')"
}

say "build"
# A file list left by an earlier build would be taken over into this one.
rm -rf dist build ./*.egg-info
"$python" -m build --outdir dist . >"$work/build.log" 2>&1 || { cat "$work/build.log"; stop "the build failed"; }
wheel=$(ls dist/*.whl)
sdist=$(ls dist/*.tar.gz)

say "contents"
"$python" -c 'import sys, zipfile; print("\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))' "$wheel" |
    LC_ALL=C sort >"$work/wheel"
"$python" -c 'import sys, tarfile; print("\n".join(n.partition("/")[2] for n in tarfile.open(sys.argv[1]).getnames()))' \
    "$sdist" | LC_ALL=C sort >"$work/sdist"
files_below acoe_gym >"$work/package"
files_below acoe_gym tests examples benchmarks docs scripts ./*.md LICENSE CITATION.cff Makefile MANIFEST.in \
    pyproject.toml ruff.toml setup.cfg | sed 's:^\./::' | LC_ALL=C sort >"$work/sources"
expect_all "$work/package" "$work/wheel" wheel
expect_all "$work/sources" "$work/sdist" sdist
if grep -E '^(envs|task_specs|wrappers)(/|$)' "$work/wheel" "$work/sdist"; then
    stop "the links at the root were packed as folders"
fi
unwanted=$(grep -v -E '^acoe_gym(-[0-9a-z.]+\.dist-info)?/' "$work/wheel" || true)
[ -z "$unwanted" ] || stop "not of the package, but in the wheel: $unwanted"
top=$("$python" -c 'import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(z.read(next(n for n in z.namelist() if n.endswith("top_level.txt"))).decode(), end="")' "$wheel")
[ "$top" = acoe_gym ] || stop "expected top_level.txt to be the one line acoe_gym, got: $top"

for archive in "$wheel" "$sdist"; do
    say "install and run $(basename "$archive")"
    venv=$work/venv
    sh scripts/make_venv.sh "$python" "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$root/$archive"
    mkdir -p "$work/empty"
    (
        cd "$work/empty"
        "$venv/bin/python" -c 'import acoe_gym, sys; sys.exit("site-packages" not in acoe_gym.__file__)' ||
            stop "acoe_gym was not imported from the installed package"
        "$venv/bin/acoe" run --policy reference --task "$task"
    )
done
say "$(basename "$sdist") and $(basename "$wheel") are sound"
