#!/bin/sh
# Brings up deploy/compose.yaml: passwords when there are none, the image, and everything in its order. Options go to `up`.
set -eu
here=$(dirname "$0")
"$here/make-secrets.sh"
exec docker compose --file "$here/compose.yaml" up --build --detach --wait "$@"
