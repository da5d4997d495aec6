package dev.foretoken.calibration.study;

import java.util.Arrays;

/** Growing list of small whole numbers. */
final class IntList {
    private short[] values = new short[8];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size + (size >> 1) + 1);
        }
        values[size++] = (short) value;
    }

    int[] toArray() {
        int[] out = new int[size];
        for (int i = 0; i < size; i++) {
            out[i] = values[i];
        }
        return out;
    }
}
