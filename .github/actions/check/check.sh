#!/usr/bin/env bash
# Runs winnowd check for a GitHub action: the report for people goes to the log and
# to the job's summary, SARIF to a file, and the exit code is that of the check.
set -euo pipefail

if [ -z "${WINNOWD:-}" ]; then
  WINNOWD=$(mktemp -d)/winnowd
  (cd "$(dirname "$0")/../../.." && go build -trimpath -o "$WINNOWD" ./daemon/cmd/winnowd)
fi
flags=(-budget "${BUDGET:-0}")
[ -z "${MESSAGES:-}" ] || flags+=(-messages "$MESSAGES")
[ -z "${BASELINE:-}" ] || flags+=(-baseline "$BASELINE")
read -ra server <<<"$SERVER"

# Once for people, once for the code host.
code=0
"$WINNOWD" check "${flags[@]}" -fail-on "${FAIL_ON:-error}" -- "${server[@]}" >check.txt || code=$?
cat check.txt
{ echo '```'; cat check.txt; echo '```'; } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
rm check.txt
[ "$code" = 2 ] || "$WINNOWD" check "${flags[@]}" -fail-on never -sarif -- "${server[@]}" >"${SARIF:-winnow-check.sarif}"
exit "$code"
