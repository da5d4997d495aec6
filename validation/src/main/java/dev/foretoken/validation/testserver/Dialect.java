package dev.foretoken.validation.testserver;

/** How the played engine talks. */
public enum Dialect {
    /** One event per round with several tokens, continuous usage on request, per-request details in sglext. */
    SGLANG,
    /** One event per round, continuous usage and token ids on request, per-request metrics with the usage. */
    VLLM,
    /** One event per token, rounds come as bursts; usage and timings in the last event. */
    LLAMA_CPP
}
