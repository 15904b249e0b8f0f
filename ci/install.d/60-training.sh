# PyTorch for a CPU and numpy, for the small training run.
set -euo pipefail
/usr/bin/python3 -c 'import torch, numpy' 2>/dev/null && exit 0
ci/apt python3-torch python3-numpy
