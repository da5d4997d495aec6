#!/usr/bin/env python3
"""Starts the llama.cpp server of the xllamacpp wheel on the loopback interface and prints READY with its address.

Runs until its standard input is closed or ends, so that it never outlives the program that started it.
"""
import argparse
import sys

import xllamacpp


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--model", required=True, help="GGUF file of the target")
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--slots", type=int, default=4, help="requests at once")
    p.add_argument("--context", type=int, default=4096, help="tokens over all slots")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--spec", default="none", help="none, draft-simple or ngram-simple")
    p.add_argument("--draft-model", help="GGUF file of the drafter")
    p.add_argument("--n-max", type=int, help="drafts per round")
    p.add_argument("--ngram", help="n,m,min_hits of ngram-simple")
    p.add_argument("--rates", help="forced survival rates by position, separated by commas")
    return p.parse_args()


def main():
    o = parse()
    params = xllamacpp.CommonParams()
    params.model.path = o.model
    params.n_parallel = o.slots
    params.n_ctx = o.context
    params.cpuparams.n_threads = o.threads
    params.cpuparams_batch.n_threads = o.threads
    params.hostnames = ["127.0.0.1"] if isinstance(params.hostnames, list) else "127.0.0.1"
    params.port = o.port
    params.model_alias = {"cpu-model"} if isinstance(params.model_alias, set) else "cpu-model"
    params.endpoint_metrics = True
    params.endpoint_slots = True
    params.endpoint_props = True
    params.cont_batching = True
    params.warmup = True
    params.ctx_shift = False
    if o.spec != "none":
        kinds = xllamacpp.common_speculative_type
        spec = params.speculative
        spec.types = [getattr(kinds, "COMMON_SPECULATIVE_TYPE_" + o.spec.upper().replace("-", "_"))]
        if o.draft_model:
            spec.draft.mparams.path = o.draft_model
        spec.draft.cpuparams.n_threads = o.threads
        spec.draft.cpuparams_batch.n_threads = o.threads
        if o.n_max is not None:
            spec.draft.n_max = o.n_max
        if o.ngram:
            spec.ngram_simple.size_n, spec.ngram_simple.size_m, spec.ngram_simple.min_hits = map(int, o.ngram.split(","))
        if o.rates:
            spec.synth_rates = [float(r) for r in o.rates.split(",")]
    server = xllamacpp.Server(params)
    print("READY", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
