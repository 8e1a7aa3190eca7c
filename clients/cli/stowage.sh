#!/bin/sh
# The command `stowage`.
cli=$(dirname "$(readlink -f "$0")")
exec "$cli/programs/run-node.sh" "$cli/main.ts" "$@"
