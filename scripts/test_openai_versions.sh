#!/bin/sh
# The tests of the endpoint under every major version of the openai SDK, the oldest that works first, in
# environments below .matrix/. A different choice: OPENAIS="1.99.9" PYTHON=python3.12 sh scripts/test_openai_versions.sh
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
openais=${OPENAIS:-oldest 1 2 3}

requirements() { # VERSION: the oldest corner proves the lower bounds of the extra
    case "$1" in
        oldest) echo "openai==1.55.3 tenacity==8.2.0" ;;
        *.*) echo "openai==$1 tenacity" ;;
        *) echo "openai==$1.* tenacity" ;;
    esac
}

for openai in $openais; do
    echo "== openai $openai"
    venv=.matrix/openai-$openai
    [ -x "$venv/bin/python" ] || sh scripts/make_venv.sh "$python" "$venv"
    # shellcheck disable=SC2046 # one argument per requirement
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade \
        $(requirements "$openai") pytest hypothesis --editable ".[llm]"
    "$venv/bin/python" -c 'from importlib.metadata import version as v; print("openai", v("openai"), "tenacity", v("tenacity"), "pydantic", v("pydantic"))'
    "$venv/bin/python" -m pytest -q tests/llm/test_llm_policy.py -p no:cacheprovider
done
