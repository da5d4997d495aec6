/**
 * Architectures of targets and drafters and what follows from them: the GEMMs of one pass per tensor-parallel rank, bytes of
 * weights, of KV per token, of recurrent state and convolution state per sequence.
 *
 * <p>Counted are the projections, the MLP or experts with their router, the embedding and the lm_head; norms, biases and
 * rotary tables are left out (below 0.01 % of a model). A tensor-parallel rank holds 1/tp of every projection, except KV
 * heads, of which it holds at least one ({@code max(1, kv_heads / tp)}), and routers, which every rank holds whole.
 */
package dev.foretoken.sim.model;
