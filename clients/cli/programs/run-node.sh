#!/bin/sh
# Runs a program under the Node that npm has installed here, or else the user's own. Says what is
# missing if that cannot run, which a program of JavaScript could not.
majorMin=26
modules=$(cd "$(dirname "$0")/../../.." && pwd)/node_modules
PATH=$modules/.bin:$PATH
# Programs keep their compiled modules: `npm start` prints its link after 3.2 s instead of 4.0.
: "${NODE_COMPILE_CACHE=$modules/.cache/compiled}"
export PATH NODE_COMPILE_CACHE

fail() {
  echo "stowage: Cannot run Node: $1" >&2
  exit 1
}

if ! version=$(node --version 2>&1); then
  case $version in
    *libatomic*)
      fail "need the library libatomic: apt-get install libatomic1, or dnf install libatomic" ;;
    *) fail "$version" ;;
  esac
fi
major=${version#v}
[ "${major%%.*}" -ge "$majorMin" ] ||
  fail "got $version, need Node $majorMin or newer, which npm ci installs on Linux"
exec node "$@"
