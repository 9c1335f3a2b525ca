package org.posthouse.chaos;

import java.util.function.BooleanSupplier;

/**
 * A kill to come.
 *
 * @param rank whose process; if none runs then, the next rank's that has one
 * @param fromInit whether time begins when every rank's program has called Init; else when the job is started
 * @param afterMs how long after that at least
 * @param isDue asked again and again after that time, by the strike's own thread
 */
public record Strike(int rank, boolean fromInit, long afterMs, BooleanSupplier isDue) {
    Strike(int rank, boolean fromInit, long afterMs) {
        this(rank, fromInit, afterMs, () -> true);
    }
}
