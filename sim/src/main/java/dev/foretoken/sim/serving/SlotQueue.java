package dev.foretoken.sim.serving;

/** Double-ended queue of slots in a ring: waiting requests in order. */
final class SlotQueue {
    private int[] ring = new int[64];
    private int head;
    private int size;

    int size() {
        return size;
    }

    int first() {
        return ring[head];
    }

    int removeFirst() {
        int slot = ring[head];
        head = (head + 1) & (ring.length - 1);
        size--;
        return slot;
    }

    void addLast(int slot) {
        ensureRoom();
        ring[(head + size) & (ring.length - 1)] = slot;
        size++;
    }

    void addFirst(int slot) {
        ensureRoom();
        head = (head - 1) & (ring.length - 1);
        ring[head] = slot;
        size++;
    }

    private void ensureRoom() {
        if (size < ring.length) {
            return;
        }
        int[] larger = new int[ring.length * 2];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[(head + i) & (ring.length - 1)];
        }
        ring = larger;
        head = 0;
    }
}
