package dev.foretoken.sim.serving;

import java.util.Arrays;

/** One engine step: decode rows, prompt chunks, and when it ran. Steps are reused. */
final class Step {
    int decodes;
    int[] decodeSlot = new int[64];
    int[] decodeWidth = new int[64];
    int[] decodeOption = new int[64];
    int[] decodeEpoch = new int[64];

    int chunks;
    int[] chunkSlot = new int[8];
    int[] chunkTokens = new int[8];
    int[] chunkEpoch = new int[8];
    boolean[] chunkIsLast = new boolean[8];

    /** Query tokens of the decode rows before and after CUDA-graph padding. */
    long rows;

    long paddedRows;
    int maxWidth;
    int maxOption;
    long contextTokens;
    int maxContextTokens;
    long prefillTokens;
    long prefillContextTokens;
    /** Resident requests when it was scheduled. */
    int resident;

    double ms;
    /** Part of {@link #ms} that the prompt tokens cost. */
    double prefillMs;

    long startNs;
    long endNs;

    void clear() {
        decodes = 0;
        chunks = 0;
        rows = 0;
        paddedRows = 0;
        maxWidth = 0;
        maxOption = 0;
        contextTokens = 0;
        maxContextTokens = 0;
        prefillTokens = 0;
        prefillContextTokens = 0;
        prefillMs = 0;
    }

    boolean isEmpty() {
        return decodes == 0 && chunks == 0;
    }

    double meanContext() {
        return decodes == 0 ? 0 : (double) contextTokens / decodes;
    }

    double meanPrefillContext() {
        return chunks == 0 ? 0 : (double) prefillContextTokens / chunks;
    }

    void addDecode(int slot, int epoch, int width, int option, int context) {
        int i = decodes++;
        if (i == decodeSlot.length) {
            int n = i * 2;
            decodeSlot = Arrays.copyOf(decodeSlot, n);
            decodeWidth = Arrays.copyOf(decodeWidth, n);
            decodeOption = Arrays.copyOf(decodeOption, n);
            decodeEpoch = Arrays.copyOf(decodeEpoch, n);
        }
        decodeSlot[i] = slot;
        decodeWidth[i] = width;
        decodeOption[i] = option;
        decodeEpoch[i] = epoch;
        rows += width;
        contextTokens += context;
        if (context > maxContextTokens) {
            maxContextTokens = context;
        }
        if (width > maxWidth) {
            maxWidth = width;
        }
        if (option > maxOption) {
            maxOption = option;
        }
    }

    void addChunk(int slot, int epoch, int tokens, int contextBefore, boolean last) {
        int i = chunks++;
        if (i == chunkSlot.length) {
            int n = i * 2;
            chunkSlot = Arrays.copyOf(chunkSlot, n);
            chunkTokens = Arrays.copyOf(chunkTokens, n);
            chunkEpoch = Arrays.copyOf(chunkEpoch, n);
            chunkIsLast = Arrays.copyOf(chunkIsLast, n);
        }
        chunkSlot[i] = slot;
        chunkTokens[i] = tokens;
        chunkEpoch[i] = epoch;
        chunkIsLast[i] = last;
        prefillTokens += tokens;
        prefillContextTokens += contextBefore;
    }
}
