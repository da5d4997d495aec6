package dev.foretoken.sim.model;

/**
 * One matrix of a pass on one tensor-parallel rank: rows x k times k x n.
 *
 * @param part what the matrix belongs to
 * @param name its name, fused as engines fuse it: qkv, o, gate_up, down, in_proj_qkvz, ...
 * @param n output features on this rank
 * @param k input features on this rank
 * @param count how many such matrices the rank holds (layers, or layers x experts)
 */
public record Gemm(Part part, String name, int n, int k, int count) {
    public Gemm {
        if (n < 1 || k < 1 || count < 1) {
            throw new IllegalArgumentException(
                    "a GEMM needs positive sizes: " + name + " n " + n + ", k " + k + ", count " + count);
        }
    }

    /** Values of all matrices. */
    public long params() {
        return (long) n * k * count;
    }

    /** Bytes of all matrices when the model's weights are of the given format. */
    public long bytes(Dtype weights) {
        return part.storedAs(weights).bytes(params());
    }
}
