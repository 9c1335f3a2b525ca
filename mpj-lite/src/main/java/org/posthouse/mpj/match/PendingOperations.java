package org.posthouse.mpj.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.posthouse.mpj.operation.Operation;

/** Operations that wait for a frame of the relay, by number. Numbers are reused. Guarded by the endpoint's lock. */
final class PendingOperations {
    private Operation[] slots = new Operation[64];
    private int[] free = new int[64];
    private int freeCount;
    private int used;

    /** Adds the operation, and returns its number for the wire. */
    int add(Operation operation) {
        if (freeCount > 0) {
            int number = free[--freeCount];
            slots[number] = operation;
            return number;
        }
        if (used == slots.length) {
            slots = Arrays.copyOf(slots, used * 2);
            free = Arrays.copyOf(free, used * 2);
        }
        slots[used] = operation;
        return used++;
    }

    /** Number of operations that wait. */
    int size() {
        return used - freeCount;
    }

    /** All operations that wait. */
    List<Operation> all() {
        List<Operation> all = new ArrayList<>();
        for (int number = 0; number < used; number++) {
            if (slots[number] != null) {
                all.add(slots[number]);
            }
        }
        return all;
    }

    /** The operation with this number; null if there is none. */
    Operation get(int number) {
        return number < 0 || number >= used ? null : slots[number];
    }

    /** Takes the operation out; null if there is none with this number. */
    Operation remove(int number) {
        if (number < 0 || number >= used || slots[number] == null) {
            return null;
        }
        Operation operation = slots[number];
        slots[number] = null;
        free[freeCount++] = number;
        return operation;
    }
}
