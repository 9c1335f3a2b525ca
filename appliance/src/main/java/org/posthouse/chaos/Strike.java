package org.posthouse.chaos;

import java.util.function.BooleanSupplier;

/**
 * A kill to come.
 *
 * @param isOfRelay whether a relay's process is killed, or a rank's
 * @param victim which; if no process of that rank runs then, the next rank's that has one
 * @param fromInit whether time begins when every rank's program has called Init; else when the job is started
 * @param afterMs how long after that at least
 * @param isDue asked again and again after that time, by the strike's own thread
 */
public record Strike(boolean isOfRelay, int victim, boolean fromInit, long afterMs, BooleanSupplier isDue) {
    Strike(boolean isOfRelay, int victim, boolean fromInit, long afterMs) {
        this(isOfRelay, victim, fromInit, afterMs, () -> true);
    }
}
