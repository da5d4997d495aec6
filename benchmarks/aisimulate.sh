#!/usr/bin/env bash
# The same run with Foretoken and with NVIDIA AISimulate, one after the other: wall and CPU seconds of the whole commands.
# 1,000 requests of 1,024 prompt and 512 output tokens, Poisson 2/s, Qwen3-32B bf16 on two H200 (TP 2), vLLM.
#   benchmarks/aisimulate.sh [REPETITIONS]      installs AISimulate from PyPI into benchmarks/.venv-aisimulate (1.5 GB)
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
venv="$root/benchmarks/.venv-aisimulate"
version=0.13.0.dev202610270000000085
repetitions=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! [ -x "$venv/bin/aisimulate" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --only-binary :all: "aisimulate==$version"
fi
cat > "$work/prediction.yaml" <<'YAML'
traffic:
  source: {type: synthetic, input_tokens: 1024, output_tokens: 512}
  load: {type: poisson, requests_per_second: 2.0}
  stop: {requests: 1000}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  backend: vllm
  workers:
    aggregated:
      parallelism: {tensor: 2}
YAML
"$root/foretoken" --version >/dev/null # builds where needed, outside the clock

TIMEFORMAT='%R s wall, %U + %S s CPU'
for i in $(seq "$repetitions"); do
  printf 'foretoken    %s: ' "$i" >&2
  time "$root/foretoken" simulate "$root/benchmarks/aisimulate.yaml" --json > "$work/foretoken.json" 2> "$work/foretoken.log"
  printf 'aisimulate   %s: ' "$i" >&2
  time HF_HUB_OFFLINE=1 "$venv/bin/aisimulate" predict -c "$work/prediction.yaml" --output-dir "$work/aisimulate" --overwrite \
    > "$work/aisimulate.log" 2>&1
done
python3 - "$work" <<'PY'
import json, sys
p = json.load(open(sys.argv[1] + "/foretoken.json"))["points"][0]
print("foretoken:  ttft %.1f ms, e2e %.0f ms, %.0f tok/s" % (p["ttft_ms"]["mean"], p["e2e_ms"]["mean"], p["output_tok_s"]))
for line in open(sys.argv[1] + "/aisimulate.log"):
    if any(k in line for k in ("Time to First Token", "Request Latency", "Output Token Throughput (tokens/sec)")):
        cells = [c.strip() for c in line.strip("┃ \n").split("┃")]
        print("aisimulate: %s %s" % (cells[0], cells[1]))
PY
