# The starter library keeps its promises, and the questions are still answered as well as README.md says.
set -euo pipefail
target/debug/proofstone patterns lint --strict
