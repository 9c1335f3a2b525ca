package org.posthouse.faults;

import java.util.function.BooleanSupplier;

/**
 * A kill to come.
 *
 * @param whose process is killed
 * @param number which of them; of ranks, if no process of that one runs then, the next that has one
 * @param fromInit whether time begins when every rank's program has called Init; else when the job is started
 * @param afterMs how long after that at least
 * @param isDue asked again and again after that time, by the strike's own thread
 */
public record PlannedKill(KillTarget whose, int number, boolean fromInit, long afterMs, BooleanSupplier isDue) {
    /** One that is due as soon as its time has come. */
    public PlannedKill(KillTarget whose, int number, boolean fromInit, long afterMs) {
        this(whose, number, fromInit, afterMs, () -> true);
    }
}
