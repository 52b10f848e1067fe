#!/usr/bin/env bash
# Looks at an image before it is used: its size, its user, and that nothing is in it that should not be. check.sh IMAGE BASE
set -euo pipefail
image=$1 base=$2
# More than the model and the program take, with room for the next version: megabytes over the base image.
declare -A limits=([small]=700 [base]=450 [tiny]=350)
failed=0
fail() {
  printf 'image: %s\n' "$*" >&2
  failed=1
}

listing=$(mktemp)
trap 'docker rm --force "$container" >/dev/null; rm -f "$listing"' EXIT
container=$(docker create "$image")
docker export "$container" | tar --list --verbose --numeric-owner >"$listing"
has() { grep --extended-regexp --quiet -- "$1" "$listing"; }

inspect() { docker image inspect --format "$1" "$image"; }
[ "$(inspect '{{.Config.User}}')" = 10001:10001 ] || fail 'does not run as the user 10001.'
model=$(inspect '{{range .Config.Env}}{{println .}}{{end}}' | sed -n 's/^SIANN_MODEL=//p')
megabytes=$((($(inspect '{{.Size}}') - $(docker image inspect --format '{{.Size}}' "$base")) / 1000000))
[ "$megabytes" -le "${limits[$model]}" ] || fail "is $megabytes MB larger than its base; at most ${limits[$model]} for the model $model."
inspect '{{range .Config.Env}}{{println .}}{{end}}' | grep --extended-regexp --ignore-case 'password|secret|token|://[^/]*:[^/]*@' && fail 'has a secret in its environment.'
docker history --no-trunc --format '{{.CreatedBy}}' "$image" | grep --extended-regexp --ignore-case 'password=|secret=|_authToken|://[^/ ]*:[^/ ]*@' && fail 'has a secret in its history.'

has ' (\./)?(root|home/[^/]+|app|data|tmp)/(.*/)?\.[a-z_]*history$' && fail 'has the history of a shell.'
has ' (\./)?(root|home/[^/]+|app)/\.(npmrc|netrc|git-credentials|ssh/|docker/|aws/)' && ! has ' (\./)?app/\.npmrc$' && fail 'has credentials of somebody.'
has ' (\./)?app/(\.env|\.git/|deploy/secrets/|data/|test/|figures/)' && fail 'has files of a checkout that do not belong in it.'
has '(-key\.pem|id_(rsa|ed25519|ecdsa)|\.p12|\.pfx)$' && ! has 'node_modules/.*-key\.pem$' && fail 'has a private key.'
has ' (\./)?(usr/)?(local/)?bin/(gcc|cc|c\+\+|make|python3?|npm|npx|yarn|corepack|git|curl|wget)$' && fail 'has tools to build or fetch with.'
grep --extended-regexp --quiet '^-..[sS]|^-.....[sS]' "$listing" && fail 'has a program that runs as another user (setuid).'
grep --extended-regexp '^[-d].{7}w' "$listing" | grep --extended-regexp --invert-match '^d.{8}t' | grep --quiet . && fail 'has files that everybody may write.'
grep --extended-regexp ' 10001/10001 ' "$listing" | grep --extended-regexp --invert-match ' (\./)?data/?$' | grep --quiet . && fail 'has files that its user may write.'
docker run --rm --network none --read-only --cap-drop ALL --entrypoint node "$image" -e '
  const sbom = JSON.parse(require("fs").readFileSync("/app/sbom.cdx.json", "utf8"));
  if (sbom.bomFormat !== "CycloneDX" || sbom.components.length < 50) throw new Error("no list of parts");
' || fail 'has no list of its parts (CycloneDX).'

[ "$failed" = 0 ] && printf 'image: %s MB over its base, user 10001, nothing in it that should not be\n' "$megabytes"
exit "$failed"
