# The way from sources to a model, on a small scale.
set -euo pipefail
training/small_run.sh /usr/bin/python3
